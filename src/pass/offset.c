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

/* The one index of an address that is not constant, and what it counts; the bytes of the
 * others are added. False: there are several, or it cannot be told. */
static bool take_index(struct ll_layout *layout, struct dh_place *p)
{
	struct ll_type *type = dh_ll.GetGEPSourceElementType(p->base);
	struct dh_place found = {dh_ll.GetOperand(p->base, 0), NULL, 0, p->bytes};
	for (unsigned i = 1; i < (unsigned)dh_ll.GetNumOperands(p->base); i++) {
		struct ll_value *index = dh_ll.GetOperand(p->base, i);
		const bool constant = dh_ll.IsAConstantInt(index);
		if (!constant && found.index)
			return false;
		if (!add_index(layout, &type, i == 1,
			       constant ? dh_ll.ConstIntGetSExtValue(index) : 0,
			       &found.bytes))
			return false;
		if (constant)
			continue;
		found.index = index;
		found.unit = (int64_t)dh_ll.ABISizeOfType(layout, type);
	}
	if (!found.index || dh_ll.GetTypeKind(dh_ll.TypeOf(found.index)) != LL_INTEGER ||
	    dh_ll.GetIntTypeWidth(dh_ll.TypeOf(found.index)) != 64)
		return false;
	*p = found;
	return true;
}

/* Of an index that is a sum with a constant, that is bytes, too. */
static bool take_constant(struct dh_place *p)
{
	struct ll_value *v = p->index;
	int64_t more;
	if (!dh_ll.IsAInstruction(v))
		return false;
	const int opcode = dh_ll.GetInstructionOpcode(v);
	if (opcode != LL_ADD &&
	    !(opcode == LL_OR && dh_ll.GetIsDisjoint && dh_ll.GetIsDisjoint(v)))
		return false;
	struct ll_value *constant = dh_ll.GetOperand(v, 1);
	if (!dh_ll.IsAConstantInt(constant) ||
	    __builtin_mul_overflow(dh_ll.ConstIntGetSExtValue(constant), p->unit,
				   &more) ||
	    __builtin_add_overflow(p->bytes, more, &p->bytes))
		return false;
	p->index = dh_ll.GetOperand(v, 0);
	return true;
}

struct dh_place dh_place_of(struct ll_layout *layout, struct ll_value *address)
{
	struct dh_offset o = dh_offset_of(layout, address);
	struct dh_place p = {o.base, NULL, 0, o.bytes};
	if (!is_sum(o.base) || !take_index(layout, &p))
		return p;
	while (take_constant(&p))
		;
	o = dh_offset_of(layout, p.base);
	p.base = o.base;
	p.bytes += o.bytes;
	return p;
}
