/* SPDX-License-Identifier: MIT */
/* See unwinding.h. */
#include "assembler/unwinding.h"

static bool names_stack(struct dh_text operands)
{
	const char *comma = memchr(operands.at, ',', dh_text_len(operands));
	if (comma)
		operands.end = comma;
	if (operands.at < operands.end && operands.end[-1] == '\n')
		operands.end--;
	operands = dh_text_trim(operands);
	return dh_text_is(operands, "7") || dh_text_is(operands, "%rsp");
}

static void remember(struct dh_unwinding *u)
{
	if (u->depth < DH_UNWINDING_MOST)
		u->kept[u->depth] = u->by_stack;
	u->depth++;
}

static void restore(struct dh_unwinding *u)
{
	if (!u->depth)
		return;
	u->depth--;
	u->by_stack = u->depth < DH_UNWINDING_MOST && u->kept[u->depth];
}

void dh_unwinding_follow(struct dh_unwinding *u, struct dh_text directive,
			 struct dh_text operands)
{
	if (dh_text_is(directive, ".cfi_startproc"))
		*u = (struct dh_unwinding){.told = true, .by_stack = true};
	else if (dh_text_is(directive, ".cfi_endproc"))
		u->told = false;
	else if (dh_text_is(directive, ".cfi_def_cfa_register") ||
		 dh_text_is(directive, ".cfi_def_cfa"))
		u->by_stack = names_stack(operands);
	else if (dh_text_is(directive, ".cfi_remember_state"))
		remember(u);
	else if (dh_text_is(directive, ".cfi_restore_state"))
		restore(u);
	else if (dh_text_is(directive, ".cfi_escape"))
		u->by_stack = false; /* perhaps by an expression from here on */
}
