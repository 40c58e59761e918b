/* SPDX-License-Identifier: MIT */
/*
 * The first access of a time frame to some bytes, as the entry points tell it (lines.h):
 * where all that it takes is at hand and its object stays as it is, which is most of
 * them. Then it is put down in the table of lines and in the diary, and that is all,
 * without a call. Whatever is missing, the access is judged in the ordinary way.
 *
 * The diary comes before the look at the object: who refines that meanwhile finds the
 * access there, or else the access finds it refined.
 */
#include "base/mem.h"
#include "runtime/access.h"
#include "runtime/racetrack/diary.h"
#include "runtime/racetrack/judge.h"
#include "runtime/racetrack/lines.h"
#include "runtime/racetrack/step.h"

/* Does an access of this thread leave the word as it is, for a state that others may
 * share? */
DH_INLINE bool stays_shared(const struct dh_self *t, const struct dh_rt_thread *me,
			    dh_rt_word w, bool write)
{
	return dh_rt_is_locked(me, w, write)
		   ? write || dh_rt_before(t->vc, w)
		   : !write && dh_rt_state(w) == DH_RT_READ &&
			 (dh_rt_info(w) & dh_rt_reader(t->now)) && dh_rt_before(t->vc, w);
}

/* ---- what is put down ---- */

/* Can a small access be put down in the table of bytes without another line going? */
DH_INLINE bool has_room(const struct dh_self *t, uintptr_t addr)
{
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	uint64_t key = dh_byte_line_of(&t->lines, line)->key;
	return dh_line_number(key) == line || (key ^ t->lines.turn) >= DH_TURN;
}

/* In the table of lines, of which l has the line of addr. */
DH_INLINE void mark(struct dh_self *t, struct dh_line *l, uintptr_t addr, unsigned size,
		    bool write)
{
	if (size >= 4) {
		dh_rt_line_begin(t, l, addr >> DH_LINE_BITS);
		*(write ? &l->written : &l->read) |= dh_line_bits(addr, size);
		return;
	}
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	uint64_t key = dh_line_key(&t->lines, line);
	struct dh_byte_line *b = dh_byte_line_of(&t->lines, line);
	if (b->key != key)
		*b = (struct dh_byte_line){.key = key};
	*(write ? &b->written : &b->read) |= dh_byte_line_bits(addr, size);
}

/* The place of the access in the diary. */
DH_INLINE struct dh_rt_entry *place_of(const struct dh_self *t, uintptr_t addr,
				       unsigned size)
{
	return dh_rt_entry_of(dh_rt_of(t)->diary, addr, size == DH_GRANULE);
}

/* The thread is `inside`, l has the line of addr, and e is its place in the diary. anew:
 * that has something else. False: the access is to be judged. */
DH_INLINE bool note(struct dh_self *t, struct dh_line *l, struct dh_rt_entry *e,
		    uintptr_t addr, unsigned size, bool write, uint64_t pc, bool anew)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	uintptr_t start;
	uint32_t length, site = dh_cached(t, t->top->node, pc);
	if (DH_UNLIKELY(!site || me->epoch != t->now))
		return false;
	dh_rt_word *word = dh_rt_seen_word(l->seen, addr, &start, &length);
	if (DH_UNLIKELY(!word))
		return false;
	dh_record rec = dh_record_make(t->now, dh_mask_of(addr, size), false, site);
	uint16_t life = DH_LOAD(dh_rt_life_of(addr));
	if (anew)
		dh_rt_diary_renew(me, e, addr, write, rec, life);
	else
		dh_rt_diary_put(me, e, write, rec, life);
	dh_rt_word w = DH_LOAD(word);
	if (dh_rt_is_owned(me, w, write))
		me->counts[DH_RT_QUICK_OWN]++;
	else if (stays_shared(t, me, w, write))
		me->counts[DH_RT_QUICK]++;
	else if (dh_rt_renews(t, me, word, w, write))
		me->counts[dh_rt_state(w) == DH_RT_OWNED ? DH_RT_QUICK_OWN
							 : DH_RT_QUICK]++;
	else
		return false;
	mark(t, l, addr, size, write);
	return true;
}

/* ---- ways to it ---- */

/* The access in the ordinary way. l has the line of addr. */
static DH_NOINLINE void judge(struct dh_self *t, struct dh_line *l, uintptr_t addr,
			      unsigned how, uint64_t pc)
{
	unsigned size = how & DH_TOLD_SIZE;
	bool write = how >> DH_TOLD_FLAGS & DH_ACCESS_WRITE;
	if (dh_rt_of(t)->epoch != t->now && t->epoch == t->now) {
		dh_rt_begin_frame(t);
		struct dh_rt_entry *e = place_of(t, addr, size);
		if (note(t, l, e, addr, size, write, pc, DH_LOAD(&e->key) != addr)) {
			dh_leave_runtime(t);
			return;
		}
	}
	mark(t, l, addr, size, write);
	dh_rt_judge_first(t, l, addr, size, write, pc);
	dh_leave_runtime(t);
}

/* dh_enter_runtime() without a call in it. False where it has to wait: then the thread is
 * not `inside`. */
DH_INLINE bool begin(struct dh_self *t)
{
	t->inside++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (DH_LIKELY(!DH_LOAD(&dh_stopping)))
		return true;
	t->inside--;
	return false;
}

/* Something is not at hand: the line first of all. */
static DH_NOINLINE void take(uintptr_t addr, unsigned how, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	struct dh_rt_object o;
	unsigned size = how & DH_TOLD_SIZE;
	bool write = how >> DH_TOLD_FLAGS & DH_ACCESS_WRITE;
	if (addr % size || !dh_rt_of(t) || (size < 4 && !has_room(t, addr)) ||
	    !begin(t)) {
		dh_access_told(addr, how, pc, NULL);
		return;
	}
	struct dh_line *l = dh_rt_line_take(t, addr);
	if (!l->seen)
		dh_rt_line_find_slow(l, addr, &o);
	struct dh_rt_entry *e = place_of(t, addr, size);
	if (!note(t, l, e, addr, size, write, pc, DH_LOAD(&e->key) != addr))
		judge(t, l, addr, how, pc);
	else
		dh_leave_runtime(t);
}

/* Is the access for what follows? l is the place for its line. */
DH_INLINE bool is_ready(const struct dh_self *t, const struct dh_line *l, uintptr_t addr,
			unsigned size)
{
	return dh_line_number(l->key) == addr >> DH_LINE_BITS && addr % size == 0 &&
	       (size >= 4 || has_room(t, addr)) && dh_rt_of(t);
}

/* With a call in it, what has to be kept over that has its price: so it is apart. */
#define FIRST(name, size, write)                                                         \
	static DH_NOINLINE void name##_anew(struct dh_self *t, struct dh_line *l,        \
					    uintptr_t addr, unsigned how, uint64_t pc,   \
					    struct dh_rt_entry *e)                       \
	{                                                                                \
		if (note(t, l, e, addr, size, write, pc, true))                          \
			dh_leave_runtime(t);                                             \
		else                                                                     \
			judge(t, l, addr, how, pc);                                      \
	}                                                                                \
	static void name(uintptr_t addr, uint64_t pc, struct dh_line *l)                 \
	{                                                                                \
		const unsigned how = size | write << DH_TOLD_FLAGS;                      \
		struct dh_self *t = dh_thread_base();                                    \
		if (DH_UNLIKELY(t->inside || !t->now))                                   \
			return;                                                          \
		if (DH_UNLIKELY(!is_ready(t, l, addr, size) || !begin(t))) {             \
			take(addr, how, pc);                                             \
			return;                                                          \
		}                                                                        \
		struct dh_rt_entry *e = place_of(t, addr, size);                         \
		if (DH_LOAD(&e->key) != addr)                                            \
			name##_anew(t, l, addr, how, pc, e);                             \
		else if (DH_LIKELY(note(t, l, e, addr, size, write, pc, false)))         \
			dh_leave_runtime(t);                                             \
		else                                                                     \
			judge(t, l, addr, how, pc);                                      \
	}

FIRST(read1, 1, false)
FIRST(read2, 2, false)
FIRST(read4, 4, false)
FIRST(read8, 8, false)
FIRST(write1, 1, true)
FIRST(write2, 2, true)
FIRST(write4, 4, true)
FIRST(write8, 8, true)

void dh_rt_first_use(struct dh_self *t)
{
	static dh_line_first *const all[] = {read1, write1, read2, write2,
					     read4, write4, read8, write8};
	dh_copy(t->lines.first, all, sizeof all);
}
