/* SPDX-License-Identifier: MIT */
/*
 * The blocks of one function, which of them come before which on all ways, and its loops.
 * Instructions may be added to and removed from blocks while this is in use; the blocks
 * and the edges between them stay.
 */
#ifndef DH_PASS_CFG_H
#define DH_PASS_CFG_H

#include "pass/llvm.h"

enum { DH_NO_BLOCK = -1 };

struct dh_cfg_entry {
	struct ll_block *block;
	int number;
};

/* Blocks go by their numbers, in an order in which each comes after all that dominate it.
 * Those that cannot be reached have none. */
struct dh_cfg {
	struct ll_block **block;
	int blocks;
	int *dominator;		     /* the nearest one; of the first block itself */
	struct dh_cfg_entry *sorted; /* by address, to find the number of a block */
	int *from; /* predecessors of all, those of block b at [first[b], first[b + 1]) */
	int *first;
	struct dh_loop *loop; /* inner ones before those around them */
	int loops;
	int *innermost; /* the number of the innermost loop around each block, or -1 */
};

/* A natural loop with one way in, one way back and, if `exit` is a block, one way out. */
struct dh_loop {
	int header;
	int before; /* leads to the header and nowhere else; DH_NO_BLOCK: there is no such
		     */
	int latch;  /* DH_NO_BLOCK: there are several */
	int exit;   /* the only one that leaves it, and returns; else DH_NO_BLOCK */
	int around; /* the number of the next loop around it, or -1 */
	int size;   /* in blocks */
	bool *has;  /* which blocks */
};

/* The function has a body. False: no memory. */
bool dh_cfg_make(struct dh_cfg *g, struct ll_value *function);
void dh_cfg_drop(struct dh_cfg *g);

/* The number of a block; DH_NO_BLOCK where it cannot be reached. */
int dh_cfg_number(const struct dh_cfg *g, const struct ll_block *b);

/* Does every way to b lead through a? So does that to a itself. */
bool dh_cfg_dominates(const struct dh_cfg *g, int a, int b);

#endif
