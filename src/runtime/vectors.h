/* SPDX-License-Identifier: MIT */
/*
 * Keeping the vector and x87 registers, for code that comes between two instructions of
 * the program which expect them unchanged: the trampolines of missing methods
 * (missing/trampoline.c) and what inline assembly tells (abi_asm.c). x86-64 only.
 *
 * All of them only the processor's own instructions can keep, which take their time. The
 * runtime's own code uses the narrow vectors and nothing else; it is built for any
 * machine of the kind, and has its own functions in place of libc's. So where no code but
 * ours can come in between, it is enough to keep those. Where ours calls other code on
 * the way, the program's signal handlers or what a report needs, it does that by
 * dh_vectors_call().
 */
#ifndef DH_RUNTIME_VECTORS_H
#define DH_RUNTIME_VECTORS_H

#include "base/base.h"

#if defined(__x86_64__)

/* Calls f(argument) and keeps all of them. */
void dh_vectors_call(void (*f)(void *), void *argument);

/* Finds out what the processor has; until then x87 and the narrow vectors are kept. At
 * start-up. */
void dh_vectors_choose(void);

/* How the state is kept, and the room that it takes. Named by the code below. */
extern uint32_t dh_vectors_how;	 /* 0: fxsave, 1: xsave, 2: xsavec */
extern uint32_t dh_vectors_what; /* of the parts that xsave knows */
extern uint64_t dh_vectors_room;

/* clang-format off */

/* In assembly, all: below the stack pointer, at a multiple of 64. Uses rax and rdx, and
 * labels 1 to 3. */
#define DH_KEEP_VECTORS                                                                  \
	"	sub dh_vectors_room(%rip), %rsp\n"                                       \
	"	and $-64, %rsp\n"                                                        \
	"	mov dh_vectors_what(%rip), %eax\n"                                       \
	"	xor %edx, %edx\n"                                                        \
	"	cmpl $1, dh_vectors_how(%rip)\n"                                         \
	"	jb 1f\n"                                                                 \
	"	mov %rdx, 512(%rsp)\n"                                                   \
	"	mov %rdx, 520(%rsp)\n"                                                   \
	"	mov %rdx, 528(%rsp)\n"                                                   \
	"	mov %rdx, 536(%rsp)\n"                                                   \
	"	mov %rdx, 544(%rsp)\n"                                                   \
	"	mov %rdx, 552(%rsp)\n"                                                   \
	"	mov %rdx, 560(%rsp)\n"                                                   \
	"	mov %rdx, 568(%rsp)\n"                                                   \
	"	ja 2f\n"                                                                 \
	"	xsave64 (%rsp)\n"                                                        \
	"	jmp 3f\n"                                                                \
	"1:	fxsave64 (%rsp)\n"                                                       \
	"	jmp 3f\n"                                                                \
	"2:	xsavec64 (%rsp)\n"                                                       \
	"3:\n"

/* With the stack pointer where that left it. Uses rax and rdx, and labels 1 and 2. */
#define DH_RESTORE_VECTORS                                                               \
	"	mov dh_vectors_what(%rip), %eax\n"                                       \
	"	xor %edx, %edx\n"                                                        \
	"	cmpl $1, dh_vectors_how(%rip)\n"                                         \
	"	jb 1f\n"                                                                 \
	"	xrstor64 (%rsp)\n"                                                       \
	"	jmp 2f\n"                                                                \
	"1:	fxrstor64 (%rsp)\n"                                                      \
	"2:\n"

/* The narrow ones: below the stack pointer, at a multiple of 16, and from there again. */
#define DH_VECTORS_EACH(move)                                                            \
	move(0) move(1) move(2) move(3) move(4) move(5) move(6) move(7)                  \
	move(8) move(9) move(10) move(11) move(12) move(13) move(14) move(15)
#define DH_VECTORS_KEEP(i)    "	movaps %xmm" #i ", 16*" #i "(%rsp)\n"
#define DH_VECTORS_RESTORE(i) "	movaps 16*" #i "(%rsp), %xmm" #i "\n"
#define DH_KEEP_NARROW                                                                   \
	"	sub $256, %rsp\n"                                                        \
	"	and $-16, %rsp\n"                                                        \
	DH_VECTORS_EACH(DH_VECTORS_KEEP)
#define DH_RESTORE_NARROW DH_VECTORS_EACH(DH_VECTORS_RESTORE)

/* clang-format on */

#else

DH_INLINE void dh_vectors_call(void (*f)(void *), void *argument)
{
	f(argument);
}

DH_INLINE void dh_vectors_choose(void)
{
}

#endif
#endif
