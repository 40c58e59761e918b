/* SPDX-License-Identifier: MIT */
/* See depend.h. */
#include "runtime/openmp/depend.h"
#include "runtime/observer.h"

static struct dh_omp_place *find(struct dh_omp_places *p, const void *address)
{
	const uint64_t *index = dh_map_get(&p->by_address, (uintptr_t)address);
	return index ? &p->at.at[*index] : NULL;
}

static struct dh_omp_place *find_or_make(struct dh_omp_places *p, const void *address)
{
	bool fresh;
	uint64_t *index = dh_map_put(&p->by_address, (uintptr_t)address, &fresh);
	if (fresh) {
		*index = p->at.len;
		dh_vec_push(&p->at, (struct dh_omp_place){0});
	}
	return &p->at.at[*index];
}

static void learn_out(const struct dh_omp_place *at, struct dh_self *t)
{
	if (at->out)
		dh_moment_learn(t, at->out);
	dh_clockset_learn(t, &at->fulfilled);
}

static void learn(const struct dh_omp_place *at, struct dh_self *t,
		  enum dh_omp_depend_kind kind)
{
	learn_out(at, t);
	if (kind != DH_OMP_IN)
		dh_clockset_learn(t, &at->ins);
	if (kind != DH_OMP_INOUTSET)
		dh_clockset_learn(t, &at->sets);
}

/* Engines have three messages for an address: those of outs, ins and sets. */
static uintptr_t message(const struct dh_omp_depend *d, enum dh_omp_depend_kind kind)
{
	return (uintptr_t)d->address + kind;
}

static void tell_engines(struct dh_self *t, const struct dh_omp_depend *d)
{
	dh_saw(t, DH_SEEN_RECEIVE, message(d, DH_OMP_OUT), 0);
	if (d->kind != DH_OMP_IN)
		dh_saw(t, DH_SEEN_RECEIVE, message(d, DH_OMP_IN), 0);
	if (d->kind != DH_OMP_INOUTSET)
		dh_saw(t, DH_SEEN_RECEIVE, message(d, DH_OMP_INOUTSET), 0);
}

static bool all_memory(const struct dh_omp_depend *d)
{
	return !d->address && d->kind == DH_OMP_OUT;
}

void dh_omp_places_learn(struct dh_omp_places *p, struct dh_self *t,
			 const struct dh_omp_depend *depend, size_t depends)
{
	const struct dh_omp_place *at = depends ? find(p, NULL) : NULL;
	if (at)
		learn_out(at, t);
	for (size_t i = 0; i < depends; i++) {
		for (size_t k = 0; all_memory(&depend[i]) && k < p->at.len; k++)
			learn(&p->at.at[k], t, DH_OMP_OUT);
		if ((at = find(p, depend[i].address)))
			learn(at, t, depend[i].kind);
		tell_engines(t, &depend[i]);
	}
}

/* Rather that of the task whose work this one goes on with. */
struct dh_strand *dh_omp_places_claim(struct dh_omp_places *p,
				      const struct dh_omp_depend *depend, size_t depends)
{
	for (int ins = 0; ins < 2; ins++) {
		for (size_t i = 0; i < depends; i++) {
			const struct dh_omp_place *at = find(p, depend[i].address);
			if ((depend[i].kind == DH_OMP_IN) == ins && at && at->by &&
			    dh_strand_claim(at->by, at->out))
				return at->by;
		}
	}
	return NULL;
}

static void forget(struct dh_omp_place *at)
{
	dh_moment_drop(at->out);
	dh_clockset_free(&at->ins);
	dh_clockset_free(&at->sets);
	dh_clockset_free(&at->fulfilled);
	at->out = NULL;
	at->by = NULL;
}

static void join(struct dh_clockset *c, const struct dh_moment *m)
{
	const struct dh_clockset from = {.at = (uint32_t *)m->at, .len = m->len};
	dh_clockset_merge(c, &from);
}

static void put(struct dh_omp_places *p, struct dh_moment *end, struct dh_strand *s,
		const struct dh_omp_depend *d, bool late)
{
	for (size_t k = 0; all_memory(d) && !late && k < p->at.len; k++)
		forget(&p->at.at[k]);
	struct dh_omp_place *at = find_or_make(p, d->address);
	if (d->kind == DH_OMP_IN) {
		join(&at->ins, end);
	} else if (d->kind == DH_OMP_INOUTSET) {
		join(&at->sets, end);
	} else if (late) {
		join(&at->fulfilled, end);
	} else {
		__atomic_fetch_add(&end->refs, 1, __ATOMIC_RELAXED);
		forget(at);
		at->out = end;
		at->by = s;
	}
}

void dh_omp_places_put(struct dh_omp_places *p, struct dh_self *t, struct dh_strand *s,
		       const struct dh_omp_depend *depend, size_t depends, bool late)
{
	struct dh_moment *now = dh_moment_now(t);
	for (size_t i = 0; i < depends; i++) {
		dh_saw(t, DH_SEEN_SEND, message(&depend[i], depend[i].kind), 0);
		put(p, now, s, &depend[i], late);
	}
	dh_moment_drop(now);
}

void dh_omp_places_free(struct dh_omp_places *p)
{
	for (size_t i = 0; i < p->at.len; i++)
		forget(&p->at.at[i]);
	dh_vec_free(&p->at);
	dh_map_free(&p->by_address);
}
