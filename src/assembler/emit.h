/* SPDX-License-Identifier: MIT */
/* Writes the code by which an instruction tells of itself (runtime/assembly.h). On one
 * line, without a newline. Registers, flags and what lies below the stack pointer stay as
 * they were. */
#ifndef DH_ASSEMBLER_EMIT_H
#define DH_ASSEMBLER_EMIT_H

#include <stdio.h>
#include "assembler/instruction.h"

/* What is to be written before the instruction and behind it. unwind: with directives
 * for unwinders, who find the frame by the stack pointer here. */
void dh_emit_before(FILE *to, const struct dh_instruction *i, bool unwind);
void dh_emit_behind(FILE *to, const struct dh_instruction *i, bool unwind);

/* The functions that are called, at the end of the file. */
void dh_emit_functions(FILE *to, bool operations, bool fences);

#endif
