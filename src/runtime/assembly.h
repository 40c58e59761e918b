/* SPDX-License-Identifier: MIT */
/*
 * What inline assembly tells the runtime: the contract between src/assembler, which puts
 * the calls into the code that `deadheat cc` builds, and abi_asm.c, which answers them.
 *
 * An instruction that synchronises stands between two calls:
 *
 *	lea  -128(%rsp), %rsp	what is below the stack pointer may be in use
 *	push INDEX		with DH_ASM_BIT: the register with the bit
 *	push %rdi
 *	lea  OPERAND, %rdi
 *	push $CODE
 *	call __deadheat_asm_tell
 *	mov  8(%rsp), %rdi
 *	lea  144(%rsp), %rsp
 *	lock xadd ...		the program's own
 *	lea  -128(%rsp), %rsp
 *	push $CODE | DH_ASM_END
 *	call __deadheat_asm_tell
 *	lea  136(%rsp), %rsp
 *
 * and a fence behind one call, of __deadheat_asm_tell_fence, with its memory order for a
 * size. The two functions called are in every object that calls them, the same in all:
 * they keep the flags and rax, and call DH_ASM_NAME or DH_ASM_FENCE_NAME if there is one,
 * so that an object can be linked into whatever it could be linked into before.
 */
#ifndef DH_RUNTIME_ASSEMBLY_H
#define DH_RUNTIME_ASSEMBLY_H

/* Entry points of the library. Of two names, so that a module which has fences can be
 * told from others (fences.h). */
#define DH_ASM_NAME	  "__deadheat_asm"
#define DH_ASM_FENCE_NAME "__deadheat_asm_fence"

/* In the environment of a build with clang: the compiler, whose assembler is to be used.
 */
#define DH_ASSEMBLER "DEADHEAT_ASSEMBLER"

/* And where it hands on bitcode in place of assembly: its library of LLVM, and what its code
 * generator is to be told, each followed by a newline. */
#define DH_LLVM_LIBRARY "DEADHEAT_LLVM"
#define DH_CODEGEN	"DEADHEAT_CODEGEN"

enum dh_asm_what {
	DH_ASM_LOAD,
	DH_ASM_STORE,
	DH_ASM_MODIFY,
	DH_ASM_BIT,	     /* the same, of a bit that may lie beyond the operand */
	DH_ASM_COMPARE,	     /* cmpxchg */
	DH_ASM_COMPARE_PAIR, /* cmpxchg8b, cmpxchg16b */
	DH_ASM_FENCE,
};

/* CODE: bytes of the operand, what it is, and which of the two calls. */
enum {
	DH_ASM_SIZE = 0xff,
	DH_ASM_WHAT_SHIFT = 8,
	DH_ASM_WHAT = 0xff,
	DH_ASM_END = 1 << 16
};

#endif
