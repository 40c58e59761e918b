/* SPDX-License-Identifier: MIT */
/* See ranges.h. Variables and functions are found in the symbol table, files and types in
 * the debug information. */
#include "report/ranges.h"
#include "base/glob.h"
#include "report/symbols_internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct search {
	struct dh_symbols *symbols;
	struct dh_symbol_module *module;
	uint64_t start; /* of the module, as dwfl has placed it */
	struct dh_range_rule *rules;
	size_t count;
	struct dh_ranges *to;
};

static bool has_name(const char *pattern, const char *name, size_t n)
{
	char *part = strndup(name, n);
	DH_CHECK(part != NULL);
	bool is = dh_glob(pattern, strlen(pattern), part, true);
	free(part);
	return is;
}

/* The compiler's copies of a function or variable have a dot and more behind the name. */
static bool names_symbol(struct search *w, const char *pattern, const char *raw)
{
	const char *name = dh_symbols_demangle(w->symbols, raw);
	return has_name(pattern, raw, strcspn(raw, ".")) ||
	       has_name(pattern, name, strlen(name)) ||
	       has_name(pattern, name, strcspn(name, "("));
}

static bool names_file(const char *pattern, const char *path)
{
	for (;;) {
		if (dh_glob(pattern, strlen(pattern), path, true))
			return true;
		path = strchr(path, '/');
		if (!path)
			return false;
		path++;
	}
}

static void add(struct search *w, uint64_t start, uint64_t end, bool code)
{
	if (start >= w->start && end > start)
		dh_vec_push(w->to,
			    (struct dh_range){start - w->start, end - w->start, code});
}

/* ---- the symbol table ---- */

static void look_at_symbol(struct search *w, const char *name, const GElf_Sym *sym,
			   uint64_t address)
{
	bool code = GELF_ST_TYPE(sym->st_info) == STT_FUNC;
	enum dh_range_rule_kind kind = code ? DH_RULE_FUNCTION : DH_RULE_VARIABLE;
	for (size_t i = 0; i < w->count; i++) {
		struct dh_range_rule *r = &w->rules[i];
		if (r->kind != kind || !names_symbol(w, r->pattern, name))
			continue;
		r->found++;
		add(w, address, address + sym->st_size, code);
		return;
	}
}

static void look_at_symbols(struct search *w)
{
	int n = dwfl_module_getsymtab(w->module->module);
	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(w->module->module, i, &sym,
							   &address, NULL, NULL, NULL);
		int type = name ? GELF_ST_TYPE(sym.st_info) : STT_NOTYPE;
		if (sym.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_OBJECT))
			look_at_symbol(w, name, &sym, address);
	}
}

/* ---- source files ---- */

static void add_unit(struct search *w, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0)
		add(w, start + w->module->bias, end + w->module->bias, true);
}

static void look_at_unit(struct search *w, Dwarf_Die *unit)
{
	const char *name = dh_source_path(w->symbols, dwarf_diename(unit));
	for (size_t i = 0; name && i < w->count; i++) {
		struct dh_range_rule *r = &w->rules[i];
		if (r->kind != DH_RULE_FILE || !names_file(r->pattern, name))
			continue;
		r->found++;
		add_unit(w, unit);
		return;
	}
}

static void look_at_units(struct search *w)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf *dwarf = w->module->dwarf;
	while (dwarf && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;
		if (dwarf_offdie(dwarf, at + header, &unit))
			look_at_unit(w, &unit);
		at = next;
	}
}

/* ---- types ---- */

/* Is the entry's type, or that of its elements, called so? By whatever name it has on the
 * way to the structure itself. */
static bool has_type(const char *pattern, Dwarf_Die *variable)
{
	Dwarf_Die at = *variable;
	Dwarf_Attribute attr;
	while (dwarf_formref_die(dwarf_attr_integrate(&at, DW_AT_type, &attr), &at) &&
	       dwarf_tag(&at) != DW_TAG_pointer_type) {
		const char *name = dwarf_diename(&at);
		if (name && dh_glob(pattern, strlen(pattern), name, true))
			return true;
	}
	return false;
}

static void look_at_variables(struct search *w)
{
	struct dh_symbol_module *m = w->module;
	dh_variables_list(m);
	for (size_t i = 0; i < m->variables.len; i++) {
		const struct dh_variable_range *v = &m->variables.at[i];
		Dwarf_Die die = v->entry;
		for (size_t k = 0; k < w->count; k++) {
			struct dh_range_rule *r = &w->rules[k];
			if (r->kind != DH_RULE_TYPE || !has_type(r->pattern, &die))
				continue;
			r->found++;
			add(w, v->base + m->bias, v->base + m->bias + v->size, false);
		}
	}
}

/* ---- all ---- */

static int by_start(const void *a, const void *b)
{
	const struct dh_range *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Joins those of a kind that touch; alignment may lie between two functions of a file. */
static void settle(struct dh_ranges *r, size_t from)
{
	enum { GAP = 16 };
	size_t kept = from;
	if (r->len == from)
		return;
	qsort(r->at + from, r->len - from, sizeof *r->at, by_start);
	for (size_t i = from + 1; i < r->len; i++) {
		struct dh_range *last = &r->at[kept];
		uint64_t reach = last->end + (last->code ? GAP - 1 : 0);
		if (r->at[i].code == last->code && r->at[i].start <= reach)
			last->end = DH_MAX(last->end, r->at[i].end);
		else
			r->at[++kept] = r->at[i];
	}
	r->len = kept + 1;
}

bool dh_ranges_find(const char *path, struct dh_range_rule *rules, size_t count,
		    struct dh_ranges *to)
{
	const uint64_t somewhere = (uint64_t)1 << 40;
	struct search w = {dh_symbols_new(), NULL, 0, rules, count, to};
	size_t from = to->len;
	dh_symbols_add(w.symbols, path,
		       &(struct dh_source_segment){somewhere, somewhere + 1, 0, true}, 1);
	w.module = dh_symbols_find(w.symbols, somewhere);
	bool good = w.module && w.module->module;
	if (good) {
		Dwarf_Addr start, end;
		dwfl_module_info(w.module->module, NULL, &start, &end, NULL, NULL, NULL,
				 NULL);
		w.start = start;
		look_at_symbols(&w);
		look_at_units(&w);
		look_at_variables(&w);
		settle(to, from);
	}
	dh_symbols_free(w.symbols);
	return good;
}
