/* SPDX-License-Identifier: MIT */
/* The global variable at an address: by the symbol table, and in debug information its
 * declaration and the field or element that the address is in (parts.h). */
#include "report/parts.h"
#include "report/symbols_internal.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The offset of a thread-local variable in the storage of its module. */
static bool offset_of(Dwarf_Die *die, Dwarf_Word *offset)
{
	Dwarf_Attribute attr, place;
	Dwarf_Op *ops;
	size_t count;
	if (!dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocation(&attr, &ops, &count) || count != 2 ||
	    (ops[1].atom != DW_OP_GNU_push_tls_address &&
	     ops[1].atom != DW_OP_form_tls_address))
		return false;
	*offset = ops[0].number;
	if (ops[0].atom == DW_OP_const4u || ops[0].atom == DW_OP_const8u)
		return true;
	return (ops[0].atom == DW_OP_constx || ops[0].atom == DW_OP_GNU_const_index) &&
	       !dwarf_getlocation_attr(&attr, ops, &place) &&
	       !dwarf_formudata(&place, offset);
}

static void list_variable(struct dh_symbol_module *m, Dwarf_Die *die)
{
	struct dh_variable_range v = {.entry = *die};
	bool global = place_of(die, &v.base);
	if (!global && !offset_of(die, &v.base))
		return;
	v.size = dh_parts_size(die);
	dh_vec_push(global ? &m->variables : &m->locals, v);
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

static void sort(struct dh_variable_ranges *v)
{
	if (v->len)
		qsort(v->at, v->len, sizeof *v->at, by_base);
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
	sort(&m->variables);
	sort(&m->locals);
}

/* The variable at an address of the debug information, or NULL. */
static const struct dh_variable_range *find(const struct dh_variable_ranges *all,
					    Dwarf_Addr address)
{
	size_t low = 0, high = all->len;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (all->at[mid].base <= address)
			low = mid + 1;
		else
			high = mid;
	}
	const struct dh_variable_range *v = low ? &all->at[low - 1] : NULL;
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

/* Without what the C++ library puts behind names for its own sake: s[abi:cxx11]. */
static const char *untagged(struct dh_symbols *s, const char *name)
{
	const char *tag = name ? strstr(name, "[abi:") : NULL;
	const char *end = tag ? strchr(tag, ']') : NULL;
	if (!end)
		return name;
	char *text = malloc(strlen(name) + 1);
	if (!text)
		return name;
	sprintf(text, "%.*s%s", (int)(tag - name), name, end + 1);
	const char *kept = dh_symbols_keep(s, text);
	free(text);
	return untagged(s, kept);
}

/* What is said of a variable, or of none; bias lies between its base and its address. */
static bool by_source(struct dh_symbols *s, const struct dh_variable_range *v,
		      uint64_t bias, uint64_t address, uint64_t accessed,
		      struct dh_source_object *out)
{
	int line;
	if (!v)
		return false;
	Dwarf_Die die = v->entry;
	struct dh_part part;
	out->name = untagged(s, dh_source_name(s, &die));
	out->base = v->base + bias;
	out->size = v->size;
	out->offset = address - out->base;
	out->file = dh_source_path(s, declared_in(&die));
	out->line = dwarf_decl_line(&die, &line) == 0 ? (uint32_t)line : 0;
	dh_parts_name(&die, out->offset, accessed, &part);
	out->part = part.len ? dh_symbols_keep(s, part.text) : NULL;
	out->field = *part.field ? dh_symbols_keep(s, part.field) : NULL;
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
	out->name = untagged(s, dh_symbols_demangle(s, name));
	out->base = address - into;
	out->size = sym.st_size;
	out->offset = into;
	return true;
}

bool dh_symbols_object(struct dh_symbols *s, uint64_t address, uint64_t accessed,
		       struct dh_source_object *out)
{
	struct dh_symbol_module *m = dh_symbols_find(s, address);
	if (!m)
		return false;
	*out = (struct dh_source_object){.module = m->path};
	dh_variables_list(m);
	return by_source(s, find(&m->variables, address - m->bias), m->bias, address,
			 accessed, out) ||
	       by_symbol(s, m, address, out);
}

bool dh_symbols_local(struct dh_symbols *s, uint64_t module, uint64_t offset,
		      uint64_t accessed, struct dh_source_object *out)
{
	struct dh_symbol_module *m = dh_symbols_find(s, module);
	if (!m)
		return false;
	*out = (struct dh_source_object){.module = m->path};
	dh_variables_list(m);
	return by_source(s, find(&m->locals, offset), 0, offset, accessed, out);
}
