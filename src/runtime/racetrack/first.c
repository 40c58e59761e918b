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
#include "runtime/racetrack/direct.h"
#include "runtime/racetrack/fields.h"
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

/* Can a small access be put down in the table of bytes without another line going, for
 * which the table might grow? */
DH_INLINE bool has_room(const struct dh_self *t, uintptr_t addr)
{
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	uint64_t key = dh_byte_line_of(&t->lines, line)->key;
	return dh_line_number(key) == line || (key ^ t->lines.turn) >= DH_TURN ||
	       t->lines.byte_mask + 1 == DH_RT_BYTE_LINES;
}

/* In the table of bytes. */
DH_INLINE void mark_bytes(struct dh_self *t, uintptr_t addr, unsigned size, bool write)
{
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	uint64_t key = dh_line_key(&t->lines, line);
	struct dh_byte_line *b = dh_byte_line_of(&t->lines, line);
	if (b->key != key)
		*b = (struct dh_byte_line){.key = key};
	DH_LINE_ADD(b, dh_byte_line_bits(addr, size), write);
}

/* In the table of lines, of which l has the line of addr. */
DH_INLINE void mark(struct dh_self *t, struct dh_line *l, uintptr_t addr, unsigned size,
		    bool write)
{
	if (size < 4) {
		mark_bytes(t, addr, size, write);
		return;
	}
	dh_rt_line_begin(t, l, addr >> DH_LINE_BITS);
	DH_LINE_ADD(l, dh_line_bits(addr, size), write);
}

/* In the diary, at e. False where that has to grow first. */
DH_INLINE bool write_down(struct dh_rt_thread *me, struct dh_rt_entry *e, uintptr_t addr,
			  bool write, dh_record rec, uint16_t life)
{
	__asm__("" : "+r"(e)); /* one register, not two to be added up each time */
	uintptr_t old = DH_LOAD(&e->key);
	if (old == addr) {
		dh_rt_diary_put(me, e, write, rec, life);
		return true;
	}
	if (DH_UNLIKELY(dh_rt_diary_is_tight(me->diary, old)))
		return false;
	dh_rt_diary_renew(me, e, old, addr, write, rec, life);
	return true;
}

/* The place in the diary for the first byte of the granule of addr, of which e is the one
 * for addr; NULL where those of the granule do not lie side by side. */
DH_INLINE struct dh_rt_entry *granule_at(struct dh_rt_diary *d, struct dh_rt_entry *e,
					 uintptr_t addr)
{
	uint32_t first = (uint32_t)(e - d->at) - (uint32_t)(addr % DH_GRANULE);
	return first <= d->mask - (DH_GRANULE - 1) ? &d->at[first] : NULL;
}

/* What comes of an access, where it is not a site: then it is put down in the diary, and
 * to be judged. */
enum {
	UNREADY = 0,	   /* nothing was done */
	DONE = UINT32_MAX, /* it is put down, and its object stays as it is */
};
_Static_assert(DH_RECORD_SITE_MAX + 0u < DONE + 0u, "sites are told apart from these");

/* Does the object stay one, with another label at most? *next is what its word is then.
 */
DH_INLINE bool keeps(struct dh_self *t, struct dh_rt_thread *me, const struct dh_line *l,
		     dh_rt_word *word, bool write, dh_rt_word *next)
{
	dh_rt_word w = *next = DH_LOAD(word);
	if (dh_rt_is_owned(me, w, write))
		return true;
	if (!stays_shared(t, me, w, write)) {
		bool heap = l->seen & (DH_RT_SEEN_HEAP | DH_RT_SEEN_SLAB);
		*next = dh_rt_renewed(t, me, w, write, heap);
		if (!*next || !dh_rt_swap(word, w, *next))
			return false;
	}
	me->counts[DH_RT_QUICK_OTHERS] += dh_rt_state(w) != DH_RT_OWNED;
	return true;
}

/* The thread is `inside` and its time frame has begun; l has the line of addr. */
DH_INLINE uint32_t note(struct dh_self *t, struct dh_rt_thread *me, struct dh_line *l,
			uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	uintptr_t start;
	uint32_t length, site = dh_cached(t, t->top->node, pc);
	if (DH_UNLIKELY(!site))
		return UNREADY;
	dh_record rec = dh_record_make(t->now, dh_mask_of(addr, size), false, site);
	if (size < 4)
		dh_rt_diary_be_odd(me->diary);
	struct dh_rt_entry *e = dh_rt_entry_of(me->diary, addr, size == DH_GRANULE);
	if (!write_down(me, e, addr, write, rec, DH_LOAD(dh_rt_life_of(addr))))
		return UNREADY;
	dh_rt_word *word = dh_rt_seen_word(l->seen, addr, &start, &length), next;
	if (DH_UNLIKELY(!word) || !keeps(t, me, l, word, write, &next))
		return dh_record_site(rec);
	me->counts[DH_RT_QUICK]++;
	mark(t, l, addr, size, write);
	if (size < 4 && (e = granule_at(me->diary, e, addr)))
		me->near[write] =
		    (struct dh_rt_near){.granule = addr & ~(uintptr_t)7,
					.word = word,
					.stays = next,
					.life = dh_rt_life_of(addr),
					.at = e,
					.others = dh_rt_state(next) != DH_RT_OWNED};
	return DONE;
}

/* The bytes of a small access, as a record has them that are absent. */
DH_INLINE uint64_t present(uintptr_t addr, unsigned size)
{
	return (((uint64_t)1 << size) - 1) << DH_ABSENT_SHIFT << (addr & 7);
}

/* The same for a small access beside the last one, in an object that has stayed as it
 * was. False where it is not: then it may be in the diary, and nothing else was done. */
DH_INLINE bool note_beside(struct dh_self *t, struct dh_rt_thread *me, uintptr_t addr,
			   unsigned size, bool write, uint64_t pc)
{
	const struct dh_rt_near *n = &me->near[write];
	uintptr_t line = addr >> DH_BYTE_LINE_BITS;
	struct dh_byte_line *b = dh_byte_line_of(&t->lines, line);
	uint32_t site = dh_cached(t, t->top->node, pc);
	if (b->key != dh_line_key(&t->lines, line) || !site ||
	    !write_down(me, n->at + addr % DH_GRANULE, addr, write,
			(t->now | site | DH_ABSENT_FIELD) ^ present(addr, size),
			DH_LOAD(n->life)) ||
	    DH_LOAD(n->word) != n->stays)
		return false;
	me->counts[DH_RT_QUICK]++;
	DH_LINE_ADD(b, dh_byte_line_bits(addr, size), write);
	me->counts[DH_RT_QUICK_OTHERS] += n->others;
	return true;
}

/* Some bytes of one granule, in the diary. */
DH_INLINE bool write_part(const struct dh_self *t, struct dh_rt_thread *me,
			  uintptr_t addr, unsigned size, bool write, uint32_t site)
{
	dh_rt_diary_be_odd(me->diary);
	return write_down(me, dh_rt_entry_of(me->diary, addr, size == DH_GRANULE), addr,
			  write,
			  dh_record_make(t->now, dh_mask_of(addr, size), false, site),
			  DH_LOAD(dh_rt_life_of(addr)));
}

/* The same for an access at any offset, to one granule or two; l is of this turn. */
DH_INLINE uint32_t note_loose(struct dh_self *t, struct dh_line *l, uintptr_t addr,
			      unsigned size, bool write, uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	unsigned here = dh_rt_run_of(addr, addr + size);
	uintptr_t start, then = addr + here;
	uint32_t length, site = dh_site_at_hand(t, pc);
	dh_rt_word *word = dh_rt_seen_word(l->seen, addr, &start, &length), next;
	if (!site || !word || addr + size > start + length ||
	    !write_part(t, me, addr, here, write, site) ||
	    (here < size && !write_part(t, me, then, size - here, write, site)))
		return UNREADY;
	mark_bytes(t, addr, here, write);
	if (here < size)
		mark_bytes(t, then, size - here, write);
	DH_LINE_ADD(l, dh_rt_unit_bits(addr, size), write);
	if (!keeps(t, me, l, word, write, &next))
		return site;
	me->counts[DH_RT_QUICK]++;
	return DONE;
}

/* ---- ways to it ---- */

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

/* Once more from the start, with what was missing. */
DH_INLINE void again(struct dh_self *t, struct dh_line *l, uintptr_t addr, unsigned how,
		     uint64_t pc)
{
	bool write = how >> DH_TOLD_FLAGS & DH_ACCESS_WRITE;
	dh_leave_runtime(t);
	t->lines.first[dh_line_kind(how & DH_TOLD_SIZE, write)](addr, pc, l);
}

/* The access is in the diary and in its line, and its object is refined: on the field, if
 * that takes little. */
DH_INLINE bool judge_field(struct dh_self *t, struct dh_line *l, uintptr_t addr,
			   unsigned size, bool write, uint32_t site, uint64_t pc)
{
	struct dh_rt_thread *me = dh_rt_of(t);
	uintptr_t start;
	uint32_t length;
	const dh_rt_word *word = dh_rt_seen_word(l->seen, addr, &start, &length);
	dh_rt_word w = word ? DH_LOAD(word) : 0;
	if (dh_rt_state(w) != DH_RT_FINE ||
	    !dh_rt_judge_own(t, w, start, addr, size, write, site, pc))
		return false;
	me->counts[DH_RT_ACCESSES]++;
	if (me->level)
		dh_rt_direct_allow(t, l, w);
	return true;
}

/* The access in the ordinary way, after what note() said. l has the line of addr. */
static DH_NOINLINE void judge(struct dh_self *t, struct dh_line *l, uintptr_t addr,
			      unsigned how, uint64_t pc, uint32_t noted)
{
	unsigned size = how & DH_TOLD_SIZE;
	bool write = how >> DH_TOLD_FLAGS & DH_ACCESS_WRITE;
	mark(t, l, addr, size, write);
	if (noted == UNREADY)
		dh_rt_judge_first(t, l, addr, size, write, pc);
	else if (!judge_field(t, l, addr, size, write, noted, pc))
		dh_rt_judge_noted(t, l, addr, size, 0, write, noted, pc);
	dh_leave_runtime(t);
}

/* The first access of a time frame, or under other locks than the last. */
static DH_NOINLINE void begin_frame(struct dh_self *t, struct dh_line *l, uintptr_t addr,
				    unsigned how, uint64_t pc)
{
	if (DH_UNLIKELY(!t->now)) { /* nobody is watched */
		dh_leave_runtime(t);
	} else if (DH_LIKELY(t->epoch == t->now)) {
		dh_rt_begin_frame(t);
		again(t, l, addr, how, pc);
	} else {
		judge(t, l, addr, how, pc, UNREADY);
	}
}

/* The first one in a function: no site is ready until its node is. */
static DH_NOINLINE void late(struct dh_self *t, struct dh_line *l, uintptr_t addr,
			     unsigned how, uint64_t pc)
{
	const unsigned size = how & DH_TOLD_SIZE;
	const bool write = how >> DH_TOLD_FLAGS & DH_ACCESS_WRITE;
	uint32_t noted = UNREADY;
	if (dh_node_at_hand(t))
		noted = note(t, dh_rt_of(t), l, addr, size, write, pc);
	if (DH_LIKELY(noted == DONE))
		dh_leave_runtime(t);
	else
		judge(t, l, addr, how, pc, noted);
}

/* The line of addr, with its object if it can be had. */
DH_INLINE struct dh_line *seen_line(struct dh_self *t, uintptr_t addr)
{
	struct dh_line *l = dh_rt_line_take(t, addr);
	struct dh_rt_object o;
	if (DH_UNLIKELY(!l->seen) && !dh_rt_line_see_slab(l, addr))
		dh_rt_line_find_slow(l, addr, &o);
	return l;
}

/* Something is not at hand: the line first of all. */
static DH_NOINLINE void take(uintptr_t addr, unsigned how, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	unsigned size = how & DH_TOLD_SIZE;
	if (!t->now)
		return;
	if ((addr & (size - 1)) || !dh_rt_of(t) || (size < 4 && !has_room(t, addr)) ||
	    !begin(t)) {
		dh_access_told(addr, how, pc, NULL);
		return;
	}
	again(t, seen_line(t, addr), addr, how, pc);
}

/* Is the access for what follows? l is the place for its line. */
DH_INLINE bool is_ready(const struct dh_self *t, const struct dh_line *l, uintptr_t addr,
			unsigned size)
{
	return dh_line_number(l->key) == addr >> DH_LINE_BITS && addr % size == 0 &&
	       (size >= 4 || has_room(t, addr));
}

#define FIRST(name, size, write)                                                         \
	static DH_NOINLINE void name(uintptr_t addr, uint64_t pc, struct dh_line *l)     \
	{                                                                                \
		const unsigned how = size | write << DH_TOLD_FLAGS;                      \
		struct dh_self *t = dh_thread_base();                                    \
		__builtin_prefetch((const void *)addr, write);                           \
		if (DH_UNLIKELY(t->inside))                                              \
			return;                                                          \
		struct dh_rt_thread *me = dh_rt_of(t);                                   \
		if (DH_UNLIKELY(!me || !is_ready(t, l, addr, size) || !begin(t))) {      \
			take(addr, how, pc);                                             \
			return;                                                          \
		}                                                                        \
		if (DH_UNLIKELY(me->epoch != t->now)) {                                  \
			begin_frame(t, l, addr, how, pc);                                \
			return;                                                          \
		}                                                                        \
		if (DH_UNLIKELY(!t->top->node)) {                                        \
			late(t, l, addr, how, pc);                                       \
			return;                                                          \
		}                                                                        \
		uint32_t noted = note(t, me, l, addr, size, write, pc);                  \
		if (DH_LIKELY(noted == DONE))                                            \
			dh_leave_runtime(t);                                             \
		else                                                                     \
			judge(t, l, addr, how, pc, noted);                               \
	}

/* Beside the last one, or else as any other. */
#define BESIDE(name, size, write)                                                        \
	static void name##_beside(uintptr_t addr, uint64_t pc, struct dh_line *l)        \
	{                                                                                \
		struct dh_self *t = dh_thread_base();                                    \
		if (DH_UNLIKELY(t->inside))                                              \
			return;                                                          \
		struct dh_rt_thread *me = dh_rt_of(t);                                   \
		if (me && me->near[write].granule == (addr & ~(uintptr_t)7) &&           \
		    me->epoch == t->now && addr % size == 0 && begin(t)) {               \
			if (DH_LIKELY(note_beside(t, me, addr, size, write, pc))) {      \
				dh_leave_runtime(t);                                     \
				return;                                                  \
			}                                                                \
			t->inside--; /* for a moment: a signal waits for the end */      \
		}                                                                        \
		name(addr, pc, l);                                                       \
	}

FIRST(read1, 1, false)
FIRST(read2, 2, false)
FIRST(read4, 4, false)
FIRST(read8, 8, false)
FIRST(write1, 1, true)
FIRST(write2, 2, true)
FIRST(write4, 4, true)
FIRST(write8, 8, true)
BESIDE(read1, 1, false)
BESIDE(read2, 2, false)
BESIDE(write1, 1, true)
BESIDE(write2, 2, true)

/* What was noted at any offset. */
static DH_NOINLINE void judge_loose(struct dh_self *t, uintptr_t addr, unsigned how,
				    uint64_t pc, uint32_t site)
{
	bool write = how >> DH_TOLD_FLAGS & DH_ACCESS_WRITE;
	uintptr_t to = addr + (how & DH_TOLD_SIZE);
	struct dh_line *l = dh_line_of(&t->lines, addr >> DH_LINE_BITS);
	for (unsigned size; addr < to; addr += size) {
		size = dh_rt_run_of(addr, to);
		if (!judge_field(t, l, addr, size, write, site, pc))
			dh_rt_judge_noted(t, l, addr, size, to, write, site, pc);
	}
}

/* At any offset. What is not done here is told as any other range. */
DH_INLINE void loose(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	const unsigned how = size | write << DH_TOLD_FLAGS;
	struct dh_self *t = dh_thread_base();
	struct dh_rt_thread *me;
	uint32_t noted = UNREADY;
	__builtin_prefetch((const void *)addr, write);
	if (DH_UNLIKELY(t->inside || !t->now))
		return;
	if (DH_LIKELY((me = dh_rt_of(t)) && me->epoch == t->now &&
		      addr % DH_RT_LINE + size <= DH_RT_LINE && has_room(t, addr) &&
		      has_room(t, addr + size - 1) && begin(t))) {
		noted = note_loose(t, seen_line(t, addr), addr, size, write, pc);
		if (DH_UNLIKELY(noted != DONE && noted != UNREADY))
			judge_loose(t, addr, how, pc, noted);
		dh_leave_runtime(t);
	}
	if (DH_UNLIKELY(noted == UNREADY))
		dh_access_range(addr, size, write ? DH_ACCESS_WRITE : 0, pc);
}

static void loose_read(uintptr_t addr, unsigned size, uint64_t pc)
{
	loose(addr, size, false, pc);
}

static void loose_write(uintptr_t addr, unsigned size, uint64_t pc)
{
	loose(addr, size, true, pc);
}

void dh_rt_first_use(struct dh_self *t)
{
	static dh_line_first *const all[] = {
	    read1_beside, write1_beside, read2_beside, write2_beside,
	    read4,	  write4,	 read8,	       write8};
	dh_copy(t->lines.first, all, sizeof all);
	t->lines.loose[0] = loose_read;
	t->lines.loose[1] = loose_write;
}
