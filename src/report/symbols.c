/* SPDX-License-Identifier: MIT */
/* The list of modules of symbols.h, and the texts that go with it. */
#include "base/map.h"
#include "report/symbols_internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *room, size_t *len, int *status);

struct dh_symbols {
	struct dh_vec(struct dh_symbol_module *) modules;
	struct dh_vec(char *) texts;
	struct dh_map known; /* pc to its place in frames, as first << 8 | count */
	struct dh_source_frames frames;
	demangler *demangle;
	bool demangler_sought;
};

/* Addresses mean something else now. */
static void forget_frames(struct dh_symbols *s)
{
	dh_map_free(&s->known);
	dh_vec_free(&s->frames);
}

struct dh_symbols *dh_symbols_new(void)
{
	return dh_mem_alloc(sizeof(struct dh_symbols));
}

void dh_symbols_free(struct dh_symbols *s)
{
	for (size_t i = 0; i < s->modules.len; i++) {
		struct dh_symbol_module *m = s->modules.at[i];
		dh_module_close(m);
		dh_vec_free(&m->segments);
		free(m->path);
		dh_mem_free(m, sizeof *m);
	}
	for (size_t i = 0; i < s->texts.len; i++)
		free(s->texts.at[i]);
	dh_vec_free(&s->modules);
	dh_vec_free(&s->texts);
	forget_frames(s);
	dh_mem_free(s, sizeof *s);
}

void dh_symbols_add(struct dh_symbols *s, const char *path,
		    const struct dh_source_segment *segments, size_t count)
{
	struct dh_symbol_module *m = dh_mem_alloc(sizeof *m);
	m->path = strdup(path);
	for (size_t i = 0; i < count; i++) {
		dh_vec_push(&m->segments, segments[i]);
		m->start = i == 0 ? segments[i].start : m->start;
		m->end = segments[i].end;
	}
	dh_vec_push(&s->modules, m);
	forget_frames(s);
}

void dh_symbols_gone(struct dh_symbols *s, uint32_t number)
{
	if (number < s->modules.len)
		s->modules.at[number]->gone = true;
	forget_frames(s);
}

uint32_t dh_symbols_count(const struct dh_symbols *s)
{
	return (uint32_t)s->modules.len;
}

const char *dh_symbols_path(const struct dh_symbols *s, uint32_t number)
{
	return s->modules.at[number]->path;
}

enum dh_module_kind dh_symbols_kind(struct dh_symbols *s, uint32_t number)
{
	dh_module_open(s->modules.at[number]);
	return s->modules.at[number]->kind;
}

/* What has the address last, unless it is gone and another had it before. */
static struct dh_symbol_module *module_at(struct dh_symbols *s, uint64_t address)
{
	struct dh_symbol_module *found = NULL;
	for (size_t i = s->modules.len; i > 0; i--) {
		struct dh_symbol_module *m = s->modules.at[i - 1];
		dh_module_open(m);
		if (address < m->start || address >= m->end)
			continue;
		if (!m->gone)
			return m;
		found = found ? found : m;
	}
	return found;
}

struct dh_symbol_module *dh_symbols_find(struct dh_symbols *s, uint64_t address)
{
	struct dh_symbol_module *m = module_at(s, address);
	if (m)
		dh_module_open_debug(m);
	return m;
}

/* Stacks have most of their frames in common: each address is looked up once. */
void dh_symbols_frames(struct dh_symbols *s, uint64_t pc, struct dh_source_frames *to)
{
	bool fresh;
	uint64_t *place = dh_map_put(&s->known, pc, &fresh);
	if (fresh) {
		size_t first = s->frames.len;
		dh_source_frames(s, pc, &s->frames);
		*place = (uint64_t)first << 8 | (s->frames.len - first);
	}
	for (uint64_t i = *place >> 8, n = *place & 0xff; n > 0; i++, n--)
		dh_vec_push(to, s->frames.at[i]);
}

/* ---- texts ---- */

static const char *keep_part(struct dh_symbols *s, const char *text, size_t n)
{
	char *copy = strndup(text, n);
	DH_CHECK(copy != NULL);
	dh_vec_push(&s->texts, copy);
	return copy;
}

const char *dh_symbols_keep(struct dh_symbols *s, const char *text)
{
	return keep_part(s, text, strlen(text));
}

/* The C++ library of the machine has one; a program in C has no need of it, so it is
 * looked for when there is a name to turn. */
static void seek_demangler(struct dh_symbols *s)
{
	s->demangler_sought = true;
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
	if (!library)
		library = dlopen("libc++abi.so.1", RTLD_LAZY);
	void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
	memcpy(&s->demangle, &found, sizeof found);
}

const char *dh_symbols_demangle(struct dh_symbols *s, const char *name)
{
	const char *version = strchr(name, '@');
	if (version)
		name = keep_part(s, name, (size_t)(version - name));
	if (strncmp(name, "_Z", 2) != 0)
		return name;
	if (!s->demangler_sought)
		seek_demangler(s);
	int status = -1;
	char *text = s->demangle ? s->demangle(name, NULL, NULL, &status) : NULL;
	const char *piece = strchr(name, '.'); /* of a structure that the compiler has split */
	if (!text && piece && piece > name)
		return dh_symbols_demangle(s, keep_part(s, name, (size_t)(piece - name)));
	if (!text)
		return name;
	dh_vec_push(&s->texts, text);
	return text;
}
