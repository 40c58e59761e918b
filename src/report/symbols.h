/* SPDX-License-Identifier: MIT */
/*
 * From addresses of a process to names, by the files of its modules: function, file,
 * line and column with inlined calls, global variables with the field or element. Uses
 * debug information where there is some (also separate files that belong to the build
 * id), else the symbol table, else nothing but module and offset.
 *
 * Everything returned belongs to the symbols and is good until they are freed. One
 * thread at a time.
 */
#ifndef DH_REPORT_SYMBOLS_H
#define DH_REPORT_SYMBOLS_H

#include "base/vec.h"

struct dh_symbols;
struct dh_symbol_module;

/* A frame of a stack. What is not known is NULL or 0. */
struct dh_source_frame {
	uint64_t pc;	    /* as in the process */
	const char *module; /* path */
	uint64_t offset;    /* of the pc in the module, as linked */
	const char *function;
	uint64_t into; /* bytes from the start of the function, where there is no
			  line */
	const char *file;
	uint32_t line, column;
	bool folded;  /* a call of a recursion that may have had more rounds */
	bool inlined; /* the next frame is the function that it was inlined in */
	bool system;  /* of the C and C++ libraries or our runtime */
	bool runtime; /* of the latter */
};
struct dh_source_frames dh_vec(struct dh_source_frame);

/* A global variable, or a thread's own. */
struct dh_source_object {
	const char *module;
	const char *name;
	const char *part; /* "[3].next"; NULL where there is none or it is not known */
	const char *field; /* "node.next": structure and member; likewise */
	uint64_t base, size, offset;
	const char *file; /* of its declaration */
	uint32_t line;
};

/* A piece of a module in memory. */
struct dh_source_segment {
	uint64_t start, end, offset;
	bool executable;
};

enum dh_module_kind {
	DH_MODULE_INSTRUMENTED, /* tells the runtime of its accesses */
	DH_MODULE_PLAIN,
	DH_MODULE_SYSTEM,  /* plain, and in a folder of the system's libraries */
	DH_MODULE_RUNTIME, /* ours */
	DH_MODULE_UNREADABLE,
};

struct dh_symbols *dh_symbols_new(void);
void dh_symbols_free(struct dh_symbols *s);

/* A module with the next number, from 0. segments are copied. */
void dh_symbols_add(struct dh_symbols *s, const char *path,
		    const struct dh_source_segment *segments, size_t count);

/* It is mapped no longer. Addresses in it are still known, until another is there. */
void dh_symbols_gone(struct dh_symbols *s, uint32_t number);

uint32_t dh_symbols_count(const struct dh_symbols *s);
const char *dh_symbols_path(const struct dh_symbols *s, uint32_t number);
enum dh_module_kind dh_symbols_kind(struct dh_symbols *s, uint32_t number);

/* Appends the frames of a return address: inlined ones first. At least one. */
void dh_symbols_frames(struct dh_symbols *s, uint64_t pc, struct dh_source_frames *to);

/* The global variable at an address, of which an access touched so many bytes (0: that is
 * not known). False where there is none. */
bool dh_symbols_object(struct dh_symbols *s, uint64_t address, uint64_t accessed,
		       struct dh_source_object *out);

/* The thread-local variable at an offset in the storage of a module, which has an address
 * in it; likewise. base is not its address: each thread has another. */
bool dh_symbols_local(struct dh_symbols *s, uint64_t module, uint64_t offset,
		      uint64_t accessed, struct dh_source_object *out);

/* Keeps a copy of a text as long as the symbols. */
const char *dh_symbols_keep(struct dh_symbols *s, const char *text);

#endif
