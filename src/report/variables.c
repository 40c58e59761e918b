/* SPDX-License-Identifier: MIT */
/* The global variable at an address: by the symbol table, and in debug information its
 * declaration and the field or element that the address is in. */
#include "report/symbols_internal.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What is written so far of a part, and of the innermost structure that has a name and
 * the member within it. */
struct path {
	char text[256];
	size_t len;
	char field[256];
};

static void append(struct path *p, const char *before, const char *name,
		   const char *after)
{
	int n = snprintf(p->text + p->len, sizeof p->text - p->len, "%s%s%s", before,
			 name, after);
	if (n > 0)
		p->len = DH_MIN(p->len + (size_t)n, sizeof p->text - 1);
}

/* Structures without a name are part of those around them. */
static void note_field(struct path *p, Dwarf_Die *type, const char *member)
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
			struct path *p)
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

/* True where there is more to say of what is at the offset, which becomes that within the
 * member. */
static bool into_members(Dwarf_Die *type, Dwarf_Word *offset, struct path *p,
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
		if (name_fields(&fields, *offset, type, p))
			return false;
		fields = at.field ? (struct fields){name, name, at.from, at.to}
				  : (struct fields){0};
		if (at.field || *offset * 8 < at.from || *offset * 8 >= at.to)
			continue;
		if (!base && name) {
			append(p, ".", name, "");
			note_field(p, type, name);
		}
		*offset -= at.from / 8;
		return true;
	} while (dwarf_siblingof(&member, &member) == 0);
	name_fields(&fields, *offset, type, p);
	return false;
}

static bool into_elements(Dwarf_Die *type, Dwarf_Word *offset, struct path *p,
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
			 (unsigned long long)(*offset / below));
		append(p, "[", number, "]");
		*offset %= below;
	}
	return true;
}

static void describe(Dwarf_Die *die, Dwarf_Word offset, struct path *p)
{
	Dwarf_Die type, next;
	bool on = type_of(die, &type);
	for (int depth = 0; on && depth < 16; depth++) {
		switch (dwarf_tag(&type)) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			on = into_members(&type, &offset, p, &next);
			break;
		case DW_TAG_array_type:
			on = into_elements(&type, &offset, p, &next);
			break;
		default:
			on = false;
		}
		type = next;
	}
}

/* ---- variables ---- */

/* The address of a variable with static storage. */
static bool place_of(Dwarf_Die *die, Dwarf_Word *base)
{
	Dwarf_Attribute attr, place;
	Dwarf_Op *ops;
	size_t count;
	if (!dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocation(&attr, &ops, &count) || count != 1)
		return false;
	*base = ops[0].number;
	if (ops[0].atom == DW_OP_addr)
		return true;
	return (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) &&
	       !dwarf_getlocation_attr(&attr, ops, &place) &&
	       !dwarf_formaddr(&place, base);
}

static void list_variable(struct dh_symbol_module *m, Dwarf_Die *die)
{
	Dwarf_Die type;
	Dwarf_Word base;
	if (!place_of(die, &base))
		return;
	Dwarf_Word size = type_of(die, &type) ? size_of(&type) : 0;
	dh_vec_push(&m->variables,
		    (struct dh_variable_range){base, size, *die});
}

/* Those of a unit, also the ones within functions. */
static void list_below(struct dh_symbol_module *m, Dwarf_Die *parent)
{
	Dwarf_Die child;
	if (dwarf_child(parent, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
			list_variable(m, &child);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			list_below(m, &child);
			break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int by_base(const void *a, const void *b)
{
	const struct dh_variable_range *x = a, *y = b;
	return x->base < y->base ? -1 : x->base > y->base;
}

void dh_variables_list(struct dh_symbol_module *m)
{
	Dwarf_Off at = 0, next;
	size_t header;
	if (m->listed || !m->dwarf)
		return;
	m->listed = true;
	while (dwarf_nextcu(m->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;
		if (dwarf_offdie(m->dwarf, at + header, &unit)) {
			unit = dh_module_whole_unit(unit);
			list_below(m, &unit);
		}
		at = next;
	}
	if (m->variables.len)
		qsort(m->variables.at, m->variables.len, sizeof *m->variables.at,
		      by_base);
}

/* The variable at an address of the debug information, or NULL. */
static const struct dh_variable_range *find(struct dh_symbol_module *m,
					    Dwarf_Addr address)
{
	dh_variables_list(m);
	size_t low = 0, high = m->variables.len;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (m->variables.at[mid].base <= address)
			low = mid + 1;
		else
			high = mid;
	}
	const struct dh_variable_range *v = low ? &m->variables.at[low - 1] : NULL;
	return v && address < v->base + (v->size ? v->size : 1) ? v : NULL;
}

/* Not dwarf_decl_file(), which takes the first file of DWARF 5 for none. */
static const char *declared_in(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word number;
	Dwarf_Files *files;
	Dwarf_Die unit;
	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attr), &number) ||
	    !dwarf_diecu(die, &unit, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, NULL))
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static bool by_source(struct dh_symbols *s, struct dh_symbol_module *m, uint64_t address,
		      struct dh_source_object *out)
{
	const struct dh_variable_range *v = find(m, address - m->bias);
	int line;
	if (!v)
		return false;
	Dwarf_Die die = v->entry;
	struct path path = {0};
	out->name = dh_source_name(s, &die);
	out->base = v->base + m->bias;
	out->size = v->size;
	out->offset = address - out->base;
	out->file = dh_source_path(s, declared_in(&die));
	out->line = dwarf_decl_line(&die, &line) == 0 ? (uint32_t)line : 0;
	describe(&die, out->offset, &path);
	out->part = path.len ? dh_symbols_keep(s, path.text) : NULL;
	out->field = *path.field ? dh_symbols_keep(s, path.field) : NULL;
	return out->name != NULL;
}

static bool by_symbol(struct dh_symbols *s, struct dh_symbol_module *m, uint64_t address,
		      struct dh_source_object *out)
{
	GElf_Off into;
	GElf_Sym sym;
	const char *name = m->module ? dwfl_module_addrinfo(m->module, address, &into,
							    &sym, NULL, NULL, NULL)
				     : NULL;
	if (!name || !*name || into >= (sym.st_size ? sym.st_size : 1))
		return false;
	out->name = dh_symbols_demangle(s, name);
	out->base = address - into;
	out->size = sym.st_size;
	out->offset = into;
	return true;
}

bool dh_symbols_object(struct dh_symbols *s, uint64_t address,
		       struct dh_source_object *out)
{
	struct dh_symbol_module *m = dh_symbols_find(s, address);
	if (!m)
		return false;
	*out = (struct dh_source_object){.module = m->path};
	return by_source(s, m, address, out) || by_symbol(s, m, address, out);
}
