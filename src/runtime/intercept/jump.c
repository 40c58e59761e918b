/* SPDX-License-Identifier: MIT */
/*
 * Ways out of functions that pass by __tsan_func_exit(): longjmp() and its kin, and
 * exceptions that pass code which was compiled without them. The shadow stack is cut
 * back to where the jump leads (frames.c), and signal handlers that are left this way
 * are over.
 *
 * setjmp() needs nothing: the stack pointer that it has saved tells which frames stay.
 *
 * Switching stacks: a saved context comes back to the depth that it was saved at. What
 * the frames up to that depth are called then is the last switcher's, so reports from
 * programs that switch stacks without telling (the fiber functions do) may show callers
 * of another coroutine. Switches that are not seen are bounded by frames.c.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <ucontext.h>
#include "runtime/abi.h"
#include "runtime/intercept/cxx.h"
#include "runtime/intercept/prelude.h"
#include "runtime/intercept/real.h"
#include "runtime/missing/calls.h"
#include "runtime/thread.h"

DH_EXPORT _Noreturn void __longjmp_chk(jmp_buf to, int value);
DH_EXPORT void *__cxa_begin_catch(void *exception);

DH_REAL_WANT(longjmp);
DH_REAL_WANT(_longjmp);
DH_REAL_WANT(siglongjmp);
DH_REAL_WANT(__longjmp_chk);
DH_REAL_WANT(getcontext);
DH_REAL_WANT(setcontext);
DH_REAL_WANT(swapcontext);

/* ---- longjmp ---- */

/* The stack pointer that setjmp() has saved; 0 where we do not know how to find it. The C
 * library keeps it veiled, with a secret that is the same for the whole process. */
static uintptr_t saved_sp(const struct __jmp_buf_tag *to)
{
#if defined(__x86_64__)
	enum { RSP = 6 };
	uintptr_t sp = (uintptr_t)to->__jmpbuf[RSP];
	__asm__("ror $17, %0\n\t"
		"xor %%fs:0x30, %0"
		: "+r"(sp));
	return sp;
#else
	(void)to;
	return 0;
#endif
}

static void leaving(const struct __jmp_buf_tag *to)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t sp = saved_sp(to);
	t->inside = 0; /* where a handler of a fault in the runtime itself jumps */
	if (!sp)
		return;
	dh_thread_left_below(t, sp);
	dh_calls_left_below(t, sp);
}

DH_EXPORT _Noreturn void longjmp(jmp_buf to, int value)
{
	leaving(to);
	DH_REAL(longjmp)(to, value);
	__builtin_unreachable();
}

DH_EXPORT _Noreturn void _longjmp(jmp_buf to, int value)
{
	leaving(to);
	DH_REAL(_longjmp)(to, value);
	__builtin_unreachable();
}

DH_EXPORT _Noreturn void siglongjmp(sigjmp_buf to, int value)
{
	leaving(to);
	DH_REAL(siglongjmp)(to, value);
	__builtin_unreachable();
}

/* What the above become with _FORTIFY_SOURCE. */
DH_EXPORT _Noreturn void __longjmp_chk(jmp_buf to, int value)
{
	leaving(to);
	DH_REAL(__longjmp_chk)(to, value);
	__builtin_unreachable();
}

/* ---- exceptions ---- */

/* Called by the function that catches, where it does. */
DH_EXPORT void *__cxa_begin_catch(void *exception)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	dh_thread_left_below(t, sp);
	dh_calls_left_below(t, sp);
	return DH_CXX(__cxa_begin_catch)(exception);
}

/* ---- coroutines ---- */

/* Where a context that was saved has the depth that it was saved at: a part that the C
 * library does not use but for shadow stacks. Proved by a word that goes with the
 * place, since contexts are uninitialised memory at first. */
struct depth {
	uint64_t proof, depth;
};

static struct depth *depth_in(const ucontext_t *c)
{
	return (struct depth *)((char *)(c + 1) - sizeof(struct depth));
}

static uint64_t proof_for(const ucontext_t *c)
{
	return dh_mix((uintptr_t)c ^ 0x6465616468656174);
}

static void save_depth(ucontext_t *c)
{
	const struct dh_self *t = dh_thread_self();
	if (t->state)
		*depth_in(c) =
		    (struct depth){proof_for(c), (uint64_t)(t->top - t->state->frames)};
}

static void restore_depth(const ucontext_t *c)
{
	struct dh_self *t = dh_thread_self();
	const struct depth *d = depth_in(c);
	if (t->state && d->proof == proof_for(c) && d->depth < t->state->frame_room)
		t->top = t->state->frames + d->depth;
}

/* Not static: called by DH_PRELUDE. */
void *dh_swapping_context(ucontext_t *from, const ucontext_t *to);
void *dh_swapping_context(ucontext_t *from, const ucontext_t *to)
{
	save_depth(from);
	restore_depth(to);
	return (void *)DH_REAL(swapcontext);
}

void *dh_setting_context(const ucontext_t *to);
void *dh_setting_context(const ucontext_t *to)
{
	restore_depth(to);
	return (void *)DH_REAL(setcontext);
}

void *dh_getting_context(ucontext_t *to);
void *dh_getting_context(ucontext_t *to)
{
	save_depth(to);
	return (void *)DH_REAL(getcontext);
}

DH_PRELUDE(swapcontext, dh_swapping_context);
DH_PRELUDE(setcontext, dh_setting_context);
DH_PRELUDE(getcontext, dh_getting_context);
