/* SPDX-License-Identifier: MIT */
/* See family.h. A place that is taken stays so: of what tasks read one after the other,
 * the first has the record. */
#include "runtime/openmp/family.h"
#include "runtime/openmp/spare.h"
#include "runtime/slots.h"

struct dh_family *dh_family_join(struct dh_family **place)
{
	if (!*place) {
		*place = dh_spare_alloc(DH_SPARE_FAMILY, sizeof **place);
		(*place)->refs = 1;
	}
	__atomic_fetch_add(&(*place)->refs, 1, __ATOMIC_RELAXED);
	return *place;
}

void dh_family_drop(struct dh_family **place)
{
	struct dh_family *f = *place;
	*place = NULL;
	if (f && __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL) == 0)
		dh_spare_free(DH_SPARE_FAMILY, f, sizeof *f);
}

static void enter(struct dh_kin *kin, uint64_t frames)
{
	uint64_t *at = &kin->at[dh_kin_place(frames)];
	if (!__atomic_load_n(at, __ATOMIC_RELAXED))
		__atomic_store_n(at, frames, __ATOMIC_RELEASE);
}

void dh_family_enter(struct dh_family *f, uint64_t first, uint64_t last, bool common)
{
	if (!dh_record_same_slot(first, last) || last < first)
		return;
	uint64_t more = (last - first) >> DH_CLOCK_SHIFT;
	if (!common)
		enter(&f->of_own, first | more);
	enter(&f->of_all, first | more);
}

const struct dh_kin *dh_family_kin(const struct dh_family *f, bool common)
{
	if (!f || __atomic_load_n(&dh_slots_vague, __ATOMIC_RELAXED))
		return NULL;
	return common ? &f->of_all : &f->of_own;
}
