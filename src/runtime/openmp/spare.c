/* SPDX-License-Identifier: MIT */
/* See spare.h. Of each kind one size is kept, that of the first one given back. */
#include "runtime/openmp/spare.h"
#include "base/mem.h"

enum { MOST = 16 }; /* of a kind */

/* What is kept is linked by its first word. */
struct block {
	struct block *next;
};

static __thread struct kept {
	struct block *first;
	uint32_t size, count;
} kept[DH_SPARE_KINDS] __attribute__((tls_model("initial-exec")));

static void *take(enum dh_spare kind, size_t size)
{
	struct kept *k = &kept[kind];
	struct block *b = k->first;
	if (!b || k->size != size)
		return NULL;
	k->first = b->next;
	k->count--;
	return b;
}

void *dh_spare_alloc(enum dh_spare kind, size_t size)
{
	void *block = take(kind, size);
	if (!block)
		return dh_mem_alloc(size);
	dh_zero(block, size);
	return block;
}

void *dh_spare_get(enum dh_spare kind, size_t size)
{
	void *block = take(kind, size);
	return block ? block : dh_mem_alloc(size);
}

static void empty(struct kept *k)
{
	for (struct block *b; (b = k->first); dh_mem_free(b, k->size))
		k->first = b->next;
	k->count = 0;
}

void dh_spare_free(enum dh_spare kind, void *block, size_t size)
{
	struct kept *k = &kept[kind];
	struct block *b = block;
	if (k->size != size) {
		empty(k);
		k->size = (uint32_t)size;
	}
	if (k->count == MOST) {
		dh_mem_free(block, size);
		return;
	}
	b->next = k->first;
	k->first = b;
	k->count++;
}

void dh_spare_rest(void)
{
	for (int i = 0; i < DH_SPARE_KINDS; i++)
		empty(&kept[i]);
}
