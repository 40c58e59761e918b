/* SPDX-License-Identifier: MIT */
/* What the files of symbols.h share: symbols.c (the list), module.c (ELF files), units.c
 * (functions by address), source.c (frames), naming.c (functions and files), variables.c
 * (globals), parts.c (their members and elements). */
#ifndef DH_REPORT_SYMBOLS_INTERNAL_H
#define DH_REPORT_SYMBOLS_INTERNAL_H

#include "report/symbols.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* Code of a compilation unit or a function, in addresses of the debug information. */
struct dh_code_range {
	Dwarf_Addr start, end;
	size_t unit; /* its number, where it is one */
	Dwarf_Die entry;
	const char *name; /* of a function, once asked for (source.c) */
};

struct dh_code_ranges dh_vec(struct dh_code_range);

struct dh_unit {
	bool listed;			 /* functions are there */
	struct dh_code_ranges functions; /* ascending */
};

/* A variable with static storage, likewise; or of a thread's own: an offset. */
struct dh_variable_range {
	Dwarf_Addr base;
	uint64_t size; /* 0: not known */
	Dwarf_Die entry;
};

struct dh_variable_ranges dh_vec(struct dh_variable_range);

struct dh_symbol_module {
	char *path;
	struct dh_vec(struct dh_source_segment) segments;
	bool gone;
	bool opened, opened_debug; /* the rest has been looked for */
	Dwfl *dwfl;  /* NULL: the file could not be read */
	Dwfl_Module *module;
	uint64_t start, end; /* all that it takes in memory, zeroed data included */
	Dwarf *dwarf;	     /* NULL: no debug information */
	Dwarf_Addr bias;     /* process address = address of the information + bias */
	bool ranged;	     /* units and ranges are there */
	struct dh_vec(struct dh_unit) units;
	struct dh_code_ranges ranges; /* of the units, ascending */
	bool listed;					   /* variables are there */
	struct dh_variable_ranges variables;		   /* ascending */
	struct dh_variable_ranges locals; /* thread-local ones; likewise */
	enum dh_module_kind kind;
};

/* Opens the file, once. */
void dh_module_open(struct dh_symbol_module *m);

/* And its debug information, which takes longer: it may be in a file of its own, and
 * compressed. */
void dh_module_open_debug(struct dh_symbol_module *m);
void dh_module_close(struct dh_symbol_module *m);

/* The unit with all that is in it, which may be in a file of its own (-gsplit-dwarf); the
 * same where it is not, or the file is gone. Its lines are with the unit itself. */
Dwarf_Die dh_module_whole_unit(Dwarf_Die unit);

/* The unit that an address of the debug information is in, and the outermost function of
 * that unit (units.c). NULL where there is none. */
const struct dh_code_range *dh_unit_of(struct dh_symbol_module *m, Dwarf_Addr address);
struct dh_code_range *dh_unit_function(struct dh_symbol_module *m,
				       const struct dh_code_range *unit,
				       Dwarf_Addr address);
void dh_units_free(struct dh_symbol_module *m);

/* The frames of a return address, from the files (source.c); dh_symbols_frames() keeps
 * them. */
void dh_source_frames(struct dh_symbols *s, uint64_t pc, struct dh_source_frames *to);

/* The variables of a module that debug information tells of, ascending (variables.c). */
void dh_variables_list(struct dh_symbol_module *m);

/* The module of an address, opened with its debug information; NULL for none. */
struct dh_symbol_module *dh_symbols_find(struct dh_symbols *s, uint64_t address);

/* A symbol's name for people: kept by s; the same text where it is no mangled one. Without
 * its version, which linkers put behind the name of a variable that they take over from a
 * library (std::cout, stdout). */
const char *dh_symbols_demangle(struct dh_symbols *s, const char *name);

/* The name of an entry, qualified where the language has that; NULL where it has none. */
const char *dh_source_name(struct dh_symbols *s, Dwarf_Die *die);

/* A file's name without the detours in it: a/../b is b. NULL for NULL. */
const char *dh_source_path(struct dh_symbols *s, const char *path);

#endif
