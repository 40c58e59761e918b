/* SPDX-License-Identifier: MIT */
/* See labels.h. A list in the order of the calls, searched from the newest: programs
 * label a handful of variables, and it is asked only when a race was found. */
#include "runtime/labels.h"
#include "base/lock.h"
#include "base/vec.h"

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);
static struct dh_vec(struct dh_label) labels; /* under lock */
static uint64_t benign_hits;		      /* under lock */
size_t dh_labels_count;

void dh_labels_add(enum dh_label_kind kind, uintptr_t addr, size_t size, const char *text)
{
	struct dh_label l = {.from = addr, .to = addr + size, .kind = kind};
	for (size_t i = 0; text && i < DH_LABEL_MAX - 1 && text[i]; i++)
		l.text[i] = text[i];
	if (l.to <= l.from)
		return;
	dh_lock(&lock);
	dh_vec_push(&labels, l);
	__atomic_store_n(&dh_labels_count, labels.len, __ATOMIC_RELAXED);
	dh_unlock(&lock);
}

bool dh_labels_find(enum dh_label_kind kind, uintptr_t addr, struct dh_label *out)
{
	bool found = false;
	if (!__atomic_load_n(&dh_labels_count, __ATOMIC_RELAXED))
		return false;
	dh_lock(&lock);
	for (size_t i = labels.len; i > 0 && !found; i--) {
		struct dh_label *l = &labels.at[i - 1];
		found = l->kind == kind && addr >= l->from && addr < l->to;
		l->hits += found;
		if (found && out)
			*out = *l;
	}
	benign_hits += found && kind == DH_LABEL_BENIGN;
	dh_unlock(&lock);
	return found;
}

DH_COLD void dh_labels_forget_slow(uintptr_t addr, size_t size)
{
	dh_lock(&lock);
	size_t kept = 0;
	for (size_t i = 0; i < labels.len; i++)
		if (labels.at[i].from - addr >= size)
			labels.at[kept++] = labels.at[i];
	labels.len = kept;
	__atomic_store_n(&dh_labels_count, kept, __ATOMIC_RELAXED);
	dh_unlock(&lock);
}

uint64_t dh_benign_hits(void)
{
	dh_lock(&lock);
	uint64_t hits = benign_hits;
	dh_unlock(&lock);
	return hits;
}
