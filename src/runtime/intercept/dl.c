/* SPDX-License-Identifier: MIT */
/*
 * Libraries that come and go while the program runs.
 *
 * The loader runs constructors and destructors under a lock of its own, which nobody
 * sees. So what a thread did up to the end of its dlopen() or dlclose() comes before the
 * constructors and destructors that another one's call runs later, and before what that
 * thread does from there on. Constructors of instrumented libraries begin with a call of
 * ours (__tsan_init), destructors with the first function that is entered. The loader
 * looks at who calls dlopen() to know where to search, so a name that has to be searched
 * for goes to it as if we were not there: then nothing is told after the call.
 *
 * When a library is unloaded its memory may be used for anything, the same library
 * included, by another thread, before we get to know. Records of its variables go unless
 * something is loaded there again; those that stay are of the past for its constructors.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include "base/vec.h"
#include "runtime/abi.h"
#include "runtime/labels.h"
#include "runtime/intercept/dl.h"
#include "runtime/intercept/prelude.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/watch.h"
#include "runtime/missing/missing.h"
#include "runtime/modules.h"
#include "runtime/shadow.h"
#include "runtime/sync.h"

DH_REAL_WANT(dlopen);
DH_REAL_WANT(dlclose);

static char loader;   /* its address stands for the loader's lock */
static uint32_t busy; /* atomic: calls of dlopen() and dlclose() that have not told yet */
static __thread uint32_t own __attribute__((tls_model("initial-exec"))); /* of these */

/* ---- order ---- */

static void begin(void)
{
	__atomic_fetch_add(&busy, 1, __ATOMIC_SEQ_CST);
	own++;
}

static void end(void)
{
	own--;
	__atomic_fetch_sub(&busy, 1, __ATOMIC_SEQ_CST);
}

/* Who had the lock before may have given it back without having told; then the thread
 * comes after all that any thread has done: more than is true, and no false alarm. */
static void come_after(struct dh_self *t)
{
	if (__atomic_load_n(&busy, __ATOMIC_SEQ_CST) > own)
		dh_thread_know_all(t);
	dh_sync_acquire(t, (uintptr_t)&loader);
}

static void tell(struct dh_self *t)
{
	dh_sync_release_join(t, (uintptr_t)&loader);
}

/* ---- coming ---- */

void dh_dl_constructors_begin(void)
{
	struct dh_self *t = dh_watched();
	if (t)
		come_after(t);
}

static void *open_watched(const char *path, int mode)
{
	begin();
	dh_call_begin(DH_CALLER());
	void *library = DH_REAL(dlopen)(path, mode);
	dh_call_end();
	struct dh_self *t = dh_watched();
	if (library && t) {
		come_after(t);
		tell(t);
	}
	end();
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

/* Where something else may have been mapped by now: so what synchronises there stays
 * known, which can do no harm but order too much. */
static void forget(struct range r)
{
	dh_shadow_clear(r.start, r.end - r.start);
	dh_labels_forget(r.start, r.end - r.start);
}

/* Called by the loader under the lock of its list, which can be taken twice: no library
 * gets into the list, and none begins, between the look at it and the forgetting. */
static int forget_gone(DH_UNUSED struct dl_phdr_info *info, DH_UNUSED size_t size,
		       void *ranges)
{
	struct dh_self *t = dh_thread_self();
	const struct ranges *before = ranges;
	struct ranges after = {0};
	dl_iterate_phdr(note, &after);
	dh_enter_runtime(t);
	for (size_t i = 0; i < before->len; i++)
		if (!has(&after, before->at[i]))
			forget(before->at[i]);
	dh_vec_free(&after);
	dh_leave_runtime(t);
	return 1;
}

static void know_modules(void)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_modules_scan();
	dh_leave_runtime(t);
}

/* In the thread that closes, where an instrumented destructor begins. */
static void destructors_begin(struct dh_self *t)
{
	come_after(t);
}

static int close_watched(struct dh_self *t, void *library, uint64_t pc)
{
	begin();
	tell(t);
	dh_call_begin(pc);
	dh_thread_on_entry(t, destructors_begin);
	int result = DH_REAL(dlclose)(library);
	dh_thread_on_entry(t, NULL);
	dh_call_end();
	come_after(t);
	tell(t);
	end();
	return result;
}

DH_EXPORT int dlclose(void *library)
{
	struct dh_self *t = dh_watched();
	struct ranges before = {0};
	if (!t)
		return DH_REAL(dlclose)(library);
	know_modules();
	dl_iterate_phdr(note, &before);
	int result = close_watched(t, library, DH_CALLER());
	dl_iterate_phdr(forget_gone, &before);
	dh_missing_modules_gone();
	dh_enter_runtime(t);
	dh_vec_free(&before);
	dh_leave_runtime(t);
	dh_modules_changed();
	return result;
}

/* ---- names of addresses ---- */

DH_REAL_WANT(dladdr);
DH_EXPORT int dladdr(const void *at, Dl_info *to)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(dladdr)(at, to);
	if (r)
		DH_WRITES_OBJECT(to, pc);
	return r;
}
