/* SPDX-License-Identifier: MIT */
/*
 * Libraries that come and go while the program runs.
 *
 * A thread that has opened a library comes after the constructors of it, whoever ran
 * them: the loader's lock saw to that. The loader looks at who calls dlopen() to know
 * where to search, so a name that has to be searched for goes to it as if we were not
 * there, and gives no such order.
 *
 * When a library is unloaded its memory may be used for anything: records of its
 * variables, and synchronisation objects in it, go. What its code did stays known.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include "base/vec.h"
#include "runtime/abi.h"
#include "runtime/labels.h"
#include "runtime/intercept/prelude.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/modules.h"
#include "runtime/shadow.h"
#include "runtime/sync.h"

DH_REAL_WANT(dlopen);
DH_REAL_WANT(dlclose);

static char loader;	 /* its address stands for the loader's lock */
static uint32_t opening; /* atomic: threads in dlopen() that have not told yet */

/* ---- coming ---- */

/* Who has run the constructors may be back from the loader without having told; then the
 * thread comes after all that any thread has done: more than is true, and no false
 * alarm. */
static void come_after_constructors(struct dh_self *t)
{
	if (__atomic_load_n(&opening, __ATOMIC_SEQ_CST) > 1)
		dh_thread_know_all(t);
	dh_sync_acquire(t, (uintptr_t)&loader);
	dh_sync_release_join(t, (uintptr_t)&loader);
}

static void *open_watched(const char *path, int mode)
{
	__atomic_fetch_add(&opening, 1, __ATOMIC_SEQ_CST);
	void *library = DH_REAL(dlopen)(path, mode);
	struct dh_self *t = dh_watched();
	if (library && t)
		come_after_constructors(t);
	__atomic_fetch_sub(&opening, 1, __ATOMIC_SEQ_CST);
	dh_modules_changed();
	return library;
}

/* Not static: called by DH_PRELUDE. */
void *dh_choose_dlopen(const char *path, int mode);
void *dh_choose_dlopen(const char *path, int mode)
{
	(void)mode;
	const char *c = path;
	while (c && *c && *c != '/')
		c++;
	dh_modules_changed();
	return !c || *c ? (void *)open_watched : (void *)DH_REAL(dlopen);
}

DH_PRELUDE(dlopen, dh_choose_dlopen);

/* ---- going ---- */

struct range {
	uintptr_t start, end;
};

struct ranges dh_vec(struct range);

/* The memory from the first to the last segment of a library. */
static int note(struct dl_phdr_info *info, size_t size, void *to)
{
	struct dh_self *t = dh_thread_self();
	struct range r = {UINTPTR_MAX, 0};
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		r.start = DH_MIN(r.start, info->dlpi_addr + p->p_vaddr);
		r.end = DH_MAX(r.end, info->dlpi_addr + p->p_vaddr + p->p_memsz);
	}
	dh_enter_runtime(t);
	if (r.start < r.end)
		dh_vec_push((struct ranges *)to, r);
	dh_leave_runtime(t);
	return 0;
}

static bool has(const struct ranges *in, struct range r)
{
	for (size_t i = 0; i < in->len; i++)
		if (in->at[i].start < r.end && r.start < in->at[i].end)
			return true;
	return false;
}

static void forget(struct range r)
{
	dh_shadow_clear(r.start, r.end - r.start);
	dh_sync_forget_range(r.start, r.end - r.start);
	dh_labels_forget(r.start, r.end - r.start);
}

static void forget_missing(struct ranges *before, struct ranges *after)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	for (size_t i = 0; i < before->len; i++)
		if (!has(after, before->at[i]))
			forget(before->at[i]);
	dh_vec_free(before);
	dh_vec_free(after);
	dh_leave_runtime(t);
}

static void know_modules(void)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_modules_scan();
	dh_leave_runtime(t);
}

DH_EXPORT int dlclose(void *library)
{
	struct ranges before = {0}, after = {0};
	if (!dh_watched())
		return DH_REAL(dlclose)(library);
	know_modules();
	dl_iterate_phdr(note, &before);
	int result = DH_REAL(dlclose)(library);
	dl_iterate_phdr(note, &after);
	forget_missing(&before, &after);
	dh_modules_changed();
	return result;
}
