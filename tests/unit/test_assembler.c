/* SPDX-License-Identifier: MIT */
/* Which inline assembly is made to tell of itself, what it tells, and what is left as it
 * was. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/rewrite.h"
#include "runtime/assembly.h"

static char *made; /* the last new text */

static size_t rewrite(const char *text)
{
	size_t size, len = strlen(text);
	char *copy = malloc(len ? len : 1); /* no NUL at its end */
	memcpy(copy, text, len);
	free(made);
	FILE *to = open_memstream(&made, &size);
	size_t told = dh_rewrite((struct dh_text){copy, copy + len}, to);
	fclose(to);
	free(copy);
	if (!told)
		assert_string_equal(made, text);
	return told;
}

/* The same for one asm statement of a function. */
static size_t told(const char *statement)
{
	char *text;
	assert_true(asprintf(&text,
			     "\t.type\tf, @function\nf:\n\t.cfi_startproc\n#APP\n"
			     "# 3 \"a.c\" 1\n\t%s\n# 0 \"\" 2\n#NO_APP\n\tret\n"
			     "\t.cfi_endproc\n\t.size\tf, .-f\n",
			     statement) > 0);
	size_t n = rewrite(text);
	free(text);
	return n;
}

/* It tells, this much, of the operand at this address. */
static void assert_tells(const char *statement, enum dh_asm_what what, unsigned size,
			 const char *address)
{
	char lea[100], code[32];
	assert_int_equal(told(statement), 1);
	assert_non_null(strstr(made, statement));
	snprintf(lea, sizeof lea, "leaq %s, %%rdi; ", address);
	snprintf(code, sizeof code, "pushq $%u; ", (unsigned)what << 8 | size);
	if (*address)
		assert_non_null(strstr(made, lea));
	assert_non_null(strstr(made, code));
}

static void locked(void **state)
{
	(void)state;
	assert_tells("lock incl (%rdi)", DH_ASM_MODIFY, 4, "(%rdi)");
	assert_tells("LOCK XADDQ %RAX, 8(%R8,%RCX,4)", DH_ASM_MODIFY, 8, "8(%R8,%RCX,4)");
	assert_tells("lock xadd %r9b,g(%rip)", DH_ASM_MODIFY, 1, "g(%rip)");
	assert_tells("lock; subw $1, 2+g(%rip)", DH_ASM_MODIFY, 2, "2+g(%rip)");
	assert_tells("lock;\n\n\torl %eax, g", DH_ASM_MODIFY, 4, "g");
	assert_tells("lock cmpxchgl %ecx,(%rdx)", DH_ASM_COMPARE, 4, "(%rdx)");
	assert_tells("lock cmpxchg16b (%rsi)", DH_ASM_COMPARE_PAIR, 16, "(%rsi)");
	assert_tells("lock cmpxchg8b (%rsi)", DH_ASM_COMPARE_PAIR, 8, "(%rsi)");
	assert_tells("xacquire lock decq (%rax)", DH_ASM_MODIFY, 8, "(%rax)");
	assert_tells("xchg %eax, (%rdx)", DH_ASM_MODIFY, 4, "(%rdx)");
	assert_tells("xchgw (%rdx), %ax", DH_ASM_MODIFY, 2, "(%rdx)");
	assert_tells("lock btsl $3, (%rdx)", DH_ASM_MODIFY, 4, "(%rdx)");
	assert_tells("lock bts %r10d, (%rdx)", DH_ASM_BIT, 4, "(%rdx)");
	assert_non_null(strstr(made, "pushq %r10; "));
	assert_tells("lock; adcq $-1, x@tpoff(%rdx)", DH_ASM_MODIFY, 8, "x@tpoff(%rdx)");
}

/* An address by the stack pointer, which is lower where it is computed. */
static void on_the_stack(void **state)
{
	(void)state;
	assert_tells("lock incl -4(%rsp)", DH_ASM_MODIFY, 4, "136+(-4)(%rsp)");
	assert_tells("xchgq %rax,(%rsp)", DH_ASM_MODIFY, 8, "136(%rsp)");
	assert_tells("lock btrq %rax, 8+4(%rsp,%rcx)", DH_ASM_BIT, 8,
		     "144+(8+4)(%rsp,%rcx)");
	assert_tells("lock; addl $0, 0(%rsp)", DH_ASM_FENCE, __ATOMIC_SEQ_CST, "");
	assert_tells("lock orq $0, -64(%rsp)", DH_ASM_FENCE, __ATOMIC_SEQ_CST, "");
	assert_tells("lock addl $1, (%rsp)", DH_ASM_MODIFY, 4, "136(%rsp)");
}

static void fences(void **state)
{
	(void)state;
	assert_tells("mfence", DH_ASM_FENCE, __ATOMIC_SEQ_CST, "");
	assert_non_null(strstr(made, "call __deadheat_asm_tell_fence; "));
	assert_null(strstr(made, "__deadheat_asm_tell;"));
	assert_tells("lfence # load", DH_ASM_FENCE, __ATOMIC_ACQUIRE, "");
	assert_tells("sfence", DH_ASM_FENCE, __ATOMIC_RELEASE, "");
}

static void moves(void **state)
{
	(void)state;
	assert_tells("movl %eax, (%rdi)", DH_ASM_STORE, 4, "(%rdi)");
	assert_tells("mov (%rdi), %rax", DH_ASM_LOAD, 8, "(%rdi)");
	assert_tells("movb $0, g+1(%rip)", DH_ASM_STORE, 1, "g+1(%rip)");
	assert_tells("movzbl 3(%rdi), %eax", DH_ASM_LOAD, 1, "3(%rdi)");
	assert_tells("movslq (%rdi), %rax", DH_ASM_LOAD, 4, "(%rdi)");
	assert_int_equal(told("movl %eax, (%rdi); mfence"), 2);
	assert_int_equal(told("lfence\n\tmovl (%rdi), %eax\n\tlfence"), 3);
	/* Data, not synchronisation. */
	assert_int_equal(told("movl %eax, (%rdi); nop; mfence"), 1);
	assert_int_equal(told("movl %eax, (%rdi)\n\tmovl %edx, 4(%rdi)"), 0);
	assert_int_equal(told("1: movl %eax, (%rdi)"), 0);
	assert_int_equal(told("movl %eax, %edx"), 0);
	assert_int_equal(told("movl $1, %edx"), 0);
	assert_int_equal(told("movq %rsp, (%rdi)"), 0);
	assert_int_equal(told("movq (%rdi), %rsp"), 0);
	assert_int_equal(told("movq %fs:0, %rax"), 0);
	assert_int_equal(told("movq %xmm0, (%rdi)"), 0);
	assert_int_equal(told("movsb"), 0);
	assert_int_equal(told("movdqu (%rdi), %xmm0"), 0);
	assert_int_equal(told("movl $1, (%rdi); rep; stosl"), 0);
}

/* Of several instructions those that synchronise; all else stays in its place. */
static void several(void **state)
{
	(void)state;
	assert_int_equal(told("1:\tlock; decl (%rdi); js 2f # taken; lock incl (%rsi)\n"
			      "\t/* lock incl (%rsi)\n lock incl (%rsi) */ jmp 3f\n"
			      "2: pause; cmpl $0, (%rdi)\n\tjle 2b\n\tjmp 1b\n3:"),
			 1);
	assert_non_null(strstr(made, "1:\tleaq -128(%rsp)"));
	assert_non_null(strstr(made, "js 2f # taken; lock incl (%rsi)\n\t/* lock"));
	assert_int_equal(told("lock incl (%rdi)\n\tmfence\n\txchg %eax, (%rsi)"), 3);
	assert_int_equal(told(".pushsection .locks,\"a\"; .long 671f - .; .popsection; "
			      "671: lock; incl (%rdi)"),
			 1);
	assert_non_null(strstr(made, "671: leaq -128(%rsp)"));
	/* The same number of lines. */
	const char *text = "\t.type f, @function\n#APP\nlock;\nincl (%rdi)\n#NO_APP\n";
	assert_int_equal(rewrite(text), 1);
	assert_non_null(strstr(made, "lock;\nincl (%rdi); leaq"));
}

static void left_alone(void **state)
{
	static const char *const all[] = {
	    "",
	    "nop",
	    "rep; nop",
	    "lock",
	    "lock; 1: incl (%rdi)", /* jumps past the prefix */
	    "xchg %eax, %edx",
	    "incl (%rdi)",
	    "cmpxchg %eax, (%rdi)",
	    "lock incl %fs:4(%rax)", /* lea knows no segments */
	    "lock incl 8(%rip)",     /* counted from the instruction */
	    "lock incl (%esp)",
	    "lock unknown (%rdi)",
	    "lock addl %rax, (%rdi)", /* sizes that differ */
	    ".macro m\n lock incl (%rdi)\n .endm\n m",
	    ".if 1\n lock incl (%rdi)\n .endif",
	    ".rept 2\n lock incl (%rdi)\n .endr",
	    ".section .text.other\n lock incl (%rdi)\n .previous",
	    ".pushsection .text.other; lock incl (%rdi); .popsection",
	    ".intel_syntax noprefix; lock inc dword ptr [rdi]; .att_syntax",
	    ".code32; lock incl (%rdi); .code64",
	    "1: lock incl (%rdi); loop 1b", /* reaches 128 bytes */
	    "jmp .+6; lock incl (%rdi)",
	    "xbegin 1f; lock incl (%rdi); xend; 1:",
	    ".pushsection __rseq_cs, \"aw\"; .popsection; lock incl (%rdi)",
	    "x = 5; lock incl (%rdi)",
	    "lock; .byte 0x0f, 0xc1, 0x07",
	    "movb $'#', %al; lock incl (%rdi)",
	    "rep movsb",
	    "lock incl (%rdi",
	    "lock incl (%rdi), , %eax",
	    "lock \"incl\" (%rdi)",
	};
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (told(all[i]))
			fail_msg("tells: %s", all[i]);
}

/* Only in functions, only between the marks, only in the syntax that is known. */
static void files(void **state)
{
	(void)state;
	assert_int_equal(rewrite(""), 0);
	assert_int_equal(rewrite("#APP"), 0);
	assert_int_equal(rewrite("#APP\nf: lock incl (%rdi)\n ret\n#NO_APP\n"), 0);
	assert_int_equal(rewrite("\t.type f, @function\n\tlock incl (%rdi)\n"), 0);
	assert_int_equal(rewrite("\t.type f, @function\n\t.size f, .-f\n"
				 "#APP\n lock incl (%rdi)\n#NO_APP\n"),
			 0);
	assert_int_equal(rewrite("\t.intel_syntax noprefix\n\t.type f, @function\n"
				 "#APP\n lock incl (%rdi)\n#NO_APP\n"),
			 0);
	assert_int_equal(rewrite("\t.type f, @function\n#APP\n lock incl (%rdi)\n"), 0);
	/* As clang has it; and moves of two statements that gcc has in one block. */
	assert_int_equal(rewrite("\t.type\tf,@function\n\t#APP\n\tlock\n\t"
				 "incl\t(%rdi)\n\n\t#NO_APP\n"),
			 1);
	assert_int_equal(rewrite("\t.type f, @function\n#APP\n# 1 \"a.c\" 1\n"
				 " movl $1, (%rdi)\n# 0 \"\" 2\n# 2 \"a.c\" 1\n"
				 " movl $1, (%rsi)\n# 0 \"\" 2\n#NO_APP\n"),
			 2);
	assert_false(dh_rewrite_worthwhile((struct dh_text){NULL, NULL}));
}

/* Unwinders hear of it where they go by the stack pointer, and where they hear at all. */
static void unwinding(void **state)
{
	(void)state;
	static const struct {
		const char *directives;
		bool told;
	} all[] = {
	    {"", false},
	    {".cfi_startproc\n", true},
	    {".cfi_startproc\n.cfi_def_cfa_register 6\n", false},
	    {".cfi_startproc\n.cfi_def_cfa_register %rbp\n", false},
	    {".cfi_startproc\n\t.cfi_def_cfa 6, 16\n\t.cfi_def_cfa 7, 8\n", true},
	    {".cfi_startproc\n.cfi_escape 0xf,0x3,0x76,0x70,0x6\n", false},
	    {".cfi_startproc\n.cfi_remember_state\n.cfi_def_cfa 6, 8\n"
	     ".cfi_restore_state\n",
	     true},
	    {".cfi_startproc\n.cfi_endproc\n", false},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char text[300];
		snprintf(text, sizeof text,
			 "\t.type f, @function\n%s#APP\nlock incl (%%rdi)\n#NO_APP\n",
			 all[i].directives);
		assert_int_equal(rewrite(text), 1);
		*strstr(made, "#NO_APP") = '\0'; /* the functions have their own */
		assert_int_equal(strstr(made, ".cfi_adjust") != NULL, all[i].told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(locked),  cmocka_unit_test(on_the_stack),
	    cmocka_unit_test(fences),  cmocka_unit_test(moves),
	    cmocka_unit_test(several), cmocka_unit_test(left_alone),
	    cmocka_unit_test(files),   cmocka_unit_test(unwinding),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(made);
	return failed;
}
