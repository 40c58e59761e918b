/* SPDX-License-Identifier: MIT */
/*
 * Span redundancy (Fast and precise on-the-fly data race detection, section 3.6): of
 * the accesses of a thread to a variable between two outgoing edges of strong order,
 * the first of each kind is enough, and after a write no read is needed.
 *
 * Why. Let e come before e' in one span, e of the same kind or a write, and let e'
 * race with k. k is not before e' so not before e; and as the thread has published
 * nothing between the two, e before k would be e' before k. So e races with k, and
 * the later of e and k comes before e': strong engines find the same variables, each
 * at the same earliest second access. The locations may be others: k is paired with
 * e's, not with that of e'. Engines that judge by locksets need all accesses.
 *
 * A span is a value of know[DH_STRONG].published. alloc starts a variable over.
 */
#include "event/filter.h"
#include "filters/recall.h"
#include "event/stream.h"

enum { DEFAULT_LIMIT = 1 << 20 };

struct span {
	struct dh_filter filter;
	struct dh_recalls recalls;	     /* by variable, thread and kind */
	struct dh_vec(uint32_t) generations; /* by variable */
	uint64_t span;
	uint64_t histories;
	uint64_t evicted;
};

/* Has t made such an access in its span? */
static bool is_covered(const struct span *s, const struct dh_thread *t, uint32_t var,
		       bool write)
{
	struct dh_recall_key key = {.var = var, .who = dh_recall_who(t->party.id, write)};
	struct dh_recall *h = dh_recall_find(&s->recalls, &key);
	if (!h || h->frame != t->party.know[DH_STRONG].published ||
	    h->generation != s->generations.at[var])
		return false;
	h->recent = 1;
	return true;
}

static void remember(struct span *s, const struct dh_thread *t, const struct dh_access *a)
{
	struct dh_recall_key key = {.var = a->var,
				    .who = dh_recall_who(t->party.id, a->write)};
	size_t limit = s->filter.limit ? s->filter.limit : DEFAULT_LIMIT;
	struct dh_recall *h = dh_recall_find(&s->recalls, &key);
	if (!h) {
		while (s->recalls.len >= limit) {
			dh_recall_remove(&s->recalls, dh_recall_victim(&s->recalls));
			s->evicted++;
		}
		h = dh_recall_put(&s->recalls, &key);
		s->histories = s->recalls.len;
	}
	h->frame = t->party.know[DH_STRONG].published;
	h->generation = s->generations.at[a->var];
}

static bool span_access(struct dh_filter *f, struct dh_thread *t,
			const struct dh_access *a)
{
	struct span *s = (struct span *)f;
	f->seen++;
	dh_vec_grow(&s->generations, (size_t)a->var + 1);
	if (is_covered(s, t, a->var, a->write) ||
	    (!a->write && is_covered(s, t, a->var, true))) {
		f->dropped++;
		s->span++;
		return false;
	}
	remember(s, t, a);
	return true;
}

static void span_before(struct dh_filter *f, struct dh_thread *t,
			const struct dh_event *ev)
{
	(void)t;
	struct span *s = (struct span *)f;
	if (ev->op != DH_ALLOC)
		return;
	dh_vec_grow(&s->generations, (size_t)ev->target + 1);
	s->generations.at[ev->target]++;
}

static void span_fini(struct dh_filter *f)
{
	struct span *s = (struct span *)f;
	dh_recalls_free(&s->recalls);
	dh_vec_free(&s->generations);
}

static const struct dh_counter counters[] = {
    {"filter_seen", offsetof(struct span, filter.seen)},
    {"filter_dropped", offsetof(struct span, filter.dropped)},
    {"span", offsetof(struct span, span)},
    {"histories", offsetof(struct span, histories)},
    {"evicted", offsetof(struct span, evicted)},
    {NULL, 0},
};

extern const struct dh_filter_ops dh_filter_span;
const struct dh_filter_ops dh_filter_span = {
    .name = "span",
    .summary = "drops repeated accesses of a thread to a variable in one time frame",
    .guarantees = "strong engines find the same variables, each at the same earliest "
		  "second access",
    .misses = "pairs of locations; not for engines that judge by locksets",
    .needs = DH_NEEDS_STRONG,
    .size = sizeof(struct span),
    .counters = counters,
    .fini = span_fini,
    .access = span_access,
    .before = span_before,
};
