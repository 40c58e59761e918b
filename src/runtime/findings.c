/* SPDX-License-Identifier: MIT */
/* See findings.h. Findings are kept in a row, and found by a hash of what they are on;
 * those with the same hash form a chain, the latest first. */
#include "runtime/findings.h"
#include "base/map.h"
#include "report/wire.h"
#include "runtime/flags.h"
#include "runtime/modules.h"
#include "runtime/race.h"

enum { SMALL_BLOCK = 4096 };

struct finding {
	uint64_t serial;
	uint32_t before; /* the next of the chain: its number; 0: none */
	uint8_t grade;	 /* enum dh_wire_grade */
	uint8_t mask;	 /* bytes of the granule */
	uint32_t count;
	uint32_t sites[DH_FINDING_PLACES];
};

static struct dh_vec(struct finding) findings; /* their numbers are from 1 */
static struct dh_map variables;		       /* hash to the number of the latest */
static uint64_t distinct, counting, left_out;  /* atomic */

static void add(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static uint64_t get(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* ---- what it is on ---- */

struct variable {
	uint64_t hash;
	uint8_t mask;
	bool kept; /* nobody can have put it to another use; else a place has to say so */
};

static struct variable variable_of(const struct dh_race_facts *f)
{
	unsigned first = f->address & 7, flags = f->first.flags | f->second.flags;
	uint64_t granule = f->address & ~(uintptr_t)7;
	struct variable v = {.mask =
				 (uint8_t)(((1u << DH_MIN(f->size, 8u)) - 1) << first)};
	v.hash = flags & (DH_WIRE_FREE | DH_WIRE_SUSPENDED);
	if (f->in_heap && f->block.size <= SMALL_BLOCK && f->block.alloc_site) {
		v.kept = true;
		v.hash = dh_mix(v.hash ^ (granule - f->block.base));
		v.hash = dh_mix(v.hash ^ f->block.size);
		v.hash = dh_mix(v.hash ^ ((uint64_t)f->block.alloc_site << 32));
	} else {
		v.kept = !f->in_heap && !f->stack_owner && dh_modules_find(f->address);
		v.hash = dh_mix(v.hash ^ granule);
	}
	return v;
}

/* ---- its places ---- */

static bool has(const struct finding *g, uint32_t site)
{
	for (uint32_t i = 0; i < g->count; i++)
		if (g->sites[i] == site)
			return true;
	return false;
}

/* Adds the place, unless it is there or nothing is known of it. True where it was. */
static bool add_place(struct finding *g, uint32_t site)
{
	if (site == DH_SITE_UNKNOWN || has(g, site))
		return false;
	if (g->count == DH_FINDING_PLACES) {
		add(&left_out);
		return false;
	}
	g->sites[g->count++] = site;
	return true;
}

/* The finding that the race adds to; NULL where there is none. */
static struct finding *find(const struct variable *v, const struct dh_race_facts *f)
{
	const uint64_t *latest = dh_map_get(&variables, v->hash);
	for (uint32_t i = latest ? (uint32_t)*latest : 0; i;
	     i = findings.at[i - 1].before) {
		struct finding *g = &findings.at[i - 1];
		if ((g->mask & v->mask) && g->grade <= f->grade &&
		    (v->kept || has(g, f->second.site) || has(g, f->first.site)))
			return g;
	}
	return NULL;
}

static void begin(const struct variable *v, const struct dh_race_facts *f)
{
	uint64_t *latest = dh_map_put(&variables, v->hash, NULL);
	struct finding g = {.serial = f->serial,
			    .before = (uint32_t)*latest,
			    .grade = (uint8_t)f->grade,
			    .mask = v->mask};
	add_place(&g, f->second.site);
	add_place(&g, f->first.site);
	dh_vec_push(&findings, g);
	*latest = findings.len;
}

/* ---- races ---- */

bool dh_findings_by_variable(void)
{
	return dh_flags.findings == DH_FINDINGS_VARIABLE ||
	       (dh_flags.findings == DH_FINDINGS_AUTO &&
		dh_flags.engine == DH_ENGINE_RACETRACK);
}

enum dh_race_part dh_findings_place(struct dh_race_facts *f)
{
	struct variable v = {0};
	struct finding *g = NULL;
	if (dh_findings_by_variable()) {
		v = variable_of(f);
		g = find(&v, f);
	}
	if (g) {
		bool more = add_place(g, f->second.site);
		more |= add_place(g, f->first.site);
		f->serial = g->serial;
		return more ? DH_RACE_FURTHER : DH_RACE_TOLD;
	}
	f->serial = get(&distinct) + 1;
	add(&distinct);
	if (dh_race_counts(f))
		add(&counting);
	if (dh_findings_by_variable())
		begin(&v, f);
	return DH_RACE_NEW;
}

uint64_t dh_findings_distinct(void)
{
	return get(&distinct);
}

uint64_t dh_findings_counting(void)
{
	return get(&counting);
}

uint64_t dh_findings_left_out(void)
{
	return get(&left_out);
}

void dh_findings_forget(void)
{
	distinct = counting = left_out = 0;
	dh_vec_free(&findings);
	dh_map_free(&variables);
}
