/* SPDX-License-Identifier: MIT */
/* See offset.h. */
#include "pass/offset.h"

static bool is_sum(struct ll_value *v)
{
	return dh_ll.IsAInstruction(v)	  ? dh_ll.GetInstructionOpcode(v) == LL_GEP
	       : dh_ll.IsAConstantExpr(v) ? dh_ll.GetConstOpcode(v) == LL_GEP
					  : false;
}

/* What one index adds, in bytes, of a number; *type becomes what is in there. False: it
 * cannot be told. */
static bool add_index(struct ll_layout *layout, struct ll_type **type, bool first,
		      int64_t number, int64_t *bytes)
{
	const int kind = dh_ll.GetTypeKind(*type);
	int64_t more;
	if (!first && kind == LL_STRUCT) {
		more = (int64_t)dh_ll.OffsetOfElement(layout, *type, (unsigned)number);
		*type = dh_ll.StructGetTypeAtIndex(*type, (unsigned)number);
		return !__builtin_add_overflow(*bytes, more, bytes);
	}
	if (!first && kind != LL_ARRAY)
		return false;
	if (!first)
		*type = dh_ll.GetElementType(*type);
	return !__builtin_mul_overflow(
		   number, (int64_t)dh_ll.ABISizeOfType(layout, *type), &more) &&
	       !__builtin_add_overflow(*bytes, more, bytes);
}

/* One step towards the base. */
static bool strip(struct ll_layout *layout, struct dh_offset *o)
{
	struct ll_type *type = dh_ll.GetGEPSourceElementType(o->base);
	int64_t bytes = o->bytes;
	for (unsigned i = 1; i < (unsigned)dh_ll.GetNumOperands(o->base); i++) {
		struct ll_value *index = dh_ll.GetOperand(o->base, i);
		if (!dh_ll.IsAConstantInt(index) ||
		    !add_index(layout, &type, i == 1, dh_ll.ConstIntGetSExtValue(index),
			       &bytes))
			return false;
	}
	*o = (struct dh_offset){dh_ll.GetOperand(o->base, 0), bytes};
	return true;
}

struct dh_offset dh_offset_of(struct ll_layout *layout, struct ll_value *address)
{
	struct dh_offset o = {address, 0};
	while (is_sum(o.base) && strip(layout, &o))
		;
	return o;
}
