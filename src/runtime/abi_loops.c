/* SPDX-License-Identifier: MIT */
/*
 * The entry points for loops that tell of all their rounds at once (loops.h). Of these
 *
 *   ranges   are what lies side by side, or overlaps: as memcpy's, by eights of cells
 *            (access_range.c)
 *   tracks   go from granule to granule at a distance (rounds.h). Accesses of one round
 * that share a granule share a track, as the fields of a structure do. Where the distance
 * is no multiple of a granule, two, four or eight rounds are one others   are not
 * aligned, or too many, or of few rounds: one by one, as in the loop
 *
 * Where several accesses of a loop are told together, each goes some way at a time, so
 * that what they share of the shadow stays in the nearest cache.
 */
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/loops.h"
#include "runtime/loose.h"
#include "runtime/observer.h"
#include "runtime/rounds.h"

enum {
	FEW = 8,	 /* rounds that are as quick one by one */
	STRETCH = 4096,	 /* bytes of the program that are gone through at a time */
	LEAST = 16,	 /* rounds at a time; a multiple of eight */
	AHEAD = 1 << 24, /* bytes at a time that are not asked for to be there */
	TRACKS = 16,
	MEMBERS = 32,
};

struct plan {
	unsigned tracks, members;
	bool alone; /* no tracks */
	uint8_t
	    rounds[DH_LOOP_PARTS_MOST]; /* that are one, of a part with tracks; else 0 */
	uint8_t every[TRACKS];		/* the same of a track, */
	uintptr_t left[TRACKS];		/* and how many of these it still has */
	struct dh_track track[TRACKS];
	struct dh_member member[MEMBERS];
};

/* ---- one by one ---- */

typedef void each_fn(uintptr_t at, uintptr_t rounds, uintptr_t step, uint64_t pc);

#define EACH(kind, size)                                                                 \
	DH_EXPORT void __tsan_##kind##size##_pc(void *addr, void *pc);                   \
	static void each_##kind##size(uintptr_t at, uintptr_t rounds, uintptr_t step,    \
				      uint64_t pc)                                       \
	{                                                                                \
		for (; rounds; rounds--, at += step)                                     \
			__tsan_##kind##size##_pc((void *)at, (void *)(uintptr_t)pc);     \
	}

EACH(read, 1)
EACH(read, 2)
EACH(read, 4)
EACH(read, 8)
EACH(read, 16)
EACH(write, 1)
EACH(write, 2)
EACH(write, 4)
EACH(write, 8)
EACH(write, 16)

/* Aligned. */
static void access_each(uintptr_t at, uintptr_t rounds, uintptr_t step, unsigned size,
			bool write, uint64_t pc)
{
	static each_fn *const each[2][5] = {
	    {each_read1, each_read2, each_read4, each_read8, each_read16},
	    {each_write1, each_write2, each_write4, each_write8, each_write16}};
	each[write][__builtin_ctz(size)](at, rounds, step, pc);
}

static void access_member(uintptr_t granule, const struct dh_member *p)
{
	access_each(granule + p->at, 1, 0, p->size, p->write, p->pc);
}

static unsigned alignment_of(const struct dh_loop_part *p)
{
	return DH_MIN(p->size, (uint32_t)DH_GRANULE);
}

static bool is_aligned(const struct dh_loop_part *p)
{
	return (p->at | (uintptr_t)p->step) % alignment_of(p) == 0;
}

static void one_by_one(const struct dh_loop_part *p, uintptr_t from, uintptr_t rounds)
{
	const uintptr_t step = (uintptr_t)p->step;
	uintptr_t at = p->at + from * step;
	if (is_aligned(p)) {
		access_each(at, rounds, step, p->size, p->write, p->pc);
		return;
	}
	for (; rounds; rounds--, at += step) {
		if (p->size <= DH_GRANULE)
			dh_loose(at, p->size, p->write, p->pc);
		else
			dh_access_range(at, p->size, p->write ? DH_ACCESS_WRITE : 0,
					p->pc);
	}
}

/* ---- ranges ---- */

static uintptr_t way_of(intptr_t step)
{
	return (uintptr_t)__builtin_labs(step);
}

/* Have the accesses no gaps between them? They may overlap. */
static bool is_range(const struct dh_loop_part *p)
{
	return way_of(p->step) <= p->size;
}

static void tell_range(const struct dh_loop_part *p, uintptr_t from, uintptr_t rounds)
{
	const uintptr_t way = (rounds - 1) * way_of(p->step);
	const uintptr_t at = p->at + from * (uintptr_t)p->step;
	dh_access_range(p->step < 0 ? at - way : at, way + p->size,
			p->write ? DH_ACCESS_WRITE : 0, p->pc);
}

/* ---- tracks ---- */

static unsigned track_for(struct plan *n, uintptr_t granule, intptr_t step,
			  unsigned every)
{
	for (unsigned i = 0; i < n->tracks; i++)
		if (n->track[i].at == granule && n->track[i].step == step &&
		    n->every[i] == every)
			return i;
	if (n->tracks == TRACKS)
		return TRACKS;
	struct dh_track *k = &n->track[n->tracks];
	k->at = granule;
	k->step = step;
	k->wrote = k->only_read = 0;
	k->first = DH_NO_MEMBER;
	k->vain = 0;
	k->last.now = 0;
	n->every[n->tracks] = (uint8_t)every;
	return n->tracks++;
}

static bool add_member(struct plan *n, const struct dh_loop_part *p, uintptr_t at,
		       intptr_t step, unsigned every)
{
	const unsigned size = alignment_of(p);
	const uintptr_t granule = at & ~(uintptr_t)(DH_GRANULE - 1);
	const unsigned to =
	    n->members < MEMBERS ? track_for(n, granule, step, every) : TRACKS;
	if (to == TRACKS)
		return false;
	struct dh_track *k = &n->track[to];
	const uint8_t offset = (uint8_t)(at - granule);
	uint8_t *bytes = p->write ? &k->wrote : &k->only_read;
	*bytes |= (uint8_t)dh_mask_of(offset, size);
	n->member[n->members] =
	    (struct dh_member){p->pc, offset, (uint8_t)size, p->write, k->first};
	k->first = (uint8_t)n->members++;
	return true;
}

/* False: there is no room for it. What was added already does no harm. */
static bool add_part(struct plan *n, const struct dh_loop_part *p, unsigned every)
{
	for (unsigned round = every; round-- > 0;)
		for (unsigned i = 0; i < p->size; i += DH_GRANULE)
			if (!add_member(n, p, p->at + round * (uintptr_t)p->step + i,
					p->step * (intptr_t)every, every))
				return false;
	return true;
}

static void finish_track(struct dh_track *k)
{
	k->only_read &= (uint8_t)~k->wrote;
	k->whole = (k->wrote | k->only_read) == DH_WHOLE;
	k->write_need = k->wrote ? dh_record_need(k->wrote) : 0;
	k->read_need = k->only_read ? dh_record_need(k->only_read) : 0;
}

/* How many rounds of track b come to granules that are a's own some rounds before, with
 * no more than what a does there? All but the first so many; UINTPTR_MAX: none. */
static uintptr_t before_repeats(const struct dh_track *a, const struct dh_track *b)
{
	const intptr_t ahead = (intptr_t)(a->at - b->at);
	if (b->wrote || a->step != b->step || ahead % a->step || ahead / a->step <= 0 ||
	    (b->only_read & ~(a->wrote | a->only_read)))
		return UINTPTR_MAX;
	return (uintptr_t)(ahead / a->step);
}

/* Reads of a neighbour that was the loop's own in an earlier round, as in a[i - 1] and
 * a[i + 1], are repeats. */
static void leave_out_repeats(struct plan *n)
{
	for (unsigned i = 0; i < n->tracks; i++) {
		n->left[i] = UINTPTR_MAX;
		for (unsigned k = 0; k < n->tracks; k++)
			if (n->every[i] == n->every[k])
				n->left[i] =
				    DH_MIN(n->left[i],
					   before_repeats(&n->track[k], &n->track[i]));
	}
}

static void make_plan(struct plan *n, const struct dh_loop_part *part, unsigned count,
		      uintptr_t rounds)
{
	n->tracks = n->members = 0;
	n->alone = rounds < FEW || dh_observer;
	for (unsigned i = count; i-- > 0;) { /* each track has its last member first */
		const struct dh_loop_part *p = &part[i];
		n->rounds[i] = 0;
		if (n->alone || is_range(p) || !is_aligned(p))
			continue;
		const unsigned odd = (unsigned)(p->step & (DH_GRANULE - 1));
		const unsigned every = odd ? DH_GRANULE >> __builtin_ctz(odd) : 1;
		if (add_part(n, p, every))
			n->rounds[i] = (uint8_t)every;
	}
	for (unsigned i = 0; i < n->tracks; i++)
		finish_track(&n->track[i]);
	leave_out_repeats(n);
}

/* Some rounds of all parts, from round `from` on. */
static void tell_some(struct plan *n, const struct dh_loop_part *part, unsigned count,
		      uintptr_t from, uintptr_t rounds)
{
	for (unsigned i = 0; i < n->tracks; i++) {
		const uintptr_t some = DH_MIN(rounds / n->every[i], n->left[i]);
		n->left[i] -= some;
		dh_track_rounds(&n->track[i], n->member, some, access_member);
	}
	for (unsigned i = 0; i < count; i++) {
		const unsigned whole = n->rounds[i];
		if (whole)
			one_by_one(&part[i], from + rounds - rounds % whole,
				   rounds % whole);
		else if (is_range(&part[i]))
			tell_range(&part[i], from, rounds);
		else
			one_by_one(&part[i], from, rounds);
	}
}

/* ---- loops that will not come to their end ---- */

/* Is there memory at its next round? Asked now and then in what is large: a loop that
 * runs into what is not there ends there, and so does what is told of it. */
static bool is_there(const struct dh_loop_part *p, uintptr_t from)
{
	enum { PAGE = 4096 };
	unsigned char page;
	const uintptr_t at = p->at + from * (uintptr_t)p->step;
	return dh_sys_resident((void *)(at & ~(uintptr_t)(PAGE - 1)), PAGE, &page);
}

/* How many of the rounds stay within what a program can have. */
static uintptr_t possible(const struct dh_loop_part *p, uintptr_t rounds)
{
	const uintptr_t top = DH_SHADOW_ASIDE - DH_GRANULE * 2;
	const uintptr_t way = way_of(p->step);
	if (p->at >= top)
		return 0;
	const uintptr_t room = (p->step < 0 ? p->at : top - p->at) / (way ? way : 1);
	return DH_MIN(rounds, room + 1);
}

/* ---- entry points ---- */

static void tell(const struct dh_loop_part *part, unsigned count, uintptr_t rounds)
{
	struct plan n;
	uintptr_t longest = 1, looked = 0;
	for (unsigned i = 0; i < count; i++) {
		longest = DH_MAX(longest, way_of(part[i].step));
		rounds = possible(&part[i], rounds);
	}
	make_plan(&n, part, count, rounds);
	const uintptr_t stretch = count == 1 ? AHEAD : STRETCH;
	const uintptr_t some =
	    DH_MAX((uintptr_t)LEAST, (stretch / longest) & ~(uintptr_t)7);
	for (uintptr_t from = 0; from < rounds; from += some) {
		if (DH_UNLIKELY((from - looked) * longest >= AHEAD)) {
			looked = from;
			for (unsigned i = 0; i < count; i++)
				if (!is_there(&part[i], from))
					return;
		}
		tell_some(&n, part, count, from, DH_MIN(some, rounds - from));
	}
}

/* Rounds within rounds: the longer way first, but that of neighbours before all. */
static void tell_nest(struct dh_loop_part p, uintptr_t rounds, uintptr_t times,
		      intptr_t by)
{
	const bool beside = by == (intptr_t)p.size || by == -(intptr_t)p.size;
	if (beside || (times > rounds && !is_range(&p))) {
		const uintptr_t n = times;
		const intptr_t step = by;
		times = rounds;
		by = p.step;
		rounds = n;
		p.step = step;
	}
	if (p.step && by == p.step * (intptr_t)rounds) {
		rounds *= times;
		times = 1;
	}
	for (uintptr_t looked = 0, told = 0; times; times--, p.at += (uintptr_t)by) {
		told += DH_MAX(way_of(by), rounds * p.size);
		if (DH_UNLIKELY(told - looked >= AHEAD)) {
			looked = told;
			if (!is_there(&p, 0))
				return;
		}
		tell(&p, 1, rounds);
	}
}

DH_EXPORT void __deadheat_loop_parts(const struct dh_loop_part *part, uintptr_t count,
				     uintptr_t rounds);
void __deadheat_loop_parts(const struct dh_loop_part *part, uintptr_t count,
			   uintptr_t rounds)
{
	if (dh_thread_self()->now)
		tell(part, (unsigned)count, rounds);
}

#define LOOP(kind, bytes)                                                                \
	DH_EXPORT void __deadheat_loop_##kind##bytes(uintptr_t at, uintptr_t rounds,     \
						     intptr_t step);                     \
	void __deadheat_loop_##kind##bytes(uintptr_t at, uintptr_t rounds,               \
					   intptr_t step)                                \
	{                                                                                \
		const struct dh_loop_part p = {DH_CALLER(), at, step, bytes,             \
					       #kind[0] == 'w'};                         \
		if (dh_thread_self()->now)                                               \
			tell(&p, 1, rounds);                                             \
	}                                                                                \
	DH_EXPORT void __deadheat_loop_nest_##kind##bytes(                               \
	    uintptr_t at, uintptr_t rounds, intptr_t step, uintptr_t times,              \
	    intptr_t by);                                                                \
	void __deadheat_loop_nest_##kind##bytes(                                         \
	    uintptr_t at, uintptr_t rounds, intptr_t step, uintptr_t times, intptr_t by) \
	{                                                                                \
		const struct dh_loop_part p = {DH_CALLER(), at, step, bytes,             \
					       #kind[0] == 'w'};                         \
		if (dh_thread_self()->now)                                               \
			tell_nest(p, rounds, times, by);                                 \
	}                                                                                \
	DH_EXPORT void __deadheat_loop_part_##kind##bytes(struct dh_loop_part *part,     \
							  uintptr_t at, intptr_t step);  \
	void __deadheat_loop_part_##kind##bytes(struct dh_loop_part *part, uintptr_t at, \
						intptr_t step)                           \
	{                                                                                \
		*part = (struct dh_loop_part){DH_CALLER(), at, step, bytes,              \
					      #kind[0] == 'w'};                          \
	}

LOOP(read, 1)
LOOP(read, 2)
LOOP(read, 4)
LOOP(read, 8)
LOOP(read, 16)
LOOP(write, 1)
LOOP(write, 2)
LOOP(write, 4)
LOOP(write, 8)
LOOP(write, 16)
