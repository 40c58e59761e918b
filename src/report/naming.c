/* SPDX-License-Identifier: MIT */
/* How functions, variables and files are called in a report. */
#include "report/symbols_internal.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions and variables ---- */

static bool qualifies(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_subprogram;
}

/* The entry that has the name and the place: of an inlined or later defined function its
 * declaration. */
static Dwarf_Die declaration(Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attr;
	for (int i = 0; i < 4; i++) {
		if (!dwarf_formref_die(dwarf_attr(&at, DW_AT_abstract_origin, &attr),
				       &next) &&
		    !dwarf_formref_die(dwarf_attr(&at, DW_AT_specification, &attr),
				       &next))
			break;
		at = next;
	}
	return at;
}

/* name with the namespaces, classes and functions around it. */
static const char *qualified(struct dh_symbols *s, Dwarf_Die *die, const char *name)
{
	Dwarf_Die at = declaration(die), *scopes = NULL;
	int count = dwarf_getscopes_die(&at, &scopes);
	char *text = NULL;
	size_t len;
	FILE *to = count > 1 ? open_memstream(&text, &len) : NULL;
	for (int i = count - 1; to && i > 0; i--) {
		const char *part = dwarf_diename(&scopes[i]);
		if (qualifies(dwarf_tag(&scopes[i])))
			fprintf(to, "%s::", part ? part : "(anonymous)");
	}
	free(scopes);
	if (!to)
		return name;
	fputs(name, to);
	fclose(to);
	const char *kept = dh_symbols_keep(s, text);
	free(text);
	return kept;
}

static bool is_cxx(Dwarf_Die *die)
{
	Dwarf_Die unit;
	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

const char *dh_source_name(struct dh_symbols *s, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *linkage = NULL;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		linkage = dwarf_formstring(&attr);
	if (linkage) {
		const char *name = dh_symbols_demangle(s, linkage);
		if (name != linkage)
			return name;
	}
	const char *name = dwarf_diename(die);
	return name && is_cxx(die) ? qualified(s, die, name) : name;
}

/* ---- files ---- */

/* Takes a part of a path off the end of text, unless there is none to take. */
static bool step_back(char *text, size_t *len)
{
	size_t at = *len;
	while (at > 0 && text[at - 1] != '/')
		at--;
	if (at == *len || strcmp(text + at, "..") == 0)
		return false;
	*len = at > 0 ? at - 1 : 0;
	text[*len] = '\0';
	return true;
}

const char *dh_source_path(struct dh_symbols *s, const char *path)
{
	if (!path || !strstr(path, "/."))
		return path;
	char *text = malloc(strlen(path) + 2);
	DH_CHECK(text != NULL);
	size_t len = 0;
	text[0] = '\0';
	const char *rest = path;
	while (*rest) {
		size_t n = strcspn(rest, "/");
		bool here = n == 0 || (n == 1 && rest[0] == '.');
		bool back = n == 2 && rest[0] == '.' && rest[1] == '.';
		if (!here && !(back && step_back(text, &len))) {
			if (len || *path == '/')
				text[len++] = '/';
			memcpy(text + len, rest, n);
			len += n;
			text[len] = '\0';
		}
		rest += n + (rest[n] == '/');
	}
	const char *kept = dh_symbols_keep(s, text);
	free(text);
	return kept;
}
