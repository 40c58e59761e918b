/* SPDX-License-Identifier: MIT */
/*
 * The part of the sanitizers' common interface that programs under race detection use:
 * unaligned accesses, stacks, where reports go, questions about the heap. What is left
 * out, and why, is in tests/cli/abi_exceptions.txt.
 */
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/flags.h"
#include "runtime/heap.h"
#include "runtime/modules.h"
#include "runtime/report.h"
#include "runtime/text.h"

/* ---- unaligned accesses ---- */

#define UNALIGNED(bits)                                                                  \
	DH_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *p);        \
	uint##bits##_t __sanitizer_unaligned_load##bits(const void *p)                   \
	{                                                                                \
		uint##bits##_t value;                                                    \
		dh_access_range((uintptr_t)p, sizeof value, 0, DH_CALLER());             \
		dh_copy(&value, p, sizeof value);                                        \
		return value;                                                            \
	}                                                                                \
	DH_EXPORT void __sanitizer_unaligned_store##bits(void *p, uint##bits##_t value); \
	void __sanitizer_unaligned_store##bits(void *p, uint##bits##_t value)            \
	{                                                                                \
		dh_access_range((uintptr_t)p, sizeof value, DH_ACCESS_WRITE,             \
				DH_CALLER());                                            \
		dh_copy(p, &value, sizeof value);                                        \
	}

UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

/* ---- stacks and code ---- */

/* The calling thread's, on standard error, in addresses. */
DH_EXPORT void __sanitizer_print_stack_trace(void);
void __sanitizer_print_stack_trace(void)
{
	struct dh_self *t = dh_thread_self();
	struct dh_text text = {0};
	if (!t->state)
		return;
	dh_enter_runtime(t);
	dh_plain_stack(&text, dh_thread_site(t, DH_CALLER()));
	dh_sys_write(2, text.at, text.len);
	dh_vec_free(&text);
	dh_leave_runtime(t);
}

DH_EXPORT int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t room,
						       void **offset);
int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t room,
					     void **offset)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	const struct dh_module *m = dh_modules_find((uintptr_t)pc);
	if (m) {
		size_t n = 0;
		for (; n + 1 < room && m->path[n]; n++)
			path[n] = m->path[n];
		if (room)
			path[n] = 0;
		*offset = (void *)((uintptr_t)pc - m->segments.at[0].start);
	}
	dh_leave_runtime(t);
	return m != NULL;
}

/* ---- reports ---- */

DH_EXPORT void __sanitizer_set_report_path(const char *path);
void __sanitizer_set_report_path(const char *path)
{
	struct dh_self *t = dh_thread_self();
	dh_runtime_init();
	dh_enter_runtime(t);
	if (path && !dh_text_same(path, "stderr"))
		dh_report_to(path);
	dh_leave_runtime(t);
}

DH_EXPORT const char *__sanitizer_get_report_path(void);
const char *__sanitizer_get_report_path(void)
{
	return *dh_flags.log ? dh_flags.log : "stderr";
}

/* To be called before a sanitizer ends the program; this one never does. */
DH_EXPORT void __sanitizer_set_death_callback(void (*callback)(void));
void __sanitizer_set_death_callback(void (*callback)(void))
{
	(void)callback;
}

/* Only the first of several that crash at once may report it. */
DH_EXPORT int __sanitizer_acquire_crash_state(void);
int __sanitizer_acquire_crash_state(void)
{
	static bool taken; /* atomic */
	return !__atomic_exchange_n(&taken, true, __ATOMIC_SEQ_CST);
}

/* Files that will be needed in a sandbox are open already. */
DH_EXPORT void __sanitizer_sandbox_on_notify(void *arguments);
void __sanitizer_sandbox_on_notify(void *arguments)
{
	(void)arguments;
}

/* ---- the heap ---- */

DH_EXPORT size_t __sanitizer_get_allocated_size(const void *p);
size_t __sanitizer_get_allocated_size(const void *p)
{
	return dh_heap_size(p);
}

DH_EXPORT size_t __sanitizer_get_allocated_size_fast(const void *p);
size_t __sanitizer_get_allocated_size_fast(const void *p)
{
	return dh_heap_size(p);
}

static bool find_live(const void *p, struct dh_heap_block *block)
{
	return dh_heap_find((uintptr_t)p, block) && !block->freed;
}

DH_EXPORT const void *__sanitizer_get_allocated_begin(const void *p);
const void *__sanitizer_get_allocated_begin(const void *p)
{
	struct dh_heap_block block;
	return find_live(p, &block) ? (const void *)block.base : NULL;
}

DH_EXPORT int __sanitizer_get_ownership(const void *p);
int __sanitizer_get_ownership(const void *p)
{
	struct dh_heap_block block;
	return find_live(p, &block) && block.base == (uintptr_t)p;
}

DH_EXPORT size_t __sanitizer_get_estimated_allocated_size(size_t size);
size_t __sanitizer_get_estimated_allocated_size(size_t size)
{
	return size;
}

DH_EXPORT size_t __sanitizer_get_heap_size(void);
size_t __sanitizer_get_heap_size(void)
{
	struct dh_heap_stats s;
	dh_heap_get_stats(&s);
	return s.mapped;
}

/* Freed memory that can go back goes back by itself. */
DH_EXPORT void __sanitizer_purge_allocator(void);
void __sanitizer_purge_allocator(void)
{
}

/* Says that there is no room for any. */
DH_EXPORT int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void *, size_t),
    void (*on_free)(const volatile void *));
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *,
								size_t),
					      void (*on_free)(const volatile void *))
{
	(void)on_malloc, (void)on_free;
	return 0;
}
