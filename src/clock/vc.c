/* SPDX-License-Identifier: MIT */
/* Copy-on-write vector clocks; see vc.h. */
#include "clock/vc.h"
#include "base/mem.h"

static size_t bytes(uint32_t cap)
{
	return sizeof(struct dh_vc) + (size_t)cap * sizeof(uint32_t);
}

static struct dh_vc *make(uint32_t cap)
{
	struct dh_vc *v = dh_mem_alloc(bytes(cap));
	v->refs = 1;
	v->cap = cap;
	return v;
}

void dh_vc_unref(struct dh_vc *v)
{
	if (v && --v->refs == 0)
		dh_mem_free(v, bytes(v->cap));
}

/* Makes *v ours alone, with room for len entries, and at least that long. */
static struct dh_vc *own(struct dh_vc **v, uint32_t len)
{
	struct dh_vc *old = *v;
	if (old && old->refs == 1 && old->cap >= len) {
		old->len = DH_MAX(old->len, len);
		return old;
	}
	uint32_t have = old ? old->len : 0;
	uint32_t want = DH_MAX(len, have);
	struct dh_vc *fresh = make((uint32_t)dh_pow2(DH_MAX(want, 4u)));
	if (have)
		dh_copy(fresh->clock, old->clock, have * sizeof(uint32_t));
	fresh->len = want;
	dh_vc_unref(old);
	return *v = fresh;
}

void dh_vc_set(struct dh_vc **v, uint32_t slot, uint32_t clock)
{
	if (dh_vc_get(*v, slot) != clock)
		own(v, slot + 1)->clock[slot] = clock;
}

bool dh_vc_leq(const struct dh_vc *a, const struct dh_vc *b)
{
	if (!a || a == b)
		return true;
	uint32_t blen = b ? b->len : 0;
	uint32_t common = DH_MIN(a->len, blen);
	uint32_t above = 0;
	for (uint32_t i = 0; i < common; i++)
		above |= a->clock[i] > b->clock[i];
	for (uint32_t i = common; i < a->len; i++)
		above |= a->clock[i] != 0;
	return above == 0;
}

bool dh_vc_join(struct dh_vc **v, struct dh_vc *with)
{
	if (dh_vc_leq(with, *v))
		return false;
	if (dh_vc_leq(*v, with)) {
		struct dh_vc *old = *v;
		*v = dh_vc_ref(with);
		dh_vc_unref(old);
		return true;
	}
	struct dh_vc *to = own(v, with->len);
	for (uint32_t i = 0; i < with->len; i++)
		to->clock[i] = DH_MAX(to->clock[i], with->clock[i]);
	return true;
}

uint32_t dh_vc_count(const struct dh_vc *v)
{
	uint32_t n = 0;
	for (uint32_t i = 0; v && i < v->len; i++)
		n += v->clock[i] != 0;
	return n;
}
