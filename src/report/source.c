/* SPDX-License-Identifier: MIT */
/*
 * The frames of a code address. The table of address ranges that debug information may
 * have is not relied on (clang leaves it out): one is made from the units themselves.
 */
#include "report/symbols_internal.h"
#include "report/wire.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* functions inlined into one another */

/* ---- units ---- */

static int by_start(const void *a, const void *b)
{
	const struct dh_unit_range *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void list_ranges(struct dh_symbol_module *m)
{
	Dwarf_Off at = 0, next;
	size_t header;
	m->ranged = true;
	while (dwarf_nextcu(m->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;
		Dwarf_Addr base, start, end;
		ptrdiff_t i = 0;
		if (!dwarf_offdie(m->dwarf, at + header, &unit))
			break;
		while ((i = dwarf_ranges(&unit, i, &base, &start, &end)) > 0)
			if (start < end)
				dh_vec_push(&m->ranges, (struct dh_unit_range){
							    start, end, at + header});
		at = next;
	}
	if (m->ranges.len)
		qsort(m->ranges.at, m->ranges.len, sizeof *m->ranges.at, by_start);
}

/* The unit that an address of the debug information is in. */
static bool unit_of(struct dh_symbol_module *m, Dwarf_Addr address, Dwarf_Die *unit)
{
	if (!m->dwarf)
		return false;
	if (!m->ranged)
		list_ranges(m);
	size_t low = 0, high = m->ranges.len;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (m->ranges.at[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address < m->ranges.at[low - 1].end &&
	       dwarf_offdie(m->dwarf, m->ranges.at[low - 1].unit, unit);
}

/* ---- functions ---- */

/* The functions around an address, outermost first: a real one, then inlined ones. */
struct nest {
	Dwarf_Die at[DEEPEST];
	size_t len;
};

static void descend(struct nest *n, Dwarf_Die *parent, Dwarf_Addr address)
{
	Dwarf_Die child;
	if (dwarf_child(parent, &child))
		return;
	do {
		int tag = dwarf_tag(&child);
		bool function =
		    tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
		if (function || tag == DW_TAG_lexical_block) {
			if (dwarf_haspc(&child, address) != 1)
				continue;
			if (function && n->len < DEEPEST)
				n->at[n->len++] = child;
			descend(n, &child, address);
			return;
		}
		if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
		    tag == DW_TAG_class_type || tag == DW_TAG_module) {
			size_t before = n->len;
			descend(n, &child, address);
			if (n->len > before)
				return;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* Where an inlined function was called from. */
static void call_site(struct dh_symbols *s, Dwarf_Die *unit, Dwarf_Die *die,
		      struct dh_source_frame *f)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Files *files;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &value) &&
	    !dwarf_getsrcfiles(unit, &files, NULL))
		f->file = dh_source_path(s, dwarf_filesrc(files, value, NULL, NULL));
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &value))
		f->line = (uint32_t)value;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_column, &attr), &value))
		f->column = (uint32_t)value;
}

/* The number of the last row at or before the address; -1 where there is none. */
static ptrdiff_t row_at(Dwarf_Lines *rows, size_t count, Dwarf_Addr address)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t mid = (low + high) / 2;
		Dwarf_Addr at;
		if (dwarf_lineaddr(dwarf_onesrcline(rows, mid), &at) == 0 && at <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return (ptrdiff_t)low - 1;
}

/* Code that a compiler has made of several places has line 0. Then the nearest row before
 * it that has a line, in the same function, inlined or not; NULL where there is none. */
static Dwarf_Line *near_line(Dwarf_Die *unit, const struct nest *n, Dwarf_Addr address)
{
	Dwarf_Lines *rows;
	size_t count;
	if (!n->len || dwarf_getsrclines(unit, &rows, &count))
		return NULL;
	for (ptrdiff_t i = row_at(rows, count, address); i >= 0; i--) {
		Dwarf_Line *row = dwarf_onesrcline(rows, (size_t)i);
		Dwarf_Die outer = n->at[0], inner = n->at[n->len - 1];
		Dwarf_Addr at;
		int line;
		if (dwarf_lineaddr(row, &at) || dwarf_haspc(&outer, at) != 1)
			return NULL;
		if (dwarf_haspc(&inner, at) == 1 && !dwarf_lineno(row, &line) && line)
			return row;
	}
	return NULL;
}

static void line_of(struct dh_symbols *s, Dwarf_Die *unit, const struct nest *nest,
		    Dwarf_Addr address, struct dh_source_frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address), *near;
	int n;
	if (!line)
		return;
	f->file = dh_source_path(s, dwarf_linesrc(line, NULL, NULL));
	f->line = dwarf_lineno(line, &n) == 0 ? (uint32_t)n : 0;
	f->column = dwarf_linecol(line, &n) == 0 ? (uint32_t)n : 0;
	if (f->line || !(near = near_line(unit, nest, address)))
		return;
	f->file = dh_source_path(s, dwarf_linesrc(near, NULL, NULL));
	f->line = dwarf_lineno(near, &n) == 0 ? (uint32_t)n : 0;
	f->column = 0; /* that much is not known */
}

/* ---- frames ---- */

static void by_symbol(struct dh_symbols *s, struct dh_symbol_module *m, uint64_t address,
		      struct dh_source_frame *f)
{
	GElf_Off into;
	GElf_Sym sym;
	const char *name = m->module ? dwfl_module_addrinfo(m->module, address, &into,
							    &sym, NULL, NULL, NULL)
				     : NULL;
	if (!name || !*name)
		return;
	f->function = dh_symbols_demangle(s, name);
	f->into = into;
}

/* A function with code of its own has a symbol too, and for some (lambdas) only that one
 * is complete. */
static const char *real_name(struct dh_symbols *s, struct dh_symbol_module *m,
			     uint64_t address, Dwarf_Die *die)
{
	const char *symbol = dwfl_module_addrname(m->module, address);
	if (symbol && strncmp(symbol, "_Z", 2) == 0)
		return dh_symbols_demangle(s, symbol);
	return dh_source_name(s, die);
}

/* By debug information: false where there is none. */
static bool by_source(struct dh_symbols *s, struct dh_symbol_module *m, uint64_t address,
		      struct dh_source_frame f, struct dh_source_frames *to)
{
	Dwarf_Die unit;
	Dwarf_Addr inner = address - m->bias;
	struct nest nest = {.len = 0};
	if (!unit_of(m, inner, &unit))
		return false;
	Dwarf_Die whole = dh_module_whole_unit(unit);
	descend(&nest, &whole, inner);
	line_of(s, &unit, &nest, inner, &f);
	if (!nest.len) {
		if (!f.file)
			return false;
		by_symbol(s, m, address, &f);
		dh_vec_push(to, f);
		return true;
	}
	for (size_t i = nest.len; i > 0; i--) {
		f.function = i > 1 ? dh_source_name(s, &nest.at[i - 1])
				   : real_name(s, m, address, &nest.at[0]);
		f.inlined = i > 1;
		dh_vec_push(to, f);
		if (i > 1) {
			f.file = NULL;
			f.line = f.column = 0;
			call_site(s, &whole, &nest.at[i - 1], &f);
		}
	}
	return true;
}

static bool is_libc(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	static const char *const names[] = {"libc.so.", "libc-2.", "libpthread",
					    "libstdc++.so.", "libc++.so."};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(file, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void dh_source_frames(struct dh_symbols *s, uint64_t pc, struct dh_source_frames *to)
{
	struct dh_source_frame f = {.pc = pc};
	/* The pc is where the call returns to, which may be another line. */
	uint64_t address = pc - 1;
	struct dh_symbol_module *m =
	    pc == DH_WIRE_LOST ? NULL : dh_symbols_find(s, address);
	if (!m) {
		dh_vec_push(to, f);
		return;
	}
	GElf_Addr elf_bias = m->start;
	if (m->module)
		dwfl_module_getelf(m->module, &elf_bias);
	f.module = m->path;
	f.offset = pc - elf_bias;
	f.runtime = m->kind == DH_MODULE_RUNTIME;
	f.system = f.runtime || is_libc(m->path);
	if (by_source(s, m, address, f, to))
		return;
	by_symbol(s, m, address, &f);
	dh_vec_push(to, f);
}
