/* SPDX-License-Identifier: MIT */
/* See annotate.h. */
#include "runtime/annotate.h"
#include "runtime/intercept/watch.h"
#include "runtime/labels.h"
#include "runtime/observer.h"
#include "runtime/sync.h"

/* ---- happens-before ---- */

void dh_annotate_happens_before(uintptr_t addr)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_release_kept(t, addr);
}

void dh_annotate_happens_after(uintptr_t addr)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_acquire_kept(t, addr);
}

/* ---- not looking ---- */

/* The counts are kept also where nothing is watched for another reason, so that begin
 * and end pair up. A thread without state has none. */
static struct dh_self *attached(void)
{
	struct dh_self *t = dh_thread_self();
	return t->state ? t : NULL;
}

void dh_annotate_ignore_begin(void)
{
	struct dh_self *t = attached();
	if (t)
		dh_ignore_begin(t);
}

void dh_annotate_ignore_end(void)
{
	struct dh_self *t = attached();
	if (t)
		dh_ignore_end(t);
}

void dh_annotate_ignore_sync_begin(void)
{
	struct dh_self *t = attached();
	if (t)
		t->ignore_sync++;
}

void dh_annotate_ignore_sync_end(void)
{
	struct dh_self *t = attached();
	if (t && t->ignore_sync)
		t->ignore_sync--;
}

/* ---- memory ---- */

void dh_annotate_new_memory(uintptr_t addr, size_t size)
{
	struct dh_self *t = attached();
	if (!t || !size)
		return;
	dh_enter_runtime(t);
	dh_shadow_clear(addr, size);
	dh_sync_forget_range(addr, size);
	dh_labels_forget(addr, size);
	dh_leave_runtime(t);
}

void dh_annotate_moved(uintptr_t from, uintptr_t to, size_t size)
{
	struct dh_self *t = attached();
	if (!t)
		return;
	dh_enter_runtime(t);
	dh_shadow_clear(from, size);
	dh_shadow_clear(to, size);
	dh_sync_move(from, to, size);
	dh_labels_forget(from, size);
	dh_labels_forget(to, size);
	dh_leave_runtime(t);
}

static void label(enum dh_label_kind kind, uintptr_t addr, size_t size, const char *text)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_labels_add(kind, addr, size, text);
	dh_leave_runtime(t);
}

void dh_annotate_benign(uintptr_t addr, size_t size, const char *why)
{
	label(DH_LABEL_BENIGN, addr, size, why);
}

void dh_annotate_variable_name(uintptr_t addr, size_t size, const char *name)
{
	label(DH_LABEL_NAME, addr, size, name);
}

/* ---- names ---- */

void dh_annotate_thread_name(const char *name)
{
	struct dh_self *t = attached();
	if (!t || !name)
		return;
	char *to = t->state->info->name;
	size_t n = 0;
	for (; name[n] && n < DH_NAME_MAX - 1; n++)
		to[n] = name[n];
	to[n] = 0;
}

/* ---- locks ---- */

void dh_annotate_lock_born(uintptr_t lock, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	dh_sync_forget(lock);
	if (t)
		dh_sync_describe(lock, DH_SYNC_RWLOCK, dh_site_of_call(t, pc), NULL);
}

void dh_annotate_lock_gone(uintptr_t lock)
{
	dh_sync_forget(lock);
}

void dh_annotate_lock_name(uintptr_t lock, const char *name)
{
	if (attached() && name)
		dh_sync_describe(lock, DH_SYNC_OTHER, 0, name);
}

void dh_annotate_locked(uintptr_t lock, enum dh_lock_mode mode, int times, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	if (mode == DH_LOCK_READ)
		dh_sync_take(t, lock);
	else
		dh_sync_write_acquire(t, lock);
	for (int i = 0; i < times; i++)
		dh_held_add(t, lock, mode == DH_LOCK_WRITE, pc);
}

/* Inner levels of a lock taken several times over publish too: nobody can get the lock
 * before the outermost, which publishes more. */
static void publish(struct dh_self *t, uintptr_t lock, enum dh_lock_mode mode)
{
	if (mode == DH_LOCK_READ)
		dh_sync_read_release(t, lock);
	else
		dh_sync_write_release(t, lock);
}

void dh_annotate_unlocking(uintptr_t lock, enum dh_lock_mode mode)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	publish(t, lock, mode);
	dh_held_remove(t, lock);
}

int dh_annotate_unlocking_all(uintptr_t lock, enum dh_lock_mode mode)
{
	struct dh_self *t = dh_watched();
	int times = 0;
	if (!t)
		return 1;
	for (uint32_t i = 0; i < t->state->held_count; i++)
		times += t->state->held[i].lock == lock;
	publish(t, lock, mode);
	for (int i = 0; i < times; i++)
		dh_held_remove(t, lock);
	return times ? times : 1;
}
