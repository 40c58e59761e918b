/* SPDX-License-Identifier: MIT */
/* See lines.h. */
#include "runtime/racetrack/lines.h"
#include "base/mem.h"
#include "runtime/access.h"
#include "runtime/heap_slab.h"
#include "runtime/racetrack/judge.h"

enum { FIRST = 128, MOST = 8192, MOST_BYTES = 2048, AT_ONCE = 16 };

static uint64_t reuses; /* atomic: how often memory changed hands */

/* ---- tables ---- */

static void resize(struct dh_lines *t, uint32_t count)
{
	uint32_t old = t->at ? t->mask + 1 : 0;
	dh_mem_free(t->at, old * sizeof *t->at);
	dh_mem_free(t->objects, old * sizeof *t->objects);
	t->at = count ? dh_mem_alloc(count * sizeof *t->at) : NULL;
	t->objects = count ? dh_mem_alloc(count * sizeof *t->objects) : NULL;
	t->mask = count - 1;
	t->misses = 0;
}

static void resize_bytes(struct dh_lines *t, uint32_t count)
{
	dh_mem_free(t->bytes, t->bytes ? (t->byte_mask + 1) * sizeof *t->bytes : 0);
	t->bytes = count ? dh_mem_alloc(count * sizeof *t->bytes) : NULL;
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

/* Is it time for a larger table? The key is of what another line has to go for. What a
 * signal handler has interrupted may be looking at the table. */
static bool is_tight(const struct dh_self *t, uint64_t key, uint32_t *misses,
		     uint32_t mask)
{
	bool taken = (key ^ t->lines.turn) < DH_TURN;
	return taken && ++*misses > 4 * mask && !t->state->handler_count;
}

/* ---- lines ---- */

struct dh_line *dh_rt_line_take_slow(struct dh_self *t, uintptr_t line)
{
	struct dh_lines *ls = &t->lines;
	struct dh_line *l = dh_line_of(ls, line);
	if (is_tight(t, l->key, &ls->misses, ls->mask) && ls->mask + 1 < MOST) {
		resize(ls, (ls->mask + 1) * 4);
		l = dh_line_of(ls, line);
	}
	if (dh_line_number(l->key) != line)
		*dh_rt_line_object(t, l) = (struct dh_line_object){0, 0};
	*l = (struct dh_line){.key = dh_line_key(ls, line)};
	return l;
}

bool dh_rt_byte_line_note(struct dh_self *t, uintptr_t addr, unsigned size, bool write)
{
	struct dh_lines *ls = &t->lines;
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	struct dh_byte_line *l = dh_byte_line_of(ls, line);
	uint64_t bits = dh_byte_line_bits(addr, size), key = dh_line_key(ls, line);
	if (l->key != key) {
		if (is_tight(t, l->key, &ls->byte_misses, ls->byte_mask) &&
		    ls->byte_mask + 1 < MOST_BYTES) {
			resize_bytes(ls, (ls->byte_mask + 1) * 4);
			l = dh_byte_line_of(ls, line);
		}
		*l = (struct dh_byte_line){.key = key};
	} else if (!(bits & ~(l->written | (write ? 0 : l->read)))) {
		return false;
	}
	*(write ? &l->written : &l->read) |= bits;
	return true;
}

/* ---- the end of what they say ---- */

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
		dh_line_of(&t->lines, at >> DH_LINE_BITS)->key = 0;
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
	if (t->lines.at)
		dh_zero(t->lines.objects, (t->lines.mask + 1) * sizeof *t->lines.objects);
}
