/* SPDX-License-Identifier: MIT */
/*
 * See trampoline.h. x86-64, System V calling convention.
 *
 * Registers. What may carry arguments (rdi rsi rdx rcx r8 r9, al for variadic functions,
 * r10 for nested ones, the vector registers in full width) or results (rax rdx xmm0 xmm1
 * or wider, st0 st1) is kept. r11 is free for those between caller and function. The
 * vector and x87 state is kept by the processor's own instructions, since what runs in
 * between may use any of it.
 *
 * Unwinding. The code behind the call is a frame whose stack pointer is the caller's. An
 * unwinder that looks for the frame of a handler by its stack pointer must not take one
 * for the other; a signal frame counts as another one for libgcc, so it says that it is
 * one. The address of the caller's frame is then taken as it is, not as one behind a
 * call, so that it is given as one less than where the call returns to. See unwinding.c.
 */
#include "runtime/missing/trampoline.h"

#if defined(__x86_64__)

#include <cpuid.h>

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

/* How the state is kept, by the processor, and the room that it takes. Named by the code
 * below, so not static. */
enum { BY_FXSAVE, BY_XSAVE, BY_XSAVEC };
uint32_t dh_trampoline_how;
uint32_t dh_trampoline_what; /* of the parts that xsave knows */
uint64_t dh_trampoline_room = 512;

extern const char dh_trampolines[], dh_trampoline_back[];

/* clang-format off */

/* Below the stack pointer, at a multiple of 64. Uses rax and rdx. */
#define KEEP_STATE                                                                       \
	"	sub dh_trampoline_room(%rip), %rsp\n"                                    \
	"	and $-64, %rsp\n"                                                        \
	"	mov dh_trampoline_what(%rip), %eax\n"                                    \
	"	xor %edx, %edx\n"                                                        \
	"	cmpl $1, dh_trampoline_how(%rip)\n"                                      \
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

#define RESTORE_STATE                                                                    \
	"	mov dh_trampoline_what(%rip), %eax\n"                                    \
	"	xor %edx, %edx\n"                                                        \
	"	cmpl $1, dh_trampoline_how(%rip)\n"                                      \
	"	jb 1f\n"                                                                 \
	"	xrstor64 (%rsp)\n"                                                       \
	"	jmp 2f\n"                                                                \
	"1:	fxrstor64 (%rsp)\n"                                                      \
	"2:\n"

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
	KEEP_STATE
	"	mov %r11d, %edi\n"
	"	lea -48(%rbp), %rsi\n"
	"	lea 8(%rbp), %rdx\n"
	"	call dh_missing_enter\n"
	"	mov %rax, %rcx\n"
	"	mov %rdx, %r11\n"
	RESTORE_STATE
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
	KEEP_STATE
	"	mov %rbx, %rdi\n"
	"	call dh_missing_leave\n"
	RESTORE_STATE
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

/* ---- the processor ---- */

/* x87, SSE, AVX, AVX-512: what a call can carry. */
enum { PARTS = 0xe7, XSAVE_LEAF = 0xd };

static uint32_t parts_in_use(void)
{
	uint32_t low, high;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & PARTS;
}

/* Where the last of them ends. The first two come before the header, which is 64 bytes.
 */
static uint32_t room_for(uint32_t parts)
{
	uint32_t room = 512 + 64;
	for (uint32_t i = 2; parts >> i; i++) {
		uint32_t size, offset, c, d;
		__cpuid_count(XSAVE_LEAF, i, size, offset, c, d);
		if (parts >> i & 1)
			room = DH_MAX(room, offset + size);
	}
	return room;
}

static void choose_how(void)
{
	uint32_t a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	dh_trampoline_what = parts_in_use();
	dh_trampoline_room = room_for(dh_trampoline_what);
	__cpuid_count(XSAVE_LEAF, 1, a, b, c, d);
	dh_trampoline_how = a & bit_XSAVEC ? BY_XSAVEC : BY_XSAVE;
}

/* With a shadow stack the processor does not return to another address. */
static bool returns_are_guarded(void)
{
	uint64_t pointer = 0;
	__asm__("rdsspq %0" : "+r"(pointer)); /* nothing where there is none */
	return pointer != 0;
}

bool dh_trampoline_prepare(void)
{
	choose_how();
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
