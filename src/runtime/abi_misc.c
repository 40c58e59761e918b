/* SPDX-License-Identifier: MIT */
/*
 * What is left of ThreadSanitizer's own interface: accesses that a library reports for
 * its callers, and a few odds and ends.
 */
#include "base/mem.h"
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/text.h"

/* ---- accesses on behalf of a library's callers ---- */

/* A kind of object that a library names. Reports go by address and stack, and have no
 * use for it; but each has to be something else, as the library may compare. */
struct tag {
	const char *kind, *header;
};

DH_EXPORT void *__tsan_external_register_tag(const char *kind);
void *__tsan_external_register_tag(const char *kind)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	struct tag *tag = dh_mem_alloc(sizeof *tag);
	tag->kind = kind;
	dh_leave_runtime(t);
	return tag;
}

DH_EXPORT void __tsan_external_register_header(void *tag, const char *header);
void __tsan_external_register_header(void *tag, const char *header)
{
	((struct tag *)tag)->header = header;
}

DH_EXPORT void __tsan_external_assign_tag(void *addr, void *tag);
void __tsan_external_assign_tag(void *addr, void *tag)
{
	(void)addr, (void)tag;
}

/* The access counts as done by the function that called the library: its frame is
 * entered for as long as it takes. */
static void external(const void *addr, unsigned flags, void *caller, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (!t->state)
		return;
	if (caller)
		dh_thread_enter(t, (uint64_t)(uintptr_t)caller);
	dh_access_range((uintptr_t)addr, 1, flags, pc);
	if (caller)
		dh_thread_exit(t);
}

DH_EXPORT void __tsan_external_read(void *addr, void *caller, void *tag);
void __tsan_external_read(void *addr, void *caller, void *tag)
{
	(void)tag;
	external(addr, 0, caller, DH_CALLER());
}

DH_EXPORT void __tsan_external_write(void *addr, void *caller, void *tag);
void __tsan_external_write(void *addr, void *caller, void *tag)
{
	(void)tag;
	external(addr, DH_ACCESS_WRITE, caller, DH_CALLER());
}

/* ---- odds and ends ---- */

/* The program says that the calling thread must hold no lock here. */
DH_EXPORT void __tsan_check_no_mutexes_held(void);
void __tsan_check_no_mutexes_held(void)
{
	struct dh_self *t = dh_thread_self();
	struct dh_text text = {0};
	if (!t->state || !t->state->held_count)
		return;
	dh_enter_runtime(t);
	dh_text_add(&text, "deadheat: at ");
	dh_text_hex(&text, DH_CALLER());
	dh_text_add(&text, " a thread that should hold no lock holds ");
	dh_text_number(&text, t->state->held_count);
	dh_text_add(&text, ", the last one at ");
	dh_text_hex(&text, t->state->held[t->state->held_count - 1].lock);
	dh_text_add(&text, "\n");
	dh_sys_write(2, text.at, text.len);
	dh_vec_free(&text);
	dh_leave_runtime(t);
}

/* Memory of the shadow goes when the program's does; there is nothing to spare. */
DH_EXPORT void __tsan_flush_memory(void);
void __tsan_flush_memory(void)
{
}

/* Programs call it when a thread is about to wait long; all its memory is in use. */
DH_EXPORT void __tsan_on_thread_idle(void);
void __tsan_on_thread_idle(void)
{
}
