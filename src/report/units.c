/* SPDX-License-Identifier: MIT */
/*
 * Which unit of the debug information has the code at an address, and which function. The
 * table of address ranges that debug information may have is not relied on (clang leaves
 * it out): one is made from the units themselves, and one of its functions for each unit
 * that is asked for. A unit can have tens of thousands of entries (sqlite is one unit), and
 * a trace as many addresses.
 */
#include "report/symbols_internal.h"

#include <dwarf.h>
#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
	const struct dh_code_range *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void sort(struct dh_code_ranges *all)
{
	if (all->len)
		qsort(all->at, all->len, sizeof *all->at, by_start);
}

static struct dh_code_range *find(const struct dh_code_ranges *all, Dwarf_Addr address)
{
	size_t low = 0, high = all->len;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (all->at[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address < all->at[low - 1].end ? &all->at[low - 1] : NULL;
}

/* The code of a unit or a function, which may be in several pieces. */
static void list_code(struct dh_code_ranges *all, Dwarf_Die *entry, size_t unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t i = 0;
	while ((i = dwarf_ranges(entry, i, &base, &start, &end)) > 0)
		if (start < end)
			dh_vec_push(all, (struct dh_code_range){start, end, unit, *entry,
								NULL});
}

/* ---- units ---- */

static void list_units(struct dh_symbol_module *m)
{
	Dwarf_Off at = 0, next;
	size_t header;
	m->ranged = true;
	while (dwarf_nextcu(m->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die entry;
		if (!dwarf_offdie(m->dwarf, at + header, &entry))
			break;
		list_code(&m->ranges, &entry, m->units.len);
		dh_vec_push(&m->units, (struct dh_unit){.listed = false});
		at = next;
	}
	sort(&m->ranges);
}

const struct dh_code_range *dh_unit_of(struct dh_symbol_module *m, Dwarf_Addr address)
{
	if (!m->dwarf)
		return NULL;
	if (!m->ranged)
		list_units(m);
	return find(&m->ranges, address);
}

/* ---- functions ---- */

/* All but those within functions, which are inlined there or found by their symbols. */
static void list_functions(struct dh_code_ranges *all, Dwarf_Die *parent)
{
	Dwarf_Die child;
	if (dwarf_child(parent, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			list_code(all, &child, 0);
			break;
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_module:
			list_functions(all, &child);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

struct dh_code_range *dh_unit_function(struct dh_symbol_module *m,
				       const struct dh_code_range *unit,
				       Dwarf_Addr address)
{
	struct dh_unit *u = &m->units.at[unit->unit];
	if (!u->listed) {
		Dwarf_Die whole = dh_module_whole_unit(unit->entry);
		u->listed = true;
		list_functions(&u->functions, &whole);
		sort(&u->functions);
	}
	return find(&u->functions, address);
}

void dh_units_free(struct dh_symbol_module *m)
{
	for (size_t i = 0; i < m->units.len; i++)
		dh_vec_free(&m->units.at[i].functions);
	dh_vec_free(&m->units);
	dh_vec_free(&m->ranges);
}
