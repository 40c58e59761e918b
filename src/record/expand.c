/* SPDX-License-Identifier: MIT */
/* See expand.h. */
#include "record/expand.h"

#include "base/mem.h"
#include "runtime/observer.h"

void dh_expand_free(struct dh_expand *e)
{
	for (size_t i = 0; i < e->threads.cap; i++)
		if (e->threads.used[i])
			dh_mem_free((void *)(uintptr_t)e->threads.slots[i].value,
				    sizeof(struct dh_foresight));
	dh_map_free(&e->threads);
}

static struct dh_foresight *foresight_of(struct dh_expand *e, uint32_t thread)
{
	bool fresh;
	if (DH_LIKELY(e->last && e->thread == thread))
		return e->last;
	uint64_t *at = dh_map_put(&e->threads, thread, &fresh);
	if (fresh)
		*at = (uintptr_t)dh_mem_alloc(sizeof(struct dh_foresight));
	e->thread = thread;
	e->last = (struct dh_foresight *)(uintptr_t)*at;
	return e->last;
}

/* A thread that has ended starts over, should there be more of it. */
static void forget_ended(struct dh_expand *e, uint32_t thread, const struct dh_raw *r)
{
	if (dh_raw_kind(r) != DH_RAW_SYNC || dh_raw_byte(r) != DH_SEEN_END)
		return;
	dh_mem_free(foresight_of(e, thread), sizeof(struct dh_foresight));
	dh_map_remove(&e->threads, thread);
	e->last = NULL;
}

void dh_expand_learn(struct dh_expand *e, uint32_t thread, const struct dh_raw *r)
{
	if (dh_raw_has_payload(dh_raw_kind(r)))
		return;
	dh_foresight_learn(foresight_of(e, thread), r->head, r->object);
	forget_ended(e, thread, r);
}

struct dh_raw dh_expand_take(struct dh_expand *e, uint32_t thread)
{
	struct dh_raw r = dh_foresight_take(foresight_of(e, thread));
	forget_ended(e, thread, &r);
	return r;
}
