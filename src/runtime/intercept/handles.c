/* SPDX-License-Identifier: MIT */
/* See handles.h: a hash table with chains, the youngest entry of a name in front. */
#include "runtime/intercept/handles.h"
#include "base/mem.h"

enum { BUCKETS = 1024 };

struct entry {
	struct entry *next;
	pthread_t handle;
	struct dh_thread_info *info;
};

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);
static struct entry *buckets[BUCKETS]; /* under lock */

static struct entry **bucket_of(pthread_t handle)
{
	return &buckets[dh_mix((uint64_t)handle) % BUCKETS];
}

static void begin(void)
{
	dh_enter_runtime(dh_thread_self());
	dh_lock(&lock);
}

static void end(void)
{
	dh_unlock(&lock);
	dh_leave_runtime(dh_thread_self());
}

void dh_handle_enter(pthread_t handle, struct dh_thread_info *info)
{
	struct entry **head = bucket_of(handle);
	begin();
	if (!info->handled) {
		struct entry *e = dh_mem_alloc(sizeof *e);
		*e = (struct entry){*head, handle, info};
		*head = e;
		info->handled = true;
	}
	end();
}

struct dh_thread_info *dh_handle_find(pthread_t handle)
{
	begin();
	struct entry *e = *bucket_of(handle);
	while (e && e->handle != handle)
		e = e->next;
	struct dh_thread_info *info = e ? e->info : NULL;
	end();
	return info;
}

struct dh_thread_info *dh_handle_above(uintptr_t address, pthread_t *handle)
{
	struct dh_thread_info *info = NULL;
	*handle = UINTPTR_MAX;
	begin();
	for (size_t i = 0; i < BUCKETS; i++)
		for (const struct entry *e = buckets[i]; e; e = e->next)
			if (e->handle > address && e->handle < *handle) {
				*handle = e->handle;
				info = e->info;
			}
	end();
	return info;
}

void dh_handle_drop(pthread_t handle, const struct dh_thread_info *info)
{
	begin();
	struct entry **link = bucket_of(handle);
	while (*link && (*link)->info != info)
		link = &(*link)->next;
	struct entry *e = *link;
	if (e) {
		*link = e->next;
		dh_mem_free(e, sizeof *e);
	}
	end();
}
