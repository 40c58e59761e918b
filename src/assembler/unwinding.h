/* SPDX-License-Identifier: MIT */
/* By which register unwinders find the frame of a function, as its .cfi directives say:
 * where it is the stack pointer, they are to be told when that moves. */
#ifndef DH_ASSEMBLER_UNWINDING_H
#define DH_ASSEMBLER_UNWINDING_H

#include "assembler/text.h"

enum { DH_UNWINDING_MOST = 16 }; /* states that are remembered; usually one */

struct dh_unwinding {
	bool told;     /* between .cfi_startproc and .cfi_endproc */
	bool by_stack; /* the register is the stack pointer */
	bool kept[DH_UNWINDING_MOST];
	unsigned depth;
};

/* A directive with its operands. */
void dh_unwinding_follow(struct dh_unwinding *u, struct dh_text directive,
			 struct dh_text operands);

static inline bool dh_unwinding_by_stack(const struct dh_unwinding *u)
{
	return u->told && u->by_stack;
}

#endif
