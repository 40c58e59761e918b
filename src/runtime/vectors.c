/* SPDX-License-Identifier: MIT */
/* See vectors.h. */
#include "runtime/vectors.h"

#if defined(__x86_64__)

#include <cpuid.h>

enum { BY_FXSAVE, BY_XSAVE, BY_XSAVEC };
uint32_t dh_vectors_how = BY_FXSAVE;
uint32_t dh_vectors_what;
uint64_t dh_vectors_room = 512;

/* clang-format off */
__asm__(".pushsection .text\n"
	"	.p2align 4\n"
	"	.globl dh_vectors_call\n"
	"	.hidden dh_vectors_call\n"
	"	.type dh_vectors_call, @function\n"
	"dh_vectors_call:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	DH_KEEP_VECTORS
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	DH_RESTORE_VECTORS
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size dh_vectors_call, . - dh_vectors_call\n"
	".popsection");
/* clang-format on */

/* x87, SSE, AVX, AVX-512: what a function can change. */
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
		if (!(parts >> i & 1))
			continue;
		__cpuid_count(XSAVE_LEAF, i, size, offset, c, d);
		room = DH_MAX(room, offset + size);
	}
	return room;
}

void dh_vectors_choose(void)
{
	uint32_t a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	dh_vectors_what = parts_in_use();
	dh_vectors_room = room_for(dh_vectors_what);
	__cpuid_count(XSAVE_LEAF, 1, a, b, c, d);
	dh_vectors_how = a & bit_XSAVEC ? BY_XSAVEC : BY_XSAVE;
}

#endif
