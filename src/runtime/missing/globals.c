/* SPDX-License-Identifier: MIT */
/* See globals.h. Modules are few and looked up by a walk over all of them. */
#define _GNU_SOURCE
#include "runtime/missing/globals.h"
#include "base/lock.h"
#include "base/vec.h"
#include "runtime/missing/reach.h"
#include "runtime/missing/variables.h"
#include "runtime/missing/wanted.h"
#include "runtime/text.h"

struct span {
	uintptr_t start, end;
};

struct module {
	uintptr_t base;
	struct span all;
	struct span fixed;		 /* what the loader has made read-only */
	struct dh_vec(struct span) data; /* what can be written to, but for that */
	char *path;
	bool plain;  /* its variables are of no interest */
	bool looked; /* into the file */
	struct dh_variables variables;
};

static struct dh_vec(struct module) modules; /* under the lock */
static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_THREADS);

/* ---- modules ---- */

static bool is_known(uintptr_t base)
{
	for (size_t i = 0; i < modules.len; i++)
		if (modules.at[i].base == base)
			return true;
	return false;
}

static char *copy_of(const char *path)
{
	size_t len = dh_text_length(path);
	char *copy = dh_mem_alloc(len + 1);
	dh_copy(copy, path, len);
	return copy;
}

static struct module module_of(const struct dl_phdr_info *m)
{
	struct module made = {.base = m->dlpi_addr, .all = {UINTPTR_MAX, 0}};
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];
		struct span s = {m->dlpi_addr + h->p_vaddr,
				 m->dlpi_addr + h->p_vaddr + h->p_memsz};
		if (h->p_type == PT_GNU_RELRO)
			made.fixed = s;
		if (h->p_type != PT_LOAD)
			continue;
		made.all.start = DH_MIN(made.all.start, s.start);
		made.all.end = DH_MAX(made.all.end, s.end);
		if (h->p_flags & PF_W)
			dh_vec_push(&made.data, s);
	}
	return made;
}

void dh_globals_add(const struct dl_phdr_info *m)
{
	dh_lock(&lock);
	if (!is_known(m->dlpi_addr)) {
		struct module made = module_of(m);
		made.plain = dh_missing_plain(m->dlpi_name);
		made.path = copy_of(*m->dlpi_name ? m->dlpi_name : "/proc/self/exe");
		dh_vec_push(&modules, made);
	}
	dh_unlock(&lock);
}

void dh_globals_keep(bool (*is)(uintptr_t base))
{
	size_t kept = 0;
	dh_lock(&lock);
	for (size_t i = 0; i < modules.len; i++) {
		struct module *m = &modules.at[i];
		if (is(m->base)) {
			modules.at[kept++] = *m;
			continue;
		}
		dh_vec_free(&m->data);
		dh_vec_free(&m->variables);
		dh_mem_free(m->path, dh_text_length(m->path) + 1);
	}
	modules.len = kept;
	dh_unlock(&lock);
}

/* ---- asking ---- */

static bool covers(struct span s, uintptr_t addr)
{
	return s.start <= addr && addr < s.end;
}

static struct module *module_at(uintptr_t addr)
{
	for (size_t i = 0; i < modules.len; i++)
		if (covers(modules.at[i].all, addr))
			return &modules.at[i];
	return NULL;
}

/* The last variable that begins at or before the address. */
static size_t index_before(const struct dh_variables *v, uintptr_t addr)
{
	size_t from = 0, to = v->len;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (v->at[middle].start <= addr)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static struct dh_object variable_at(struct module *m, struct span data, uintptr_t addr)
{
	if (!m->looked) {
		m->looked = true;
		dh_variables_read(m->path, m->base, &m->variables);
	}
	const struct dh_variables *v = &m->variables;
	size_t i = index_before(v, addr);
	if (i > 0 && addr - v->at[i - 1].start < v->at[i - 1].size)
		return (struct dh_object){v->at[i - 1].start, v->at[i - 1].size, true};
	uintptr_t start = addr & ~(uintptr_t)7;
	uintptr_t end = DH_MIN(data.end, start + DH_REACH_GUESS);
	if (i < v->len)
		end = DH_MIN(end, v->at[i].start);
	return (struct dh_object){start, DH_MAX(end, addr + 1) - start, false};
}

enum dh_global dh_global_at(uintptr_t addr, struct dh_object *out)
{
	enum dh_global is = DH_GLOBAL_NOT;
	dh_lock(&lock);
	struct module *m = module_at(addr);
	if (m)
		is = DH_GLOBAL_FIXED;
	for (size_t i = 0; m && !m->plain && i < m->data.len; i++) {
		if (covers(m->data.at[i], addr) && !covers(m->fixed, addr)) {
			*out = variable_at(m, m->data.at[i], addr);
			is = DH_GLOBAL_VARIABLE;
			break;
		}
	}
	dh_unlock(&lock);
	return is;
}
