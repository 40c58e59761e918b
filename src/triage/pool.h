/* SPDX-License-Identifier: MIT */
/*
 * What findings are made of, each kept once: texts, frames, stacks; and memory that goes
 * when the pool does. A thousand runs of a program repeat the same stacks, and equal ones
 * being the same pointer makes them cheap to compare too.
 *
 * Used by findings.c and the readers. One thread; allocates. Zero-initialised is empty.
 */
#ifndef DH_TRIAGE_POOL_H
#define DH_TRIAGE_POOL_H

#include "base/map.h"
#include "base/vec.h"
#include "triage/finding.h"

struct dh_pool_chunk {
	char *at;
	size_t size;
};

struct dh_pool {
	struct dh_vec(struct dh_pool_chunk) chunks;
	size_t left;	     /* free in the last one */
	struct dh_map texts; /* hash to place */
	struct dh_map frames, stacks;
	uint32_t frame_count, stack_count;
};

/* Zeroed, aligned for any type; NULL for no bytes. */
void *dh_pool_alloc(struct dh_pool *p, size_t size);

/* The one copy of a text. */
const char *dh_pool_text(struct dh_pool *p, const char *text, size_t len);

/* The one frame with this content, `number` aside; its texts are the pool's. */
const struct dh_finding_frame *dh_pool_frame(struct dh_pool *p,
					     const struct dh_finding_frame *f);

/* The one stack of these frames, which are the pool's. */
const struct dh_finding_stack *dh_pool_stack(struct dh_pool *p,
					     const struct dh_finding_frame *const *frames,
					     uint32_t len);

/* A hash of bytes that is the same in every run and on every machine of one byte order.
 */
uint64_t dh_pool_hash(uint64_t seed, const void *bytes, size_t len);

void dh_pool_free(struct dh_pool *p);

#endif
