/* SPDX-License-Identifier: MIT */
/* The frames of a code address. */
#include "report/symbols_internal.h"
#include "report/wire.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* functions inlined into one another */

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
		if ((!function && tag != DW_TAG_lexical_block) ||
		    dwarf_haspc(&child, address) != 1)
			continue;
		if (function && n->len < DEEPEST)
			n->at[n->len++] = child;
		descend(n, &child, address);
		return;
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
 * is complete. To look for a symbol takes long. */
static const char *real_name(struct dh_symbols *s, struct dh_symbol_module *m,
			     uint64_t address, struct dh_code_range *function)
{
	if (function->name)
		return function->name;
	const char *symbol = dwfl_module_addrname(m->module, address);
	function->name = symbol && strncmp(symbol, "_Z", 2) == 0
			     ? dh_symbols_demangle(s, symbol)
			     : dh_source_name(s, &function->entry);
	return function->name;
}

/* By debug information: false where there is none. */
static bool by_source(struct dh_symbols *s, struct dh_symbol_module *m, uint64_t address,
		      struct dh_source_frame f, struct dh_source_frames *to)
{
	Dwarf_Addr inner = address - m->bias;
	struct nest nest = {.len = 0};
	const struct dh_code_range *of = dh_unit_of(m, inner);
	if (!of)
		return false;
	Dwarf_Die unit = of->entry, whole = dh_module_whole_unit(unit);
	struct dh_code_range *function = dh_unit_function(m, of, inner);
	if (function) {
		nest.at[nest.len++] = function->entry;
		descend(&nest, &function->entry, inner);
	}
	line_of(s, &unit, &nest, inner, &f);
	if (!function) {
		if (!f.file)
			return false;
		by_symbol(s, m, address, &f);
		dh_vec_push(to, f);
		return true;
	}
	for (size_t i = nest.len; i > 0; i--) {
		f.function = i > 1 ? dh_source_name(s, &nest.at[i - 1])
				   : real_name(s, m, address, function);
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
