/* SPDX-License-Identifier: MIT */
/* See parts.h. */
#include "report/parts.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"

/* ---- types ---- */

/* The type of an entry, without names and qualifiers around it. One that is described in
 * a unit of its own is a mere declaration here, which says where. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die declared;
	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), &declared) ||
	    dwarf_peel_type(&declared, type) != 0)
		return false;
	if (dwarf_attr(type, DW_AT_signature, &attr) &&
	    dwarf_formref_die(&attr, &declared))
		*type = declared;
	return true;
}

enum { MOST_DIMENSIONS = 8 };

/* How many elements each dimension of an array has; 0 where it is not said. */
static size_t dimensions(Dwarf_Die *type, Dwarf_Word *counts)
{
	Dwarf_Die range;
	size_t n = 0;
	if (dwarf_child(type, &range))
		return 0;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word value;
		if (dwarf_tag(&range) != DW_TAG_subrange_type || n == MOST_DIMENSIONS)
			continue;
		if (!dwarf_formudata(dwarf_attr(&range, DW_AT_count, &attr), &value))
			counts[n++] = value;
		else if (!dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attr),
					  &value))
			counts[n++] = value + 1;
		else
			counts[n++] = 0;
	} while (dwarf_siblingof(&range, &range) == 0);
	return n;
}

/* 0 where it is not known. libdw does not look for elements in units of their own. */
static Dwarf_Word size_of(Dwarf_Die *type)
{
	Dwarf_Word size, counts[MOST_DIMENSIONS];
	Dwarf_Die element;
	if (dwarf_aggregate_size(type, &size) == 0)
		return size;
	if (dwarf_tag(type) != DW_TAG_array_type || !type_of(type, &element) ||
	    dwarf_aggregate_size(&element, &size))
		return 0;
	for (size_t n = dimensions(type, counts); n > 0; n--)
		size *= counts[n - 1];
	return size;
}

/* ---- members ---- */

static void append(struct dh_part *p, const char *before, const char *name,
		   const char *after)
{
	int n = snprintf(p->text + p->len, sizeof p->text - p->len, "%s%s%s", before,
			 name, after);
	if (n > 0)
		p->len = DH_MIN(p->len + (size_t)n, sizeof p->text - 1);
}

/* Structures without a name are part of those around them. */
static void note_field(struct dh_part *p, Dwarf_Die *type, const char *member)
{
	char outer[sizeof p->field];
	const char *name = dwarf_diename(type);
	memcpy(outer, p->field, sizeof outer);
	if (!name && !*outer)
		return;
	if ((size_t)snprintf(p->field, sizeof p->field, "%s.%s", name ? name : outer,
			     member) >= sizeof p->field)
		p->field[0] = '\0';
}

/* Where a member is within its structure, in bits. */
struct place {
	Dwarf_Word from, to;
	bool field; /* a bit-field */
};

static bool number_of(Dwarf_Die *die, unsigned what, Dwarf_Word *to)
{
	Dwarf_Attribute attr;
	return dwarf_formudata(dwarf_attr_integrate(die, what, &attr), to) == 0;
}

/* In bytes: a number; before DWARF 4 an expression that adds it; 0 where there is none, as
 * in unions. False for a virtual base, whose place only an object can tell. */
static bool offset_of(Dwarf_Die *member, Dwarf_Word *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;
	*offset = 0;
	if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attr) ||
	    dwarf_formudata(&attr, offset) == 0)
		return true;
	if (dwarf_getlocation(&attr, &ops, &count) || count != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = ops[0].number;
	return true;
}

/* False for what is in no object: a static member, which is a member before DWARF 5. */
static bool place_in_object(Dwarf_Die *member, Dwarf_Die *type, struct place *p)
{
	Dwarf_Word at, bits, unit, above;
	if (dwarf_hasattr(member, DW_AT_external) || !offset_of(member, &at))
		return false;
	p->from = at * 8;
	p->field = number_of(member, DW_AT_bit_size, &bits);
	if (!p->field) {
		p->to = p->from + size_of(type) * 8;
		return true;
	}
	if (number_of(member, DW_AT_data_bit_offset, &at))
		p->from = at;
	else if (number_of(member, DW_AT_bit_offset, &above)) /* from the highest bit */
		p->from += (number_of(member, DW_AT_byte_size, &unit) ? unit
								      : size_of(type)) *
				   8 - above - bits;
	p->to = p->from + bits;
	return true;
}

/* Bit-fields side by side: to the language one location, which is what an access to one of
 * them may read and write. */
struct fields {
	const char *first, *last; /* NULL: none */
	Dwarf_Word from, to;
};

static bool goes_on(const struct fields *f, const struct place *p)
{
	return f->first && f->to == p->from;
}

/* Names those that have the byte; false where they do not. */
static bool name_fields(const struct fields *f, Dwarf_Word offset, Dwarf_Die *type,
			struct dh_part *p)
{
	char name[sizeof p->text];
	if (!f->first || offset < f->from / 8 || offset * 8 >= f->to)
		return false;
	snprintf(name, sizeof name, "%s%s%s", f->first, f->last == f->first ? "" : "..",
		 f->last == f->first ? "" : f->last);
	append(p, ".", name, "");
	note_field(p, type, name);
	return true;
}

/* Bytes of a variable that are looked for. */
struct sought {
	Dwarf_Word offset; /* in the type that is looked at */
	Dwarf_Word size;   /* 0: any */
	Dwarf_Word behind; /* the innermost part that has a name */
};

static void go_into(struct sought *at, Dwarf_Word bytes, bool named)
{
	at->offset -= bytes;
	if (named)
		at->behind = at->offset;
}

/* True where there is more to say of what is at the offset, which becomes that within the
 * member. */
static bool into_members(Dwarf_Die *type, struct sought *s, struct dh_part *p,
			 Dwarf_Die *next)
{
	Dwarf_Die member;
	struct fields fields = {0};
	if (dwarf_child(type, &member))
		return false;
	do {
		int tag = dwarf_tag(&member);
		bool base = tag == DW_TAG_inheritance;
		struct place at;
		if ((tag != DW_TAG_member && !base) || !type_of(&member, next) ||
		    !place_in_object(&member, next, &at))
			continue;
		const char *name = dwarf_diename(&member);
		if (at.field && goes_on(&fields, &at)) {
			fields.last = name;
			fields.to = at.to;
			continue;
		}
		if (name_fields(&fields, s->offset, type, p))
			return false;
		fields = at.field ? (struct fields){name, name, at.from, at.to}
				  : (struct fields){0};
		if (at.field || s->offset * 8 < at.from || s->offset * 8 >= at.to)
			continue;
		if (!base && name) {
			append(p, ".", name, "");
			note_field(p, type, name);
		}
		go_into(s, at.from / 8, !base && name);
		return true;
	} while (dwarf_siblingof(&member, &member) == 0);
	name_fields(&fields, s->offset, type, p);
	return false;
}

static bool into_elements(Dwarf_Die *type, struct sought *s, struct dh_part *p,
			  Dwarf_Die *next)
{
	Dwarf_Word counts[MOST_DIMENSIONS];
	size_t n = dimensions(type, counts);
	Dwarf_Word size = type_of(type, next) ? size_of(next) : 0;
	if (!size)
		return false;
	for (size_t i = 0; i < n; i++) {
		char number[24];
		Dwarf_Word below = size;
		for (size_t k = i + 1; k < n; k++)
			below *= counts[k];
		if (!below)
			return false;
		snprintf(number, sizeof number, "%llu",
			 (unsigned long long)(s->offset / below));
		append(p, "[", number, "]");
		go_into(s, s->offset / below * below, true);
	}
	return true;
}

/* ---- unions ---- */

static bool name_within(Dwarf_Die *type, struct sought s, unsigned depth,
			struct dh_part *p);

enum { MOST_NAMES = 3 }; /* that a part of a union is given */

/* What members of a union call the bytes. */
struct called {
	unsigned members; /* that have them */
	unsigned fit;	  /* of these, that have a part of just this place and size */
	struct dh_part any, fitting;
};

static void add_fitting(struct called *c, const struct dh_part *p, size_t before)
{
	if (++c->fit == 1)
		c->fitting = *p;
	else if (c->fit <= MOST_NAMES)
		append(&c->fitting, "|", p->text + before + (p->text[before] == '.'), "");
}

/* Which member the program means the bytes do not tell; their number may. Where it does
 * not, those that they may be; where these are too many, or none, how far behind the
 * innermost name they are. */
static bool name_in_union(Dwarf_Die *type, struct sought s, unsigned depth,
			  struct dh_part *p)
{
	Dwarf_Die member, inner;
	struct place at;
	struct called c = {0};
	if (dwarf_child(type, &member))
		return false;
	do {
		if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &inner) ||
		    !place_in_object(&member, &inner, &at) || s.offset * 8 >= at.to)
			continue;
		struct dh_part own = *p;
		struct sought within = s;
		const char *name = dwarf_diename(&member);
		if (name) {
			append(&own, ".", name, "");
			note_field(&own, type, name);
			go_into(&within, 0, true);
		}
		bool fits = name_within(&inner, within, depth + 1, &own) && !at.field;
		c.any = own;
		c.members++;
		if (fits)
			add_fitting(&c, &own, p->len);
	} while (dwarf_siblingof(&member, &member) == 0);
	bool known = c.fit && c.fit <= MOST_NAMES;
	if (known || c.members == 1) {
		*p = known ? c.fitting : c.any;
	} else if (s.behind && p->len) {
		char number[24];
		snprintf(number, sizeof number, "%llu", (unsigned long long)s.behind);
		append(p, "+", number, "");
	}
	return known;
}

/* ---- all of it ---- */

/* Names what is there in the type. True if that is the whole of a member or element, of
 * the size that was looked for. */
static bool name_within(Dwarf_Die *type, struct sought s, unsigned depth,
			struct dh_part *p)
{
	enum { DEEPEST = 16 };
	Dwarf_Die at = *type, next;
	for (bool on = true; on; at = on ? next : at) {
		on = false;
		if (depth++ == DEEPEST)
			return false;
		switch (dwarf_tag(&at)) {
		case DW_TAG_union_type:
			return name_in_union(&at, s, depth, p);
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			on = into_members(&at, &s, p, &next);
			break;
		case DW_TAG_array_type:
			on = into_elements(&at, &s, p, &next);
			break;
		}
	}
	return s.offset == 0 && s.size && size_of(&at) == s.size;
}

void dh_parts_name(Dwarf_Die *variable, uint64_t offset, uint64_t size, struct dh_part *p)
{
	Dwarf_Die type;
	*p = (struct dh_part){0};
	if (type_of(variable, &type))
		name_within(&type, (struct sought){offset, size, offset}, 0, p);
}

uint64_t dh_parts_size(Dwarf_Die *variable)
{
	Dwarf_Die type;
	return type_of(variable, &type) ? size_of(&type) : 0;
}
