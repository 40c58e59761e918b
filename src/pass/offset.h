/* SPDX-License-Identifier: MIT */
/* Addresses as a value and a constant number of bytes from there. */
#ifndef DH_PASS_OFFSET_H
#define DH_PASS_OFFSET_H

#include "pass/llvm.h"

struct dh_offset {
	struct ll_value *base;
	int64_t bytes;
};

/* The same, and so many times a number that is not known. */
struct dh_place {
	struct ll_value *base, *index; /* NULL: there is none */
	int64_t unit, bytes;
};

struct dh_place dh_place_of(struct ll_layout *layout, struct ll_value *address);

struct dh_offset dh_offset_of(struct ll_layout *layout, struct ll_value *address);

#endif
