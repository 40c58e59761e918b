/* SPDX-License-Identifier: MIT */
/*
 * Which instructions synchronise: reads one of x86-64 in AT&T syntax, prefixes included,
 * as far as to know what to tell of it. Pure functions.
 */
#ifndef DH_ASSEMBLER_INSTRUCTION_H
#define DH_ASSEMBLER_INSTRUCTION_H

#include "assembler/text.h"
#include "runtime/assembly.h"

struct dh_instruction {
	enum dh_asm_what what;
	unsigned size;		/* bytes; of a fence: its memory order */
	struct dh_text operand; /* in memory */
	bool on_stack;		/* whose address is relative to the stack pointer */
	const char *index;	/* of DH_ASM_BIT: the register, all 64 bits of it */
};

/* Does it synchronise wherever it stands: a locked instruction, an exchange with memory,
 * a fence? False too where it is not understood, or has an operand whose address cannot
 * be told (%fs:...). locked: by a prefix that stands before the statement. */
bool dh_instruction_read(struct dh_text statement, bool locked,
			 struct dh_instruction *found);

/* A move between memory and a general register or a constant, which synchronises where it
 * is all that an asm statement has, fences aside. */
bool dh_instruction_read_move(struct dh_text statement, struct dh_instruction *found);

/* Is it nothing but prefixes, as in "lock; xadd ..."? Raises locked if one of them is. */
bool dh_instruction_is_prefix(struct dh_text statement, bool *locked);

#endif
