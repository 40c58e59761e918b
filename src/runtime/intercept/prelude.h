/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that the real one must not notice: it looks at who called it
 * (dlopen), keeps its caller's frame for later (swapcontext), or finds there more than we
 * know of (syscall). Nothing can come after the real call then; but something can come
 * before.
 *
 *	DH_PRELUDE(dlopen, choose);
 *
 * defines dlopen as: whatever choose(the same arguments, those in registers) returns is
 * jumped to, as if the program had called that.
 */
#ifndef DH_RUNTIME_INTERCEPT_PRELUDE_H
#define DH_RUNTIME_INTERCEPT_PRELUDE_H

#if defined(__x86_64__)
#define DH_PRELUDE(f, choose)                                                            \
	__asm__(".pushsection .text\n"                                                   \
		".globl " #f "\n"                                                        \
		".type " #f ", @function\n" #f ":\n\t"                                   \
		".cfi_startproc\n\t"                                                     \
		"push %rdi\n\t"                                                          \
		".cfi_adjust_cfa_offset 8\n\t"                                           \
		"push %rsi\n\t"                                                          \
		".cfi_adjust_cfa_offset 8\n\t"                                           \
		"push %rdx\n\t"                                                          \
		".cfi_adjust_cfa_offset 8\n\t"                                           \
		"push %rcx\n\t"                                                          \
		".cfi_adjust_cfa_offset 8\n\t"                                           \
		"push %r8\n\t"                                                           \
		".cfi_adjust_cfa_offset 8\n\t"                                           \
		"push %r9\n\t"                                                           \
		".cfi_adjust_cfa_offset 8\n\t"                                           \
		"sub $8, %rsp\n\t"                                                       \
		".cfi_adjust_cfa_offset 8\n\t"                                           \
		"call " #choose "\n\t"                                                   \
		"add $8, %rsp\n\t"                                                       \
		".cfi_adjust_cfa_offset -8\n\t"                                          \
		"pop %r9\n\t"                                                            \
		".cfi_adjust_cfa_offset -8\n\t"                                          \
		"pop %r8\n\t"                                                            \
		".cfi_adjust_cfa_offset -8\n\t"                                          \
		"pop %rcx\n\t"                                                           \
		".cfi_adjust_cfa_offset -8\n\t"                                          \
		"pop %rdx\n\t"                                                           \
		".cfi_adjust_cfa_offset -8\n\t"                                          \
		"pop %rsi\n\t"                                                           \
		".cfi_adjust_cfa_offset -8\n\t"                                          \
		"pop %rdi\n\t"                                                           \
		".cfi_adjust_cfa_offset -8\n\t"                                          \
		"jmp *%rax\n\t"                                                          \
		".cfi_endproc\n"                                                         \
		".size " #f ", . - " #f "\n"                                             \
		".popsection")
#elif defined(__aarch64__)
#define DH_PRELUDE(f, choose)                                                            \
	__asm__(".pushsection .text\n"                                                   \
		".globl " #f "\n"                                                        \
		".type " #f ", @function\n" #f ":\n\t"                                   \
		".cfi_startproc\n\t"                                                     \
		"stp x0, x1, [sp, #-80]!\n\t"                                            \
		".cfi_adjust_cfa_offset 80\n\t"                                          \
		"stp x2, x3, [sp, #16]\n\t"                                              \
		"stp x4, x5, [sp, #32]\n\t"                                              \
		"stp x6, x7, [sp, #48]\n\t"                                              \
		"str x30, [sp, #64]\n\t"                                                 \
		".cfi_offset x30, -16\n\t"                                               \
		"bl " #choose "\n\t"                                                     \
		"mov x16, x0\n\t"                                                        \
		"ldr x30, [sp, #64]\n\t"                                                 \
		"ldp x6, x7, [sp, #48]\n\t"                                              \
		"ldp x4, x5, [sp, #32]\n\t"                                              \
		"ldp x2, x3, [sp, #16]\n\t"                                              \
		"ldp x0, x1, [sp], #80\n\t"                                              \
		".cfi_adjust_cfa_offset -80\n\t"                                         \
		".cfi_restore x30\n\t"                                                   \
		"br x16\n\t"                                                             \
		".cfi_endproc\n"                                                         \
		".size " #f ", . - " #f "\n"                                             \
		".popsection")
#else
#error "port src/runtime/intercept/prelude.h to this architecture"
#endif

#endif
