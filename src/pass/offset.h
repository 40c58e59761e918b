/* SPDX-License-Identifier: MIT */
/* Addresses as a value and a constant number of bytes from there. */
#ifndef DH_PASS_OFFSET_H
#define DH_PASS_OFFSET_H

#include "pass/llvm.h"

struct dh_offset {
	struct ll_value *base;
	int64_t bytes;
};

struct dh_offset dh_offset_of(struct ll_layout *layout, struct ll_value *address);

#endif
