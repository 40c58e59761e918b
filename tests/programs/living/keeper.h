/* SPDX-License-Identifier: MIT */
/* A box with references, in a library that is not instrumented. */
struct box {
	_Atomic int references;
	int value;
};

struct box *box_new(int references);
void box_put(struct box *b);
