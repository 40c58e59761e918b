/* SPDX-License-Identifier: MIT */
/* See lines.h. */
#include "runtime/racetrack/lines.h"
#include "base/mem.h"
#include "runtime/access.h"
#include "runtime/heap_slab.h"
#include "runtime/racetrack/judge.h"

enum {
	FIRST = 128,
	MOST = 16384,
	MOST_OBJECTS = 1024, /* where it is not for the present turn */
	AT_ONCE = 16,
};

static uint64_t reuses; /* atomic: how often memory changed hands */

/* ---- tables ---- */

static void resize(struct dh_lines *t, uint32_t count)
{
	uint32_t old = t->at ? t->mask + 1 : 0;
	dh_mem_free(t->at, old * sizeof *t->at);
	t->at = count ? dh_mem_alloc(count * sizeof *t->at) : NULL;
	if (count <= MOST_OBJECTS) /* larger ones fill slowly */
		dh_rt_use_pages(t->at, count * sizeof *t->at);
	t->mask = count - 1;
	t->misses = 0;
}

static void resize_bytes(struct dh_lines *t, uint32_t count)
{
	dh_mem_free(t->bytes, t->bytes ? (t->byte_mask + 1) * sizeof *t->bytes : 0);
	t->bytes = count ? dh_mem_alloc(count * sizeof *t->bytes) : NULL;
	dh_rt_use_pages(t->bytes, count * sizeof *t->bytes);
	t->byte_mask = count - 1;
	t->byte_misses = 0;
}

struct dh_lines *dh_rt_lines_make(struct dh_self *t)
{
	resize(&t->lines, FIRST);
	resize_bytes(&t->lines, FIRST);
	dh_rt_first_use(t);
	return &t->lines;
}

void dh_rt_lines_free(struct dh_lines *made)
{
	resize(made, 0);
	resize_bytes(made, 0);
	made->repeats = made->directs = 0;
}

/* Is it time for a larger table? The key is of what another line has to go for: what was
 * known of it in this turn, or of its object. What a signal handler has interrupted may
 * be looking at the table. */
static bool is_tight(const struct dh_self *t, uint64_t key, uint32_t *misses,
		     uint32_t count, uint32_t most, uint32_t most_over_turns)
{
	bool now = (key ^ t->lines.turn) < DH_TURN;
	return key && count < (now ? most : most_over_turns) && ++*misses > 4 * count &&
	       !t->state->handler_count;
}

/* ---- lines ---- */

struct dh_line *dh_rt_line_take_slow(struct dh_self *t, uintptr_t line)
{
	struct dh_lines *ls = &t->lines;
	struct dh_line *l = dh_line_of(ls, line);
	if (is_tight(t, l->key, &ls->misses, ls->mask + 1, MOST, MOST_OBJECTS)) {
		resize(ls, DH_MIN((ls->mask + 1) * 4, (uint32_t)MOST));
		l = dh_line_of(ls, line);
	}
	*l = (struct dh_line){.key = dh_line_key(ls, line)};
	return l;
}

static uint64_t seen_of(const struct dh_rt_object *o, uintptr_t addr)
{
	uintptr_t before = (addr & ~(uintptr_t)(DH_RT_LINE - 1)) - DH_RT_LINE;
	return (uintptr_t)o->word | (o->heap ? DH_RT_SEEN_HEAP : 0) |
	       (o->length == DH_RT_LINE && o->start % DH_RT_LINE == 0 ? DH_RT_SEEN_LINE
								      : 0) |
	       (uint64_t)(o->start - before) / 8 << DH_RT_SEEN_FROM |
	       (uint64_t)o->length / 8 << DH_RT_SEEN_LENGTH;
}

bool dh_rt_line_find_slow(struct dh_line *l, uintptr_t addr, struct dh_rt_object *o)
{
	bool tailed = dh_rt_line_see_slab(l, addr);
	if (tailed) {
		o->word = dh_rt_seen_word(l->seen, addr, &o->start, &o->length);
		o->base = o->start;
		o->size = o->length;
		if ((o->heap = o->word != NULL))
			return true;
	}
	l->seen = l->direct = 0;
	if (!dh_rt_object_find(addr, o))
		return false;
	if (!tailed)
		l->seen = seen_of(o, addr);
	return true;
}

bool dh_rt_byte_line_note(struct dh_self *t, uintptr_t addr, unsigned size, bool write)
{
	struct dh_lines *ls = &t->lines;
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	struct dh_byte_line *l = dh_byte_line_of(ls, line);
	uint64_t bits = dh_byte_line_bits(addr, size), key = dh_line_key(ls, line);
	if (l->key != key) {
		if (is_tight(t, l->key, &ls->byte_misses, ls->byte_mask + 1,
			     DH_RT_BYTE_LINES, 0)) {
			resize_bytes(ls, (ls->byte_mask + 1) * 4);
			l = dh_byte_line_of(ls, line);
		}
		*l = (struct dh_byte_line){.key = key};
	} else if (!(bits & ~DH_LINE_HAS(l, write))) {
		return false;
	}
	DH_LINE_ADD(l, bits, write);
	return true;
}

/* ---- the end of what they say ---- */

/* What was done to it. Its object stays known: blocks keep their places (layouts). */
static void forget_line(const struct dh_lines *ls, uintptr_t addr)
{
	struct dh_line *l = dh_line_of(ls, addr >> DH_LINE_BITS);
	if (dh_line_number(l->key) == addr >> DH_LINE_BITS)
		l->read = l->written = 0;
}

void dh_rt_lines_forget(struct dh_self *t, uintptr_t from, uintptr_t to)
{
	const uintptr_t step = (uintptr_t)1 << DH_BYTE_LINE_BITS;
	if (!t->lines.at)
		return;
	if ((to - from) >> DH_BYTE_LINE_BITS > AT_ONCE) {
		t->lines.turn += DH_TURN;
		return;
	}
	for (uintptr_t at = from; at < to; at = (at | (step - 1)) + 1) {
		forget_line(&t->lines, at);
		dh_byte_line_of(&t->lines, at >> DH_BYTE_LINE_BITS)->key = 0;
	}
}

void dh_rt_lines_reused(void)
{
	__atomic_fetch_add(&reuses, 1, __ATOMIC_RELAXED);
}

uint64_t dh_rt_lines_reuses(void)
{
	return DH_LOAD(&reuses);
}

void dh_rt_lines_end_turn(struct dh_lines *of)
{
	__atomic_fetch_add(&of->turn, DH_TURN, __ATOMIC_RELAXED);
}

void dh_rt_lines_learn(struct dh_self *t)
{
	uint64_t now = DH_LOAD(&reuses);
	struct dh_rt_thread *me = dh_rt_of(t);
	dh_rt_lines_settle(t);
	if (me->reuses == now)
		return;
	me->reuses = now;
	t->lines.turn += DH_TURN;
}

void dh_rt_lines_settle(struct dh_self *t)
{
	uint32_t now = __atomic_load_n(&dh_heap_layouts, __ATOMIC_ACQUIRE);
	struct dh_rt_thread *me = dh_rt_of(t);
	if (DH_LIKELY(me->layouts == now))
		return;
	me->layouts = now;
	for (uint32_t i = 0; t->lines.at && i <= t->lines.mask; i++)
		t->lines.at[i].seen = t->lines.at[i].direct = 0;
	dh_zero(me->uses, sizeof me->uses);
}
