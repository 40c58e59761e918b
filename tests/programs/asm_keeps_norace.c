/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Inline assembly that tells of its exchange has all registers, flags, vectors and the
 * red zone as they were. */
#include <immintrin.h>
#include <string.h>

enum { REGISTERS = 12, VECTORS = 16, FLAGS = 0xcd5 };
unsigned long in[REGISTERS], out[REGISTERS], flags, red[2];
int word = 1;
static char wide_in[VECTORS][32], wide_out[VECTORS][32];

/* clang-format off */
#define TWELVE(X)                                                                        \
	X(0, rbx) X(1, rcx) X(2, rdx) X(3, rsi) X(4, rdi) X(5, r8) X(6, r9) X(7, r10)    \
	X(8, r11) X(9, r12) X(10, r13) X(11, r14)
#define IN(i, r)    "movq " #i "*8+in(%%rip), %%" #r "\n\t"
#define OUT(i, r)   "movq %%" #r ", " #i "*8+out(%%rip)\n\t"
#define FIRST(X)    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define LAST(X)	    X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define WIDE_IN(i)  "vmovdqu " #i "*32(%0), %%ymm" #i "\n\t"
#define WIDE_OUT(i) "vmovdqu %%ymm" #i ", " #i "*32(%1)\n\t"
#define ALL                                                                              \
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",       \
	    "r13", "r14", "cc", "memory"

static void narrow(void)
{
	__asm__ volatile("leaq -512(%%rsp), %%rsp\n\t"
			 "movq $77, -16(%%rsp)\n\t"
			 "movq $78, -128(%%rsp)\n\t"
			 TWELVE(IN)
			 "movl $7, %%eax\n\t"
			 "pushq %0\n\t"
			 "popfq\n\t"
			 "xchgl %%eax, word(%%rip)\n\t"
			 "leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "popq flags(%%rip)\n\t"
			 "leaq 128(%%rsp), %%rsp\n\t"
			 "cld\n\t"
			 TWELVE(OUT)
			 "movq -16(%%rsp), %%rax\n\t"
			 "movq %%rax, red(%%rip)\n\t"
			 "movq -128(%%rsp), %%rax\n\t"
			 "movq %%rax, red+8(%%rip)\n\t"
			 "leaq 512(%%rsp), %%rsp"
			 : : "i"(FLAGS) : ALL);
}

__attribute__((target("avx"))) static void wide(void)
{
	__asm__ volatile(FIRST(WIDE_IN) LAST(WIDE_IN)
			 "lock; negl word(%%rip)\n\t"
			 FIRST(WIDE_OUT) LAST(WIDE_OUT)
			 "vzeroupper"
			 : : "r"(wide_in), "r"(wide_out)
			 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
			   "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
			   "xmm13", "xmm14", "xmm15");
}
/* clang-format on */

int main(void)
{
	for (int i = 0; i < REGISTERS; i++)
		in[i] = 0x1234567890abcdeful * (unsigned long)(i + 1);
	memset(wide_in, 0x5a, sizeof wide_in);
	narrow();
	if (memcmp(in, out, sizeof in) || red[0] != 77 || red[1] != 78 || word != 7)
		return 1;
	if ((flags & FLAGS) != FLAGS)
		return 2;
	if (!__builtin_cpu_supports("avx"))
		return 0;
	wide();
	return memcmp(wide_in, wide_out, sizeof wide_in) ? 3 : word + 7;
}
