/* SPDX-License-Identifier: MIT */
/* Relations and pairs by brute force; see naive.h. */
#include "naive.h"

#include <string.h>

/* ---- facts about single events ---- */

/* A leave belongs to the episode that its thread entered, or to the barrier's
 * current one where it entered none. The first leave closes an episode, the next
 * enter opens a new one. */
static void number_episodes(struct naive *n)
{
	uint32_t episodes = 0;
	uint32_t current[WORLD_BARRIERS] = {0};
	bool closed[WORLD_EVENTS + 1] = {false};
	uint32_t entered[WORLD_THREADS][WORLD_BARRIERS] = {{0}};
	for (uint32_t i = 0; i < n->trace->count; i++) {
		const struct dh_event *ev = &n->trace->at[i];
		if (ev->op == DH_BARRIER_ENTER) {
			uint32_t *now = &current[ev->target];
			if (*now == 0 || closed[*now])
				*now = ++episodes;
			n->episode[i] = entered[ev->thread][ev->target] = *now;
		} else if (ev->op == DH_BARRIER_LEAVE) {
			uint32_t e = entered[ev->thread][ev->target];
			entered[ev->thread][ev->target] = 0;
			n->episode[i] = e ? e : current[ev->target];
			n->closes[i] = !closed[n->episode[i]];
			closed[n->episode[i]] = true;
		}
	}
}

static bool releases(const struct dh_event *ev)
{
	switch ((enum dh_op)ev->op) {
	case DH_RELEASE:
	case DH_READ_RELEASE:
	case DH_FORK:
	case DH_SEND:
	case DH_BARRIER_ENTER:
	case DH_VOLATILE_WRITE:
		return !ev->nested;
	default:
		return false;
	}
}

static void number_frames(struct naive *n)
{
	for (uint32_t j = 0; j < n->trace->count; j++)
		for (uint32_t i = 0; i < j; i++)
			n->frame[j] += n->trace->at[i].thread == n->trace->at[j].thread &&
				       releases(&n->trace->at[i]);
}

static void number_incarnations(struct naive *n)
{
	for (uint32_t j = 0; j < n->trace->count; j++)
		for (uint32_t i = 0; i < j; i++)
			n->incarnation[j] +=
			    n->trace->at[i].op == DH_ALLOC &&
			    n->trace->at[i].target == n->trace->at[j].target;
}

/* Eraser's rule: read mode protects reads only. */
static void find_locks(struct naive *n)
{
	lockbits write[WORLD_THREADS] = {0}, read[WORLD_THREADS] = {0};
	for (uint32_t i = 0; i < n->trace->count; i++) {
		const struct dh_event *ev = &n->trace->at[i];
		uint32_t t = ev->thread;
		if (dh_op_is_access(ev->op))
			n->locks[i] = ev->op == DH_WRITE ? write[t] : write[t] | read[t];
		if (ev->nested)
			continue;
		if (ev->op == DH_ACQUIRE)
			write[t] |= (lockbits)1 << ev->target;
		else if (ev->op == DH_RELEASE)
			write[t] &= ~((lockbits)1 << ev->target);
		else if (ev->op == DH_READ_ACQUIRE)
			read[t] |= (lockbits)1 << ev->target;
		else if (ev->op == DH_READ_RELEASE)
			read[t] &= ~((lockbits)1 << ev->target);
	}
}

/* ---- the relations ---- */

static bool lock_edge(const struct dh_event *a, const struct dh_event *b)
{
	if (a->nested || b->nested || a->target != b->target)
		return false;
	if (b->op == DH_ACQUIRE)
		return a->op == DH_RELEASE || a->op == DH_READ_RELEASE;
	return b->op == DH_READ_ACQUIRE && a->op == DH_RELEASE;
}

/* Is there an edge from i to the later event j? A thread without events still
 * carries order from its fork to its join. */
static bool edge(const struct naive *n, enum naive_relation r, uint32_t i, uint32_t j)
{
	const struct dh_event *a = &n->trace->at[i], *b = &n->trace->at[j];
	if (a->thread == b->thread)
		return true;
	if (a->op == DH_FORK && a->target == b->thread)
		return true;
	if (b->op == DH_JOIN && b->target == a->thread)
		return true;
	if (a->op == DH_FORK && b->op == DH_JOIN && a->target == b->target)
		return true;
	if (a->op == DH_SEND && b->op == DH_RECEIVE && a->target == b->target)
		return true;
	if (a->op == DH_VOLATILE_WRITE && b->op == DH_VOLATILE_READ &&
	    a->target == b->target)
		return true;
	if (a->op == DH_BARRIER_ENTER && b->op == DH_BARRIER_LEAVE)
		return n->episode[i] == n->episode[j];
	return r == NAIVE_STRONG && lock_edge(a, b);
}

/* Edges lead forward in the trace, so one pass in its order closes the relation. */
static void close_relation(struct naive *n, enum naive_relation r)
{
	for (uint32_t j = 0; j < n->trace->count; j++) {
		for (uint32_t i = 0; i < j; i++) {
			if (!edge(n, r, i, j))
				continue;
			n->before[r][j][i / 64] |= (uint64_t)1 << i % 64;
			for (uint32_t k = 0; k < WORLD_EVENTS / 64; k++)
				n->before[r][j][k] |= n->before[r][i][k];
		}
	}
}

void naive_build(struct naive *n, const struct trace *t)
{
	memset(n, 0, sizeof *n);
	n->trace = t;
	number_episodes(n);
	number_frames(n);
	number_incarnations(n);
	find_locks(n);
	close_relation(n, NAIVE_STRONG);
	close_relation(n, NAIVE_WEAK);
}

/* ---- pairs ---- */

bool naive_before(const struct naive *n, enum naive_relation r, uint32_t i, uint32_t j)
{
	return n->before[r][j][i / 64] >> i % 64 & 1;
}

bool naive_meet(const struct naive *n, uint32_t i, uint32_t j)
{
	const struct dh_event *a = &n->trace->at[i], *b = &n->trace->at[j];
	return i < j && dh_op_is_access(a->op) && dh_op_is_access(b->op) &&
	       a->target == b->target && a->thread != b->thread &&
	       n->incarnation[i] == n->incarnation[j];
}

bool naive_conflict(const struct naive *n, uint32_t i, uint32_t j)
{
	return naive_meet(n, i, j) &&
	       (n->trace->at[i].op == DH_WRITE || n->trace->at[j].op == DH_WRITE);
}

bool naive_race(const struct naive *n, enum naive_relation r, uint32_t i, uint32_t j)
{
	return naive_conflict(n, i, j) && !naive_before(n, r, i, j);
}

static bool ends_race(const struct naive *n, uint32_t j)
{
	for (uint32_t i = 0; i < j; i++)
		if (naive_race(n, NAIVE_STRONG, i, j))
			return true;
	return false;
}

void naive_earliest(const struct naive *n, struct verdicts *v)
{
	v->count = 0;
	for (uint32_t j = 0; j < n->trace->count; j++) {
		if (!naive_is_access(n, j) || !ends_race(n, j))
			continue;
		uint32_t var = n->trace->at[j].target;
		bool known = false;
		for (uint32_t k = 0; k < v->count; k++)
			known |= v->at[k].var == var &&
				 n->incarnation[v->at[k].second] == n->incarnation[j];
		if (!known)
			v->at[v->count++] = (struct verdict){var, j, true};
	}
}
