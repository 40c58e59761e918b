/* SPDX-License-Identifier: MIT */
/*
 * See trampoline.h. x86-64, System V calling convention.
 *
 * Registers. What may carry arguments (rdi rsi rdx rcx r8 r9, al for variadic functions,
 * r10 for nested ones, the vector registers in full width) or results (rax rdx xmm0 xmm1
 * or wider, st0 st1; vectors.h) is kept. r11 is free for those between caller and
 * function.
 *
 * Unwinding. The code behind the call is a frame whose stack pointer is the caller's. An
 * unwinder that looks for the frame of a handler by its stack pointer must not take one
 * for the other; a signal frame counts as another one for libgcc, so it says that it is
 * one. The address of the caller's frame is then taken as it is, not as one behind a
 * call, so that it is given as one less than where the call returns to. See unwinding.c.
 */
#include "runtime/missing/trampoline.h"

#if defined(__x86_64__)

#include "runtime/vectors.h"

#define TEXT(x)		TEXT_OF(x)
#define TEXT_OF(x)	#x
#define TRAMPOLINES	8192
#define TRAMPOLINE_SIZE 16
_Static_assert(TRAMPOLINES == DH_TRAMPOLINES, "as many as the header says");
_Static_assert(offsetof(struct dh_away, back) == 0, "known to the code below");
_Static_assert(offsetof(struct dh_away, rbx) == 8, "known to the code below");
_Static_assert(offsetof(struct dh_away, rax) == 16, "known to the code below");
_Static_assert(offsetof(struct dh_away, rdx) == 24, "known to the code below");
_Static_assert(offsetof(struct dh_away, rbp) == 32, "known to the code below");

extern const char dh_trampolines[], dh_trampoline_back[];

/* clang-format off */

/* DW_CFA_expression: register `of` was saved `at` bytes behind where rbx points. */
#define KEPT_AWAY(of, at) "	.cfi_escape 0x10, " #of ", 2, 0x73, " #at "\n"

/* One for each function: its number, and on to what they share. */
__asm__(".pushsection .text\n"
	"	.p2align 4\n"
	"	.type dh_trampolines, @function\n"
	"dh_trampolines:\n"
	"	.cfi_startproc\n"
	"	.set number, 0\n"
	"	.rept " TEXT(TRAMPOLINES) "\n"
	"	.p2align 4\n"
	"	mov $number, %r11d\n"
	"	jmp dh_trampoline_enter\n"
	"	.set number, number + 1\n"
	"	.endr\n"
	"	.p2align 4\n"
	"	.cfi_endproc\n"
	"	.size dh_trampolines, . - dh_trampolines\n"
	".popsection");

__asm__(".pushsection .text\n"
	"	.p2align 4\n"
	"	.type dh_trampoline_enter, @function\n"
	"dh_trampoline_enter:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	push %r9\n"
	"	push %r8\n"
	"	push %rcx\n"
	"	push %rdx\n"
	"	push %rsi\n"
	"	push %rdi\n"
	"	push %rax\n"
	"	push %r10\n"
	DH_KEEP_VECTORS
	"	mov %r11d, %edi\n"
	"	lea -48(%rbp), %rsi\n"
	"	lea 8(%rbp), %rdx\n"
	"	call dh_missing_enter\n"
	"	mov %rax, %rcx\n"
	"	mov %rdx, %r11\n"
	DH_RESTORE_VECTORS
	"	test %rcx, %rcx\n"
	"	jz 4f\n"
	"	mov %rbx, 8(%rcx)\n"
	"	mov %rcx, %rbx\n"
	KEPT_AWAY(3, 8)
	"	lea dh_trampoline_back(%rip), %rax\n"
	"	mov %rax, 8(%rbp)\n"
	"	.cfi_same_value %rbx\n" /* the frame behind the call has it */
	"4:	mov -64(%rbp), %r10\n"
	"	mov -56(%rbp), %rax\n"
	"	mov -48(%rbp), %rdi\n"
	"	mov -40(%rbp), %rsi\n"
	"	mov -32(%rbp), %rdx\n"
	"	mov -24(%rbp), %rcx\n"
	"	mov -16(%rbp), %r8\n"
	"	mov -8(%rbp), %r9\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	.cfi_same_value %rbp\n"
	"	jmp *%r11\n"
	"	.cfi_endproc\n"
	"	.size dh_trampoline_enter, . - dh_trampoline_enter\n"
	".popsection");

/* The first instruction is for unwinders, which look at what comes before the address
 * that a call returns to. DW_CFA_val_expression: what rbx points to, less one. */
__asm__(".pushsection .text\n"
	"	.p2align 4\n"
	"	.type dh_trampoline_behind, @function\n"
	"dh_trampoline_behind:\n"
	"	.cfi_startproc\n"
	"	.cfi_personality 0x1b, dh_missing_personality\n"
	"	.cfi_signal_frame\n"
	"	.cfi_def_cfa %rsp, 0\n"
	"	.cfi_escape 0x16, 16, 5, 0x73, 0, 0x06, 0x31, 0x1c\n"
	KEPT_AWAY(3, 8)
	"	nop\n"
	"dh_trampoline_back:\n"
	"	mov %rax, 16(%rbx)\n"
	"	mov %rdx, 24(%rbx)\n"
	"	mov %rbp, 32(%rbx)\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	KEPT_AWAY(6, 32)
	DH_KEEP_VECTORS
	"	mov %rbx, %rdi\n"
	"	call dh_missing_leave\n"
	DH_RESTORE_VECTORS
	"	mov %rbp, %rsp\n"
	"	.cfi_def_cfa_register %rsp\n"
	"	mov 32(%rbx), %rbp\n"
	"	.cfi_same_value %rbp\n"
	"	mov 16(%rbx), %rax\n"
	"	mov 24(%rbx), %rdx\n"
	"	xor %ecx, %ecx\n" /* lest the next call has them for arguments */
	"	xor %esi, %esi\n"
	"	xor %edi, %edi\n"
	"	xor %r8d, %r8d\n"
	"	xor %r9d, %r9d\n"
	"	mov (%rbx), %r11\n"
	"	mov 8(%rbx), %rbx\n"
	"	.cfi_same_value %rbx\n"
	"	.cfi_register %rip, %r11\n"
	"	jmp *%r11\n"
	"	.cfi_endproc\n"
	"	.size dh_trampoline_behind, . - dh_trampoline_behind\n"
	".popsection");

/* clang-format on */

/* With a shadow stack the processor does not return to another address. */
static bool returns_are_guarded(void)
{
	uint64_t pointer = 0;
	__asm__("rdsspq %0" : "+r"(pointer)); /* nothing where there is none */
	return pointer != 0;
}

bool dh_trampoline_prepare(void)
{
	return !returns_are_guarded();
}

uintptr_t dh_trampoline_at(uint32_t number)
{
	DH_CHECK(number < TRAMPOLINES);
	return (uintptr_t)dh_trampolines + (uintptr_t)number * TRAMPOLINE_SIZE;
}

bool dh_trampoline_is(uintptr_t address)
{
	return address - (uintptr_t)dh_trampolines < TRAMPOLINES * TRAMPOLINE_SIZE;
}

bool dh_trampoline_is_back(uintptr_t address)
{
	return address == (uintptr_t)dh_trampoline_back;
}

#else

bool dh_trampoline_prepare(void)
{
	return false;
}

uintptr_t dh_trampoline_at(uint32_t number)
{
	(void)number;
	return 0;
}

bool dh_trampoline_is(uintptr_t address)
{
	(void)address;
	return false;
}

bool dh_trampoline_is_back(uintptr_t address)
{
	(void)address;
	return false;
}

#endif
