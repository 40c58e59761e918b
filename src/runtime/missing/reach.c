/* SPDX-License-Identifier: MIT */
/*
 * See reach.h. A search in the order of distance, over objects (objects.h) and the
 * addresses that lie in them.
 *
 * Known objects are kept by where they begin, with the words that led somewhere when they
 * were last looked at, and when that was. Where these words lead is asked anew each time:
 * what they pointed to may be gone. With the option missing-afresh nothing is kept, and
 * since no time passes then (dh_stamp_now stays 0) writes are not stamped either.
 */
#include "runtime/missing/reach.h"
#include "base/lock.h"
#include "base/map.h"
#include "runtime/flags.h"
#include "runtime/missing/objects.h"

enum {
	KNOWN_MOST = 1 << 16, /* objects; beyond, all are forgotten */
	PAGE = 4096,
};

struct words dh_vec(uint64_t);

struct known {
	size_t size;
	uint32_t looked; /* when; 0: never */
	struct words out;
};

static struct dh_vec(struct known) known; /* under the lock, as is all that follows */
static struct dh_map by_start;		  /* place in it */
static struct dh_reach_stats stats;
static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);

/* ---- looking at an object ---- */

/* One search. */
struct search {
	struct dh_looking looking;
	struct dh_vec(struct dh_object) found;
	struct dh_map seen;   /* starts of what is in it */
	struct words passing; /* what an object that is not kept leads to */
	bool capped;
};

static void note_words(const uint64_t *at, size_t count, struct words *to)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t word = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
		if (dh_may_point(word))
			dh_vec_push(to, word);
	}
}

/* Can it be read here and now? What lies on pages of its own may have been made
 * inaccessible by the program, or be given back to the system by another thread; guesses
 * may be wrong, but not about the page that the thread's stack pointer is in. */
static bool is_at_hand(const struct search *s, const struct dh_object *o, uintptr_t at)
{
	return o->whole ? o->size < PAGE
			: at >= s->looking.sp && at / PAGE == s->looking.sp / PAGE;
}

/* Page by page; what is not at hand is copied by the kernel. */
static void look(struct search *s, const struct dh_object *o, struct words *to)
{
	static uint64_t buffer[PAGE / sizeof(uint64_t)]; /* under the lock */
	uintptr_t at = (o->start + 7) & ~(uintptr_t)7, end = o->start + o->size;
	if (o->size > DH_REACH_SCAN) {
		end = o->start + DH_REACH_SCAN;
		s->capped = true;
	}
	to->len = 0;
	stats.scans++;
	for (size_t n; at + 8 <= end; at += n) {
		n = DH_MIN(end - at, PAGE - at % PAGE) & ~(size_t)7;
		if (is_at_hand(s, o, at))
			note_words((const uint64_t *)at, n / 8, to);
		else if (dh_peek(at, buffer, n))
			note_words(buffer, n / 8, to);
	}
}

/* ---- what is known ---- */

static void forget_all(void)
{
	for (size_t i = 0; i < known.len; i++)
		dh_vec_free(&known.at[i].out);
	known.len = 0;
	dh_map_free(&by_start);
}

static size_t known_index(uintptr_t start)
{
	bool fresh;
	if (known.len >= KNOWN_MOST)
		forget_all();
	uint64_t *at = dh_map_put(&by_start, start, &fresh);
	if (fresh) {
		*at = known.len;
		dh_vec_push(&known, (struct known){0});
	}
	return *at;
}

static bool unchanged_since(const struct dh_object *o, uint32_t when)
{
	uintptr_t last = (o->start + o->size - 1) >> DH_STAMP_LINE_BITS;
	for (uintptr_t line = o->start >> DH_STAMP_LINE_BITS; line <= last; line++)
		if (__atomic_load_n(dh_stamp_of(line), __ATOMIC_RELAXED) >= when)
			return false;
	return true;
}

static uint32_t next_time(void)
{
	uint32_t now = __atomic_add_fetch(&dh_stamp_now, 1, __ATOMIC_SEQ_CST);
	if (DH_UNLIKELY(now == UINT32_MAX)) { /* all stamps begin anew */
		forget_all();
		dh_zero(dh_stamps, sizeof dh_stamps);
		__atomic_store_n(&dh_stamp_now, now = 1, __ATOMIC_SEQ_CST);
	}
	return now;
}

/* Words in the object that lead somewhere. Valid until the next call. */
static const struct words *words_of(struct search *s, const struct dh_object *o,
				    bool afresh)
{
	if (!o->whole || dh_flags.missing_afresh) {
		look(s, o, &s->passing);
		return &s->passing;
	}
	size_t at = known_index(o->start);
	struct known *k = &known.at[at];
	if (k->looked && k->size == o->size && !(afresh && o->size <= DH_REACH_FRESH) &&
	    unchanged_since(o, k->looked)) {
		stats.recalled++;
		return &k->out;
	}
	k->size = o->size;
	k->looked = next_time();
	look(s, o, &k->out);
	return &k->out;
}

/* ---- the search ---- */

static void add(struct search *s, const struct dh_object *o)
{
	bool fresh;
	dh_map_put(&s->seen, o->start, &fresh);
	if (!fresh)
		return;
	if (s->found.len < dh_flags.missing_cap)
		dh_vec_push(&s->found, *o);
	else
		s->capped = true;
}

static void add_word(struct search *s, uint64_t word, bool only_whole)
{
	struct dh_object o;
	if (dh_object_at(&s->looking, word, only_whole, &o))
		add(s, &o);
}

static void follow(struct search *s, size_t i, bool afresh)
{
	struct dh_object o = s->found.at[i];
	const struct words *w = words_of(s, &o, afresh);
	for (size_t k = 0; k < w->len; k++)
		add_word(s, w->at[k], !o.whole);
}

static void search_from(struct search *s, const uint64_t *words, size_t count,
			const struct dh_reach *more)
{
	for (size_t i = 0; i < count; i++)
		add_word(s, words[i], false);
	for (size_t i = 0; more && i < more->len; i++)
		add(s, &(struct dh_object){more->at[i].start, more->at[i].size, false});
	size_t given = s->found.len;
	for (size_t i = 0; i < s->found.len; i++)
		follow(s, i, i < given);
	stats.objects += s->found.len;
	stats.capped += s->capped || s->looking.refused;
}

void dh_reach_from(struct dh_self *t, uintptr_t sp, const uint64_t *words, size_t count,
		   const struct dh_reach *more, struct dh_reach *out)
{
	struct search s = {.looking = {.t = t, .sp = sp, .asks = DH_REACH_ASK}};
	dh_lock(&lock);
	search_from(&s, words, count, more);
	dh_unlock(&lock);
	out->len = 0;
	for (size_t i = 0; i < s.found.len; i++)
		dh_vec_push(out,
			    (struct dh_reached){s.found.at[i].start, s.found.at[i].size});
	dh_vec_free(&s.found);
	dh_map_free(&s.seen);
	dh_vec_free(&s.passing);
}

void dh_reach_get_stats(struct dh_reach_stats *s)
{
	dh_lock(&lock);
	*s = stats;
	dh_unlock(&lock);
}
