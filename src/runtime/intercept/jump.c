/* SPDX-License-Identifier: MIT */
/*
 * Ways out of functions that pass by __tsan_func_exit(): longjmp() and its kin, and
 * exceptions that pass code which was compiled without them. The shadow stack is cut
 * back to where the jump leads (frames.c), and signal handlers that are left this way
 * are over.
 *
 * setjmp() needs nothing: the stack pointer that it has saved tells which frames stay.
 *
 * Switching stacks: swapcontext() comes back to the depth that it left from. What the
 * frames below that depth are called then is the last switcher's, so reports from
 * programs that switch without telling (the fiber functions) may show callers of
 * another coroutine. Jumps between stacks are bounded likewise (frames.c).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>
#include "runtime/abi.h"
#include "runtime/intercept/real.h"
#include "runtime/thread.h"

typedef struct __jmp_buf_tag *jump;
DH_EXPORT _Noreturn void __longjmp_chk(jump to, int value);
DH_EXPORT void *__cxa_begin_catch(void *exception);

DH_REAL_WANT(longjmp);
DH_REAL_WANT(_longjmp);
DH_REAL_WANT(siglongjmp);
DH_REAL_WANT(__longjmp_chk);
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
	if (sp)
		dh_thread_left_below(t, sp);
}

DH_EXPORT _Noreturn void longjmp(jump to, int value)
{
	leaving(to);
	DH_REAL(longjmp)(to, value);
	__builtin_unreachable();
}

DH_EXPORT _Noreturn void _longjmp(jump to, int value)
{
	leaving(to);
	DH_REAL(_longjmp)(to, value);
	__builtin_unreachable();
}

DH_EXPORT _Noreturn void siglongjmp(jump to, int value)
{
	leaving(to);
	DH_REAL(siglongjmp)(to, value);
	__builtin_unreachable();
}

/* What the above become with _FORTIFY_SOURCE. */
DH_EXPORT _Noreturn void __longjmp_chk(jump to, int value)
{
	leaving(to);
	DH_REAL(__longjmp_chk)(to, value);
	__builtin_unreachable();
}

/* ---- exceptions ---- */

typedef void *catcher(void *exception);

/* The C++ library's own. It may have come with a plugin that is no part of the search
 * order. */
static DH_COLD catcher *find_catcher(void)
{
	static const char *const homes[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
	void *found = dlsym(RTLD_NEXT, "__cxa_begin_catch");
	for (size_t i = 0; !found && i < DH_ARRAY_LEN(homes); i++) {
		void *library = dlopen(homes[i], RTLD_LAZY | RTLD_NOLOAD);
		found = library ? dlsym(library, "__cxa_begin_catch") : NULL;
	}
	DH_CHECK(found != NULL);
	return (catcher *)found;
}

/* Called by the function that catches, where it does. */
DH_EXPORT void *__cxa_begin_catch(void *exception)
{
	static catcher *real; /* atomic */
	catcher *f = __atomic_load_n(&real, __ATOMIC_RELAXED);
	if (!f) {
		f = find_catcher();
		__atomic_store_n(&real, f, __ATOMIC_RELAXED);
	}
	dh_thread_left_below(dh_thread_self(), (uintptr_t)__builtin_dwarf_cfa());
	return f(exception);
}

/* ---- coroutines ---- */

/* Not inlined: after the switch the thread may be another. */
static DH_NOINLINE size_t depth(void)
{
	const struct dh_self *t = dh_thread_self();
	return t->state ? (size_t)(t->top - t->state->frames) : 0;
}

static DH_NOINLINE void back_to_depth(size_t was)
{
	struct dh_self *t = dh_thread_self();
	if (t->state && was < t->state->frame_room)
		t->top = t->state->frames + was;
}

DH_EXPORT int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	size_t was = depth();
	int result = DH_REAL(swapcontext)(from, to);
	back_to_depth(was);
	return result;
}
