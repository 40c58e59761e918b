/* SPDX-License-Identifier: MIT */
/* Tables generated from DH_OPS in event.h. */
#include "event/event.h"

static const char *const texts[] = {
#define X(id, text, kind) text,
	DH_OPS(X)
#undef X
};

static const uint8_t kinds[] = {
#define X(id, text, kind) kind,
	DH_OPS(X)
#undef X
};

const char *dh_op_text(enum dh_op op)
{
	DH_ASSERT(op < DH_OP_COUNT);
	return texts[op];
}

enum dh_name_kind dh_op_kind(enum dh_op op)
{
	DH_ASSERT(op < DH_OP_COUNT);
	return kinds[op];
}
