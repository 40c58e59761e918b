/* SPDX-License-Identifier: MIT */
/* Sets of thread segments as sorted arrays; see segments.h. */
#include "engines/segments.h"

/* Index of the first segment whose thread is not less. */
static size_t lower(const struct dh_segments *s, uint32_t thread)
{
	size_t lo = 0, hi = s->at.len;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->at.at[mid].thread < thread)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool dh_segments_reach(const struct dh_segments *s, uint32_t thread, uint32_t clock)
{
	size_t i = lower(s, thread);
	return i < s->at.len && s->at.at[i].thread == thread &&
	       s->at.at[i].clock >= clock;
}

void dh_segments_add(struct dh_segments *s, uint32_t thread, uint32_t clock)
{
	size_t i = lower(s, thread);
	if (i < s->at.len && s->at.at[i].thread == thread) {
		s->at.at[i].clock = DH_MAX(s->at.at[i].clock, clock);
		return;
	}
	dh_vec_grow(&s->at, s->at.len + 1);
	for (size_t j = s->at.len - 1; j > i; j--)
		s->at.at[j] = s->at.at[j - 1];
	s->at.at[i] = (struct dh_segment){thread, clock};
}

/* How many segments of other are of threads that s knows nothing of. On the way the
 * clocks of the others are raised. */
static size_t raise_common(struct dh_segments *s, const struct dh_segments *other,
			   uint32_t except)
{
	size_t missing = 0, i = 0;
	for (size_t j = 0; j < other->at.len; j++) {
		struct dh_segment o = other->at.at[j];
		while (i < s->at.len && s->at.at[i].thread < o.thread)
			i++;
		if (o.thread == except)
			continue;
		if (i == s->at.len || s->at.at[i].thread != o.thread)
			missing++;
		else if (s->at.at[i].clock < o.clock)
			s->at.at[i].clock = o.clock;
	}
	return missing;
}

void dh_segments_add_all(struct dh_segments *s, const struct dh_segments *other,
			 uint32_t except)
{
	size_t missing = raise_common(s, other, except);
	if (missing == 0)
		return;
	/* Merged from the back, so that nothing is overwritten before it has moved. */
	size_t i = s->at.len, j = other->at.len, to = s->at.len + missing;
	dh_vec_grow(&s->at, to);
	while (j > 0) {
		struct dh_segment o = other->at.at[j - 1];
		if (i > 0 && s->at.at[i - 1].thread >= o.thread) {
			j -= s->at.at[i - 1].thread == o.thread;
			s->at.at[--to] = s->at.at[--i];
		} else {
			j--;
			if (o.thread != except)
				s->at.at[--to] = o;
		}
	}
}

void dh_segments_free(struct dh_segments *s)
{
	dh_vec_free(&s->at);
}
