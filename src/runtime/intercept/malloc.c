/* SPDX-License-Identifier: MIT */
/*
 * The malloc family, by the runtime's own heap (heap.h). Works from the first call on,
 * which the dynamic loader makes long before the runtime is set up.
 *
 * Where a program brings an allocator of its own these are not called, and its memory
 * is no heap memory to us.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/callers.h"
#include "runtime/flags.h"
#include "runtime/heap.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/rival.h"
#include "runtime/intercept/touch.h"
#include "runtime/modules.h"
#include "runtime/text.h"

enum { PAGE = 4096, MIN_ALIGN = 16 };

DH_EXPORT void cfree(void *block);
DH_EXPORT void *__libc_memalign(size_t align, size_t size);
DH_EXPORT void free_sized(void *block, size_t size);
DH_EXPORT void free_aligned_sized(void *block, size_t align, size_t size);

static void *or_error(void *block)
{
	if (DH_UNLIKELY(!block))
		errno = ENOMEM;
	return block;
}

static bool power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

/* ---- plain ---- */

DH_EXPORT void *malloc(size_t size)
{
	return or_error(dh_heap_alloc(size, MIN_ALIGN, DH_CALLER()));
}

DH_EXPORT void *calloc(size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		return or_error(NULL);
	return or_error(dh_heap_alloc_zero(bytes, DH_CALLER()));
}

DH_EXPORT void free(void *block)
{
	dh_heap_free(block, DH_CALLER());
}

void cfree(void *block)
{
	dh_heap_free(block, DH_CALLER());
}

void free_sized(void *block, DH_UNUSED size_t size)
{
	dh_heap_free(block, DH_CALLER());
}

void free_aligned_sized(void *block, DH_UNUSED size_t align, DH_UNUSED size_t size)
{
	dh_heap_free(block, DH_CALLER());
}

/* As in the GNU C library: size 0 frees a block, and the result is NULL. */
static void *resize(void *block, size_t size, uint64_t pc)
{
	if (!block)
		return or_error(dh_heap_alloc(size, MIN_ALIGN, pc));
	if (!size) {
		dh_heap_free(block, pc);
		return NULL;
	}
	return or_error(dh_heap_resize(block, size, pc));
}

DH_EXPORT void *realloc(void *block, size_t size)
{
	return resize(block, size, DH_CALLER());
}

DH_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		return or_error(NULL);
	return resize(block, bytes, DH_CALLER());
}

/* ---- aligned ---- */

static void *aligned(size_t align, size_t size, uint64_t pc)
{
	if (align > (size_t)1 << 62)
		return or_error(NULL);
	return or_error(dh_heap_alloc(size, dh_pow2(DH_MAX(align, (size_t)1)), pc));
}

DH_EXPORT void *memalign(size_t align, size_t size)
{
	return aligned(align, size, DH_CALLER());
}

void *__libc_memalign(size_t align, size_t size)
{
	return aligned(align, size, DH_CALLER());
}

DH_EXPORT void *aligned_alloc(size_t align, size_t size)
{
	return aligned(align, size, DH_CALLER());
}

DH_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
	if (!power_of_two(align) || align % sizeof(void *))
		return EINVAL;
	void *block = dh_heap_alloc(size, align, DH_CALLER());
	if (!block)
		return ENOMEM;
	*out = block;
	DH_WRITES_OBJECT(out, DH_CALLER());
	return 0;
}

DH_EXPORT void *valloc(size_t size)
{
	return or_error(dh_heap_alloc(size, PAGE, DH_CALLER()));
}

DH_EXPORT void *pvalloc(size_t size)
{
	size_t whole;
	if (__builtin_add_overflow(size, PAGE - 1, &whole))
		return or_error(NULL);
	whole = DH_MAX(whole & ~(size_t)(PAGE - 1), (size_t)PAGE);
	return or_error(dh_heap_alloc(whole, PAGE, DH_CALLER()));
}

/* ---- about the heap ---- */

DH_EXPORT size_t malloc_usable_size(void *block)
{
	return dh_heap_size(block);
}

DH_EXPORT int malloc_trim(DH_UNUSED size_t pad)
{
	return 0;
}

DH_EXPORT int mallopt(DH_UNUSED int option, DH_UNUSED int value)
{
	return 1;
}

static size_t mapped(void)
{
	struct dh_heap_stats s;
	dh_heap_get_stats(&s);
	return s.mapped;
}

DH_EXPORT struct mallinfo mallinfo(void)
{
	return (struct mallinfo){.arena = (int)mapped()};
}

DH_EXPORT struct mallinfo2 mallinfo2(void)
{
	return (struct mallinfo2){.arena = mapped()};
}

DH_EXPORT void malloc_stats(void)
{
}

DH_EXPORT int malloc_info(int options, FILE *to)
{
	if (options) {
		errno = EINVAL;
		return -1;
	}
	fprintf(to,
		"<malloc version=\"1\">\n<system type=\"current\" "
		"size=\"%zu\"/>\n</malloc>\n",
		mapped());
	return 0;
}

/* ---- others ---- */

/* Has an instrumented library brought us into a program that was there before? Then the
 * functions of the C library are found before ours. */
DH_REAL_WANT(pthread_create);
static bool came_late(void)
{
	void *found = dlsym(RTLD_DEFAULT, "pthread_create");
	return found && found == (void *)DH_REAL(pthread_create);
}

/* With one thread watched nothing can be a race. Others are known only if adopted. */
static void watch_nothing(void)
{
	struct dh_self *t = dh_thread_self();
	struct dh_text line = {0};
	dh_thread_adopt = NULL;
	dh_enter_runtime(t);
	const struct dh_module *own = dh_modules_find((uintptr_t)watch_nothing);
	dh_text_add(&line,
		    "deadheat: the program was started without this library, which "
		    "a library that it uses needs: threads and locks cannot be "
		    "seen, so nothing is watched. Start it with LD_PRELOAD=");
	dh_text_add(&line, own ? own->path : "libdeadheat-fasttrack.so");
	dh_text_add(&line, "\n");
	if (!dh_flags.quiet)
		dh_sys_write(2, line.at, line.len);
	dh_vec_free(&line);
	dh_leave_runtime(t);
}

static void name_rival(const struct dh_module *m)
{
	struct dh_text line = {0};
	dh_text_add(&line, "deadheat: malloc() is that of ");
	dh_text_add(&line, m ? m->path : "the program");
	dh_text_add(&line, ": memory that it gives to one thread after another can look "
			   "like a race. `deadheat run` has ours take its place where "
			   "it comes by LD_PRELOAD\n");
	dh_sys_write(2, line.at, line.len);
	dh_vec_free(&line);
}

/* One that passes on to ours is fine, and so is one that is watched itself. Tried once,
 * because its address does not tell. */
void dh_malloc_look_for_rival(void)
{
	struct dh_heap_block block;
	if (came_late()) {
		watch_nothing();
		return;
	}
	void *(*theirs)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "malloc");
	if (!theirs || theirs == malloc || dh_flags.quiet ||
	    dh_caller_kind((uint64_t)(uintptr_t)theirs) == DH_CALLER_WATCHED)
		return;
	void *(*volatile call)(size_t) = theirs; /* not a malloc that can be left out */
	uintptr_t given = (uintptr_t)call(1);
	bool ours = !given || dh_heap_find(given, &block);
	void (*give_back)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "free");
	if (give_back)
		give_back((void *)given);
	if (!ours)
		name_rival(dh_modules_find((uintptr_t)theirs));
}
