/* SPDX-License-Identifier: MIT */
/*
 * Mappings: a new one starts fresh; unmapping is a write of all of it, after which
 * nothing is known of it any more, and so is mapping something else over it. Advice that
 * empties pages is a write like any other, since they may be used on. Mappings that
 * the C library makes for itself are not seen, stacks of threads among them: a thread's
 * stack is made fresh when it starts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include "runtime/constants.h"
#include "runtime/intercept/memory.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/observer.h"
#include "runtime/sync.h"

enum { PAGE = 4096 };

static size_t whole_pages(size_t size)
{
	return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* Mappings may be as large as the address space; of what was used, be it only to
 * synchronise, there is shadow. `inside` is raised. */
static void start_fresh(uintptr_t at, size_t size)
{
	uintptr_t end = at + size;
	if (DH_UNLIKELY(dh_observer != NULL)) {
		dh_observe_fresh(at, size);
		dh_sync_forget_range(at, size);
		return;
	}
	for (size_t part; (part = dh_shadow_used(&at, end)); at += part) {
		dh_shadow_clear(at, part);
		dh_sync_forget_range(at, part);
	}
}

static void starts(void *at, size_t size)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_constants_forget((uintptr_t)at, size);
	start_fresh((uintptr_t)at, whole_pages(size));
	dh_leave_runtime(t);
}

/* Will the kernel take it for a range of the program's? */
static bool is_range(const void *at, size_t size)
{
	const uintptr_t top = (uintptr_t)1 << 47;
	uintptr_t from = (uintptr_t)at;
	return size && from % PAGE == 0 && from < top && size <= top - from;
}

static void ends(void *at, size_t size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (!is_range(at, size))
		return;
	uintptr_t from = (uintptr_t)at, end = from + whole_pages(size);
	dh_enter_runtime(t);
	if (t->state && t->inside == 1 && dh_caller_kind(pc) == DH_CALLER_WATCHED) {
		uint32_t site = dh_thread_site(t, pc);
		if (DH_UNLIKELY(dh_observer != NULL))
			dh_observe_free(t, from, end - from, site, pc);
		else
			for (size_t part; (part = dh_shadow_used(&from, end));
			     from += part)
				dh_access_end(t, from, part, site, pc);
	}
	dh_leave_runtime(t);
	starts(at, size);
}

/* ---- mmap ---- */

/* At a fixed address it takes the place of what was there. */
#define MAP(name, offset)                                                                \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void *name(void *at, size_t size, int access, int flags, int fd,       \
			     offset from)                                                \
	{                                                                                \
		if (flags & MAP_FIXED)                                                   \
			ends(at, size, DH_CALLER());                                     \
		void *got = DH_REAL(name)(at, size, access, flags, fd, from);            \
		if (got != MAP_FAILED)                                                   \
			starts(got, size);                                               \
		return got;                                                              \
	}
MAP(mmap, off_t)
MAP(mmap64, __off64_t)

DH_REAL_WANT(munmap);
DH_EXPORT int munmap(void *at, size_t size)
{
	ends(at, size, DH_CALLER());
	return DH_REAL(munmap)(at, size);
}

/*
 * What stays in place is left alone; what goes away ends before anybody can be given it
 * anew. So to stay is tried first where the mapping may move, as the kernel does itself.
 */
DH_REAL_WANT(mremap);
DH_EXPORT void *mremap(void *at, size_t old, size_t size, int flags, ...)
{
	uint64_t pc = DH_CALLER();
	va_list ap;
	va_start(ap, flags);
	void *wanted = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	size_t had = whole_pages(old), has = whole_pages(size);
	bool elsewhere = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP);
	void *got = MAP_FAILED;
	int error = errno;
	if (!elsewhere) {
		if (size && has < had)
			ends((char *)at + has, had - has, pc);
		got = DH_REAL(mremap)(at, old, size, flags & ~MREMAP_MAYMOVE);
	}
	if (got == MAP_FAILED && (elsewhere || flags & MREMAP_MAYMOVE)) {
		ends(at, old, pc);
		if (flags & MREMAP_FIXED)
			ends(wanted, size, pc);
		errno = error;
		got = DH_REAL(mremap)(at, old, size, flags, wanted);
	}
	if (got != MAP_FAILED && got != at)
		starts(got, size);
	else if (got == at && has > had)
		starts((char *)at + had, has - had);
	return got;
}

/* ---- madvise ---- */

/* Do pages lose what is in them, at once or when the kernel has need of them? */
static bool empties(int advice)
{
	return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE;
}

/* A write of what was used: the rest had nothing to lose. To an engine that is told of
 * events, which has no such measure, what was there ends. */
static void empty(void *from, size_t size, uint64_t pc)
{
	uintptr_t at = (uintptr_t)from, end = at + whole_pages(size);
	if (DH_UNLIKELY(dh_observer != NULL)) {
		ends(from, size, pc);
		return;
	}
	for (size_t part; (part = dh_shadow_used(&at, end)); at += part)
		dh_writes((void *)at, part, pc);
}

DH_REAL_WANT(madvise);
DH_EXPORT int madvise(void *at, size_t size, int advice)
{
	if (empties(advice) && is_range(at, size))
		empty(at, size, DH_CALLER());
	return DH_REAL(madvise)(at, size, advice);
}

/* ---- mprotect ---- */

DH_REAL_WANT(mprotect);
DH_EXPORT int mprotect(void *at, size_t size, int access)
{
	struct dh_self *t = dh_thread_self();
	int got = DH_REAL(mprotect)(at, size, access);
	if (got == 0 && (access & PROT_WRITE) && is_range(at, size)) {
		dh_enter_runtime(t);
		dh_constants_forget((uintptr_t)at, size);
		dh_leave_runtime(t);
	}
	return got;
}

/* ---- locking in memory ---- */

/* All of the shadow is reserved, little of it in use: to lock it would be to fill it. So
 * this is not done, only answered. */
DH_REAL_WANT(mlockall);
DH_EXPORT int mlockall(int flags)
{
	const int known = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
	bool valid = flags && !(flags & ~known) && flags != MCL_ONFAULT;
	return valid ? 0 : DH_REAL(mlockall)(flags);
}

/* ---- shared memory of System V ---- */

DH_REAL_WANT(shmat);
DH_EXPORT void *shmat(int id, const void *wanted, int flags)
{
	void *got = DH_REAL(shmat)(id, wanted, flags);
	struct shmid_ds facts;
	if (got != (void *)-1 && shmctl(id, IPC_STAT, &facts) == 0)
		starts(got, facts.shm_segsz);
	return got;
}

/* How much is mapped there only the kernel knows: the first page stands for all of it. */
DH_REAL_WANT(shmdt);
DH_EXPORT int shmdt(const void *at)
{
	ends((void *)(uintptr_t)at, PAGE, DH_CALLER());
	return DH_REAL(shmdt)(at);
}

/* ---- stacks ---- */

void dh_memory_thread_stack(void)
{
	struct dh_self *t = dh_thread_self();
	pthread_attr_t attr;
	void *low;
	size_t size;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	dh_enter_runtime(t);
	start_fresh((uintptr_t)low, size);
	dh_leave_runtime(t);
}
