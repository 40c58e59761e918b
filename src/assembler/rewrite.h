/* SPDX-License-Identifier: MIT */
/*
 * Puts calls into a compiler's assembly, by which its inline assembly tells the runtime
 * of its synchronisation (runtime/assembly.h). What stands between #APP and #NO_APP in a
 * function is looked at, one asm statement at a time; all else is left as it is, and so
 * is an asm statement that is not understood. Lines keep their numbers.
 *
 * Told of: instructions with a lock prefix, exchanges with memory, fences, and moves
 * between memory and a general register or a constant where such a move is the whole
 * statement, fences aside.
 */
#ifndef DH_ASSEMBLER_REWRITE_H
#define DH_ASSEMBLER_REWRITE_H

#include <stdio.h>
#include "assembler/text.h"

/* Could there be something to do: instrumented code with inline assembly? Fast. */
bool dh_rewrite_worthwhile(struct dh_text text);

/* Writes the new text; the number of instructions that tell. 0: nothing was to be done,
 * and what was written is as good as the text itself. */
size_t dh_rewrite(struct dh_text text, FILE *to);

#endif
