/* SPDX-License-Identifier: MIT */
/* See roomy.h. */
#include "runtime/roomy.h"
#include <asm/signal.h>
#include "base/kernel.h"
#include "base/sys.h"

enum {
	ENOUGH = 64 << 10, /* bytes of a stack that will do; and of one of ours */
	MASK_SIZE = 8,	   /* bytes of the kernel's set of signals */
	ON_STACK = 1,	   /* SS_ONSTACK, which only libc's header has */
};

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	".globl dh_call_on_stack\n"
	".hidden dh_call_on_stack\n"
	".type dh_call_on_stack, @function\n"
	"dh_call_on_stack:\n\t"
	".cfi_startproc\n\t"
	"push %rbp\n\t"
	".cfi_def_cfa_offset 16\n\t"
	".cfi_offset %rbp, -16\n\t"
	"mov %rsp, %rbp\n\t"
	".cfi_def_cfa_register %rbp\n\t"
	"mov %rdi, %rsp\n\t"
	"and $-16, %rsp\n\t"
	"mov %rdx, %rdi\n\t"
	"call *%rsi\n\t"
	"leave\n\t"
	".cfi_def_cfa %rsp, 8\n\t"
	"ret\n\t"
	".cfi_endproc\n"
	".size dh_call_on_stack, . - dh_call_on_stack\n"
	".popsection");
#else
void dh_call_on_stack(void *top, void (*f)(void *), void *argument)
{
	(void)top;
	f(argument);
}
#endif

/* Is the thread on a stack for handlers that is not enough? */
static bool is_cramped(void)
{
	stack_t s = {0};
	return DH_KERNEL_2(__NR_sigaltstack, NULL, &s) == 0 && (s.ss_flags & ON_STACK) &&
	       s.ss_size < ENOUGH;
}

void dh_roomy_call(void (*f)(void *), void *argument)
{
	char *stack = is_cramped() ? dh_sys_map(ENOUGH) : NULL;
	uint64_t all = ~(uint64_t)0, old;
	if (!stack) {
		f(argument);
		return;
	}
	DH_KERNEL_4(__NR_rt_sigprocmask, SIG_BLOCK, &all, &old, MASK_SIZE);
	dh_call_on_stack(stack + ENOUGH, f, argument);
	DH_KERNEL_4(__NR_rt_sigprocmask, SIG_SETMASK, &old, 0, MASK_SIZE);
	dh_sys_unmap(stack, ENOUGH);
}
