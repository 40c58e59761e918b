/* SPDX-License-Identifier: MIT */
/* Blocks of cells, and which granules have which; see parts.h. */
#include "runtime/parts.h"
#include "runtime/tags.h"

/* What goes with a block of pairs or bytes: what it is for, and the next such one
 * that the line has. Written before anybody else can come to it. */
struct link {
	uint32_t next;	 /* the number of a block, or 0 */
	uint16_t level;
	uint16_t offset; /* where in the line that begins */
};

/* Blocks are numbered. They lie in chunks; in place of the last blocks of each there are the
 * links of the others. */
enum {
	BLOCK = 1 << DH_PARTS_SHIFT,
	BLOCK_CELLS = BLOCK / sizeof(struct dh_cell),
	CHUNK_BITS = 12, /* blocks of a chunk */
	CHUNK = 1 << CHUNK_BITS,
	CHUNKS = DH_PARTS >> CHUNK_BITS,
	LINKS = CHUNK * sizeof(struct link) / BLOCK,
	RUN = 16, /* blocks that a thread takes at a time: a page */
	ROWS = 4, /* of first elders in a block */
	ROW_RECORDS = (1 << DH_LINE_SHIFT) / DH_GRANULE,
	STRIPES = 64,
};
_Static_assert(BLOCK_CELLS * 4 == 1 << DH_LINE_SHIFT, "a block has the halves of a line");

static char *chunks[CHUNKS]; /* atomic */
static uint32_t taken;	     /* atomic: blocks, in runs */

/* The next block of a run, for threads of the same stripe; the first of one: it is used up. */
static struct {
	uint32_t next; /* atomic */
	uint32_t row;  /* atomic: the next of a block of rows; the first of one: likewise */
} __attribute__((aligned(64))) stripes[STRIPES];

static char *chunk_of(uint32_t number)
{
	return __atomic_load_n(&chunks[number >> CHUNK_BITS], __ATOMIC_ACQUIRE);
}

static struct dh_cell *block_of(uint32_t number)
{
	return (struct dh_cell *)(void *)(chunk_of(number) + number % CHUNK * BLOCK);
}

static struct link *link_of(uint32_t number)
{
	char *links = chunk_of(number) + (CHUNK - LINKS) * BLOCK;
	return (struct link *)(void *)links + number % CHUNK;
}

/* ---- taking ---- */

/* Makes the chunk that has the block, if there is none. */
static bool have_chunk(uint32_t number)
{
	const size_t size = CHUNK * BLOCK;
	char **place = &chunks[number >> CHUNK_BITS], *found = NULL;
	if (number < DH_PARTS && __atomic_load_n(place, __ATOMIC_ACQUIRE))
		return true;
	char *made = dh_shadow_parts_map(number & ~(uint32_t)(CHUNK - 1), size);
	if (made && !__atomic_compare_exchange_n(place, &found, made, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
	    made != found)
		dh_shadow_parts_unmap(made, size);
	return made != NULL;
}

/* A run of blocks, by the number of its first; false where there are no more. */
static bool take_run(uint32_t *first)
{
	uint32_t next = __atomic_load_n(&taken, __ATOMIC_RELAXED);
	do {
		*first = next;
		if (next % CHUNK >= CHUNK - LINKS)
			*first = (next | (CHUNK - 1)) + 1;
		if (!have_chunk(*first))
			return false;
	} while (!__atomic_compare_exchange_n(&taken, &next, *first + RUN, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

/* The next one of a run of so many; false: it is used up. */
static bool take_next(uint32_t *next, uint32_t run, uint32_t *number)
{
	*number = __atomic_load_n(next, __ATOMIC_RELAXED);
	while (*number % run)
		if (__atomic_compare_exchange_n(next, number, *number + 1, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* A block that nobody has; 0 where there is none. Block 0 is nobody's. */
static uint32_t take(unsigned stripe)
{
	uint32_t *next = &stripes[stripe % STRIPES].next, number, first;
	if (take_next(next, RUN, &number))
		return number;
	if (!take_run(&first))
		return 0;
	first += !first;
	/* Who loses against another of the stripe has the first of its run alone. */
	__atomic_compare_exchange_n(next, &number, first + 1, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return first;
}

/* The same for a row: its number is that of the block, times ROWS, and its own. */
static uint32_t take_row(unsigned stripe)
{
	uint32_t *next = &stripes[stripe % STRIPES].row, row, block;
	if (take_next(next, ROWS, &row))
		return row;
	if (!(block = take(stripe)))
		return 0;
	__atomic_compare_exchange_n(next, &row, block * ROWS + 1, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return block * ROWS;
}

/* ---- lines ---- */

/* What a word of a line has the number of, taken if there is none; 0: no memory. Of two threads
 * that do so at the same time the second takes the other's, and its own is lost. */
static uint32_t find_only(uint32_t *line, uint32_t take_one(unsigned stripe), unsigned thread)
{
	uint32_t found = __atomic_load_n(line, __ATOMIC_ACQUIRE), made;
	if (found || !(made = take_one(thread)))
		return found;
	return __atomic_compare_exchange_n(line, &found, made, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE)
		   ? made
		   : found;
}

static uint32_t look(uint32_t number, unsigned level, unsigned offset)
{
	for (; number; number = link_of(number)->next)
		if (link_of(number)->level == level && link_of(number)->offset == offset)
			return number;
	return 0;
}

/* The same for what a block has of the smaller parts of a line. */
static uint32_t find_smaller(uint32_t *line, unsigned level, unsigned offset, unsigned thread)
{
	uint32_t first = __atomic_load_n(line, __ATOMIC_ACQUIRE), made = 0;
	for (;;) {
		uint32_t found = look(first, level, offset);
		if (found || (!made && !(made = take(thread))))
			return found;
		*link_of(made) = (struct link){first, (uint16_t)level, (uint16_t)offset};
		if (__atomic_compare_exchange_n(line, &first, made, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return made;
	}
}

/* What a granule has in a block that is for so many of its bytes and others'. */
static void *find(uintptr_t granule, unsigned level, size_t covers, unsigned thread)
{
	const uintptr_t from = granule & -covers;
	const unsigned offset = from & ((1 << DH_LINE_SHIFT) - 1);
	uint32_t number =
	    level == 1
		? find_only(dh_shadow_line(granule, DH_LINE_HALVES), take, thread)
		: find_smaller(dh_shadow_line(granule, DH_LINE_SMALLER), level, offset,
			       thread);
	return number ? (char *)block_of(number) + (granule - from) * (BLOCK / covers)
		      : NULL;
}

struct dh_cell *dh_parts_find(uintptr_t granule, unsigned level, unsigned thread)
{
	return find(granule, level, BLOCK_CELLS << dh_level_shift(level), thread);
}

static dh_record *records_of(uint32_t block)
{
	return (dh_record *)(void *)block_of(block);
}

dh_record *dh_parts_elder(uintptr_t granule, bool write, unsigned thread)
{
	uint32_t *line = dh_shadow_line(granule, DH_LINE_FIRST_ELDERS + write);
	const uint32_t row = find_only(line, take_row, thread);
	return row ? records_of(row / ROWS) + row % ROWS * ROW_RECORDS +
			 granule / DH_GRANULE % ROW_RECORDS
		   : NULL;
}

dh_record *dh_parts_elder_bytes(uintptr_t granule, bool write, unsigned thread)
{
	enum { HALF = 1 << (DH_LINE_SHIFT - 1) };
	_Static_assert(HALF * sizeof(dh_record) == BLOCK, "those of half a line");
	uint32_t *line = dh_shadow_line(granule, dh_elder_bytes_word(granule, write));
	const uint32_t block = find_only(line, take, thread);
	return block ? records_of(block) + granule % HALF : NULL;
}
