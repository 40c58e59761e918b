/* SPDX-License-Identifier: MIT */
/* See emit.h. */
#include "assembler/emit.h"

enum { RED_ZONE = 128, WORD = 8 };

static void moved(FILE *to, bool unwind, int bytes)
{
	if (unwind)
		fprintf(to, ".cfi_adjust_cfa_offset %d; ", bytes);
}

static void push(FILE *to, bool unwind, const char *what)
{
	fprintf(to, "pushq %s; ", what);
	moved(to, unwind, WORD);
}

static void call(FILE *to, const char *function, unsigned code, bool unwind)
{
	char constant[32];
	snprintf(constant, sizeof constant, "$%u", code);
	push(to, unwind, constant);
	fprintf(to, "call %s; ", function);
}

static void below(FILE *to, bool unwind)
{
	fprintf(to, "leaq -%d(%%rsp), %%rsp; ", RED_ZONE);
	moved(to, unwind, RED_ZONE);
}

static void back(FILE *to, int bytes, bool unwind)
{
	fprintf(to, "leaq %d(%%rsp), %%rsp; ", bytes);
	moved(to, unwind, -bytes);
}

/* The address of the operand, where the stack pointer is that much lower than for the
 * instruction itself. */
static void address(FILE *to, const struct dh_instruction *i, int lower)
{
	int n = (int)dh_text_len(i->operand);
	if (!i->on_stack) {
		fprintf(to, "leaq %.*s, %%rdi; ", n, i->operand.at);
		return;
	}
	const char *base = i->operand.end;
	while (base > i->operand.at && *base != '(')
		base--;
	int offset = (int)(base - i->operand.at);
	fprintf(to, "leaq %d", lower);
	if (offset)
		fprintf(to, "+(%.*s)", offset, i->operand.at);
	fprintf(to, "%.*s, %%rdi; ", n - offset, base);
}

void dh_emit_before(FILE *to, const struct dh_instruction *i, bool unwind)
{
	unsigned code = i->size | (unsigned)i->what << DH_ASM_WHAT_SHIFT;
	int lower = RED_ZONE + WORD;
	below(to, unwind);
	if (i->what == DH_ASM_FENCE) {
		call(to, "__deadheat_asm_tell_fence", code, unwind);
		back(to, RED_ZONE + WORD, unwind);
		return;
	}
	if (i->index) {
		char name[8];
		snprintf(name, sizeof name, "%%%s", i->index);
		push(to, unwind, name);
		lower += WORD;
	}
	push(to, unwind, "%rdi");
	address(to, i, lower);
	call(to, "__deadheat_asm_tell", code, unwind);
	fprintf(to, "movq %d(%%rsp), %%rdi; ", WORD);
	back(to, lower + WORD, unwind);
}

void dh_emit_behind(FILE *to, const struct dh_instruction *i, bool unwind)
{
	unsigned code = i->size | (unsigned)i->what << DH_ASM_WHAT_SHIFT | DH_ASM_END;
	if (i->what == DH_ASM_FENCE)
		return;
	fputs("; ", to);
	below(to, unwind);
	call(to, "__deadheat_asm_tell", code, unwind);
	back(to, RED_ZONE + WORD, unwind);
}

/* Not by way of a table of functions, whose slots are filled at the first call by code
 * that does not keep all registers. */
static void function(FILE *to, const char *name, const char *target)
{
	fprintf(to,
		"\t.section .text.%1$s,\"axG\",@progbits,%1$s,comdat\n"
		"\t.p2align 4\n"
		"\t.weak %1$s\n"
		"\t.hidden %1$s\n"
		"\t.type %1$s, @function\n"
		"\t.weak %2$s\n"
		"%1$s:\n"
		"\t.cfi_startproc\n"
		"\tpushfq\n"
		"\t.cfi_adjust_cfa_offset 8\n"
		"\tpushq %%rax\n"
		"\t.cfi_adjust_cfa_offset 8\n"
		"\tmovq %2$s@GOTPCREL(%%rip), %%rax\n"
		"\ttestq %%rax, %%rax\n"
		"\tje 1f\n"
		"\tcall *%%rax\n"
		"1:\tpopq %%rax\n"
		"\t.cfi_adjust_cfa_offset -8\n"
		"\tpopfq\n"
		"\t.cfi_adjust_cfa_offset -8\n"
		"\tret\n"
		"\t.cfi_endproc\n"
		"\t.size %1$s, . - %1$s\n",
		name, target);
}

void dh_emit_functions(FILE *to, bool operations, bool fences)
{
	if (operations)
		function(to, "__deadheat_asm_tell", DH_ASM_NAME);
	if (fences)
		function(to, "__deadheat_asm_tell_fence", DH_ASM_FENCE_NAME);
}
