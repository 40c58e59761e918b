/* SPDX-License-Identifier: MIT */
/* Threads take and give back memory and hand blocks to each other: every block is
 * zero when it comes, is nobody else's meanwhile, and the account is even at the
 * end. */
#include "crew.h"
#include "base/mem.h"

#include <string.h>

/* Blocks beyond 32 KiB are mapped by system calls that ThreadSanitizer does not see;
 * it would take the next owner of the same pages for a race. */
#ifdef UNDER_TSAN
enum { LARGEST_LOG = 14 };
#else
enum { LARGEST_LOG = 17 };
#endif

enum { STEPS = 50000, DESKS = 64 };

struct block {
	size_t size;
	unsigned char fill;
	unsigned char bytes[];
};

struct shared {
	struct block *desk[DESKS]; /* atomic: blocks for whoever comes next */
};

static bool all_bytes(const void *block, size_t n, unsigned char value)
{
	const unsigned char *p = block;
	return n == 0 || (p[0] == value && memcmp(p, p + 1, n - 1) == 0);
}

static struct block *take(struct hand *h)
{
	/* Every other one of the same size class, where the threads meet. */
	uint32_t log = roll(h, 2) ? 3 : roll(h, LARGEST_LOG + 1);
	size_t size = sizeof(struct block) + 1 + roll(h, 1u << log);
	struct block *b = dh_mem_alloc(size);
	REQUIRE(all_bytes(b, size, 0));
	b->size = size;
	b->fill = (unsigned char)(1 + roll(h, 255));
	memset(b->bytes, b->fill, size - sizeof *b);
	return b;
}

static void give(struct block *b)
{
	REQUIRE(all_bytes(b->bytes, b->size - sizeof *b, b->fill));
	dh_mem_free(b, b->size);
}

static void work(struct hand *h)
{
	struct shared *s = h->shared;
	for (int step = 0; step < STEPS; step++) {
		struct block **desk = &s->desk[roll(h, DESKS)];
		struct block *mine = roll(h, 2) ? take(h) : NULL;
		struct block *found = __atomic_exchange_n(desk, mine, __ATOMIC_ACQ_REL);
		if (found)
			give(found);
	}
}

int main(void)
{
	static struct shared s;
	size_t before = dh_mem_in_use();
	crew_run(work, &s, 1);
	for (uint32_t i = 0; i < DESKS; i++)
		if (s.desk[i])
			give(s.desk[i]);
	REQUIRE(dh_mem_in_use() == before);
	return 0;
}
