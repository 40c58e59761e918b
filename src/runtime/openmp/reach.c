/* SPDX-License-Identifier: MIT */
/* See reach.h. */
#define _GNU_SOURCE
#include "runtime/openmp/reach.h"
#include <link.h>
#include "runtime/heap.h"
#include "runtime/text.h"

/* ---- where the variables are ---- */

enum { MODULES = 16 };

/* Of the thread's pointer, for each module that was there from the start. */
static struct variables {
	uintptr_t below; /* how far below it they begin */
	size_t size;
} variables[MODULES];
static uint32_t modules;

/* What the system's libraries have of their own leads to what all threads share. */
static bool is_system(const char *path)
{
	return dh_text_begins(path, "/lib") || dh_text_begins(path, "/usr/lib");
}

static bool is_ours(const struct dl_phdr_info *info, const ElfW(Phdr) * p)
{
	uintptr_t start = info->dlpi_addr + p->p_vaddr, at = (uintptr_t)&modules;
	return p->p_type == PT_LOAD && at - start < p->p_memsz;
}

static int add_module(struct dl_phdr_info *info, DH_UNUSED size_t size,
		      DH_UNUSED void *data)
{
	uintptr_t end = (uintptr_t)__builtin_thread_pointer();
	uintptr_t start = (uintptr_t)info->dlpi_tls_data;
	size_t length = 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_TLS)
			length = p->p_memsz;
		if (is_ours(info, p) || is_system(info->dlpi_name))
			return 0;
	}
	if (start && length && start < end && modules < MODULES)
		variables[modules++] = (struct variables){end - start, length};
	return 0;
}

void dh_omp_reach_init(void)
{
	dl_iterate_phdr(add_module, NULL);
}

/* ---- blocks known to be the thread's ---- */

enum { KNOWN = 16 };

struct known {
	uintptr_t base;
	size_t size;
	uint32_t site;
};
static __thread struct known known[KNOWN] __attribute__((tls_model("initial-exec")));
static __thread uint32_t oldest __attribute__((tls_model("initial-exec")));

static bool is_known(const struct dh_heap_block *b)
{
	for (const struct known *k = known; k < known + KNOWN; k++)
		if (k->base == b->base && k->size == b->size && k->site == b->alloc_site)
			return true;
	return false;
}

static void remember(const struct dh_heap_block *b)
{
	if (!is_known(b))
		known[oldest++ % KNOWN] = (struct known){b->base, b->size, b->alloc_site};
}

static uintptr_t word_at(uintptr_t addr)
{
	return __atomic_load_n((const uintptr_t *)addr, __ATOMIC_RELAXED);
}

void dh_omp_reach_from(uintptr_t addr)
{
	struct dh_heap_block b;
	if (dh_heap_find(word_at(addr & ~(uintptr_t)7), &b))
		remember(&b);
}

/* ---- searching ---- */

/* A block that is searched must not be unmapped meanwhile: large ones are not. */
enum { BLOCKS = 32, LARGEST = 1024 };

struct search {
	const struct dh_heap_block *wanted;
	struct dh_heap_block found[BLOCKS];
	uint32_t count;
};

static void add_found(struct search *s, const struct dh_heap_block *b)
{
	if (s->count == BLOCKS || b->size > LARGEST || b->freed)
		return;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->found[i].base == b->base)
			return;
	s->found[s->count++] = *b;
}

static bool leads_there(struct search *s, uintptr_t start, size_t size)
{
	uintptr_t at = (start + 7) & ~(uintptr_t)7;
	for (; at + 8 <= start + size; at += 8) {
		struct dh_heap_block b;
		uintptr_t word = word_at(at);
		if (word - s->wanted->base < s->wanted->size)
			return true;
		if (dh_heap_find(word, &b))
			add_found(s, &b);
	}
	return false;
}

static bool search(const struct dh_heap_block *wanted)
{
	uintptr_t end = (uintptr_t)__builtin_thread_pointer();
	struct search s = {.wanted = wanted};
	struct dh_heap_block b;
	for (uint32_t i = 0; i < KNOWN; i++)
		if (dh_heap_find(known[i].base, &b) && is_known(&b))
			add_found(&s, &b);
	for (uint32_t i = 0; i < modules; i++)
		if (leads_there(&s, end - variables[i].below, variables[i].size))
			return true;
	for (uint32_t i = 0; i < s.count; i++)
		if (leads_there(&s, s.found[i].base, s.found[i].size))
			return true;
	return false;
}

bool dh_omp_reach(uintptr_t addr)
{
	struct dh_heap_block b;
	if (!dh_heap_find(addr, &b))
		return false;
	if (is_known(&b))
		return true;
	if (!search(&b))
		return false;
	remember(&b);
	return true;
}
