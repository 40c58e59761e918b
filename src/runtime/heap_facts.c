/* SPDX-License-Identifier: MIT */
/* Facts of blocks whose kind is not where it is looked for first; see heap_facts.h. */
#include "runtime/heap_facts.h"
#include "base/mem.h"

enum { TRIES = 8 }; /* places that a kind may have */

/* The number of a kind, which gets one if there is place; DH_BRIEF_KIND if not. */
static uint32_t number_of(struct dh_slab *s, uint64_t kind)
{
	uint32_t at = dh_kind_place(s, kind);
	for (unsigned i = 0; i < TRIES; i++, at = (at + 1) & (s->kinds - 1u)) {
		uint64_t there = __atomic_load_n(&s->facts[at], __ATOMIC_RELAXED);
		if (!there)
			__atomic_compare_exchange_n(&s->facts[at], &there, kind, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		if (!there || there == kind)
			return at + 1;
	}
	return DH_BRIEF_KIND;
}

static uint64_t *words_of(struct dh_slab *s)
{
	uint64_t *have = __atomic_load_n(&s->whole, __ATOMIC_ACQUIRE);
	if (have)
		return have;
	size_t size = s->blocks * sizeof *have;
	uint64_t *fresh = dh_mem_alloc(size);
	if (__atomic_compare_exchange_n(&s->whole, &have, fresh, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return fresh;
	dh_mem_free(fresh, size);
	return have;
}

DH_NOINLINE void dh_facts_set_slow(struct dh_slab *s, uint64_t index, uint64_t facts)
{
	uint64_t kind = facts & ~DH_FACT_SIZE_FIELD;
	uint32_t spare = dh_facts_spare(s, facts), number = spare <= DH_BRIEF_SPARE_MAX
								? number_of(s, kind)
								: DH_BRIEF_KIND;
	if (number == DH_BRIEF_KIND) {
		__atomic_store_n(&words_of(s)[index], facts, __ATOMIC_RELEASE);
		spare = 0;
	}
	__atomic_store_n(&dh_slab_briefs(s)[index], dh_brief_of(number, spare),
			 __ATOMIC_RELEASE);
}
