/* SPDX-License-Identifier: MIT */
/*
 * The statements of one asm statement of the source, as it arrives in the assembler: what
 * newlines and semicolons part, without comments and labels. Works in place.
 */
#ifndef DH_ASSEMBLER_STATEMENTS_H
#define DH_ASSEMBLER_STATEMENTS_H

#include "assembler/text.h"

enum { DH_STATEMENTS_MOST = 256 };

struct dh_statements {
	struct dh_text at[DH_STATEMENTS_MOST]; /* without blanks at the ends; no labels */
	bool labelled[DH_STATEMENTS_MOST];     /* a label stands right before it */
	size_t count;
};

/* False where the text has something that one had better not come between: macros and
 * conditions, other sections, another syntax or mode, code whose length or place counts
 * (loop, xbegin, jumps by a number of bytes, restartable sequences), more than fits. */
bool dh_statements_read(struct dh_text text, struct dh_statements *found);

#endif
