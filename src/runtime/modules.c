/* SPDX-License-Identifier: MIT */
/*
 * The list of modules.h. Mappings of one file that follow each other with rising
 * offsets are one module, if any of them can be executed.
 */
#include "runtime/modules.h"
#include "base/kernel.h"
#include "base/lock.h"
#include "base/stable.h"
#include "runtime/maps.h"
#include "runtime/text.h"

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);
static struct dh_stable modules; /* of struct dh_module *, by number */
static uint32_t count;		 /* atomic: complete ones */
static bool changed = true;	 /* atomic */
static bool shown;		 /* atomic */

const struct dh_module *dh_modules_at(uint32_t number)
{
	return *(struct dh_module **)dh_stable_get(&modules, number, sizeof(void *));
}

static struct dh_module *module_at(uint32_t number)
{
	return *(struct dh_module **)dh_stable_get(&modules, number, sizeof(void *));
}

uint32_t dh_modules_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

/* ---- reading ---- */

static void module_free(struct dh_module *m)
{
	dh_mem_free(m->path, dh_text_length(m->path) + 1);
	dh_vec_free(&m->segments);
	dh_mem_free(m, sizeof *m);
}

static struct dh_module *module_new(const char *path, uint64_t device, uint64_t inode)
{
	struct dh_module *m = dh_mem_alloc(sizeof *m);
	size_t len = dh_text_length(path);
	m->device = device;
	m->inode = inode;
	m->path = dh_mem_alloc(len + 1);
	dh_copy(m->path, path, len);
	return m;
}

static bool continues(const struct dh_module *m, const struct dh_mapping *next)
{
	const struct dh_segment *last = &m->segments.at[m->segments.len - 1];
	return m->inode == next->inode && m->device == next->device &&
	       last->offset <= next->offset;
}

static bool same_module(const struct dh_module *a, const struct dh_module *b)
{
	return a->inode == b->inode && a->device == b->device &&
	       a->segments.at[0].start == b->segments.at[0].start;
}

/* A module that was found: known already, or new. seen has a byte for each. */
static void keep(struct dh_module *m, uint8_t *seen, uint32_t known)
{
	bool code = false;
	for (size_t i = 0; i < m->segments.len; i++)
		code |= m->segments.at[i].executable;
	for (uint32_t i = 0; code && i < known; i++) {
		if (module_at(i)->gone || !same_module(module_at(i), m))
			continue;
		seen[i] = 1;
		code = false;
	}
	if (!code) {
		module_free(m);
		return;
	}
	m->number = count;
	*(struct dh_module **)dh_stable_make(&modules, count, sizeof m) = m;
	/* Release: the module is complete. */
	__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

static void read_all(struct dh_maps *maps, uint8_t *seen, uint32_t known)
{
	struct dh_module *open = NULL;
	struct dh_mapping at;
	while (dh_maps_next(maps, &at)) {
		if (at.inode == 0 || at.path[0] != '/')
			continue;
		if (open && !continues(open, &at)) {
			keep(open, seen, known);
			open = NULL;
		}
		if (!open)
			open = module_new(at.path, at.device, at.inode);
		dh_vec_push(
		    &open->segments,
		    (struct dh_segment){at.start, at.end, at.offset, at.executable});
	}
	if (open)
		keep(open, seen, known);
}

static void scan(void)
{
	struct dh_maps maps;
	__atomic_store_n(&changed, false, __ATOMIC_RELAXED);
	bool can = dh_maps_open(&maps);
	__atomic_store_n(&shown, can, __ATOMIC_RELAXED);
	if (!can)
		return;
	uint32_t known = count;
	uint8_t *seen = dh_mem_alloc(known + 1);
	read_all(&maps, seen, known);
	dh_maps_close(&maps);
	for (uint32_t i = 0; i < known; i++)
		if (!seen[i])
			__atomic_store_n(&module_at(i)->gone, true, __ATOMIC_RELAXED);
	dh_mem_free(seen, known + 1);
}

void dh_modules_scan(void)
{
	dh_lock(&lock);
	scan();
	dh_unlock(&lock);
}

/* Without the kernel's word on files a module is told by its path and place. */
void dh_modules_add(const char *path, const struct dh_segments *segments)
{
	enum { LONGEST = 4096 };
	struct dh_text whole = {0};
	uint64_t inode = 0;
	dh_vec_reserve(&whole, LONGEST);
	long n = *path == '/' ? 0 : DH_KERNEL_2(__NR_getcwd, whole.at, LONGEST);
	whole.len = n > 0 ? (size_t)n - 1 : 0;
	dh_text_add(&whole, n > 0 ? "/" : "");
	dh_text_add(&whole, path);
	for (size_t i = 0; i < whole.len; i++)
		inode = inode * 31 + (unsigned char)whole.at[i];
	struct dh_module *m = module_new(dh_text_c(&whole), 0, inode);
	for (size_t i = 0; i < segments->len; i++)
		dh_vec_push(&m->segments, segments->at[i]);
	dh_vec_free(&whole);
	dh_lock(&lock);
	uint8_t *seen = dh_mem_alloc(count + 1);
	uint32_t known = count;
	keep(m, seen, known);
	dh_mem_free(seen, known + 1);
	dh_unlock(&lock);
}

bool dh_modules_shown(void)
{
	return __atomic_load_n(&shown, __ATOMIC_RELAXED);
}

void dh_modules_changed(void)
{
	__atomic_store_n(&changed, true, __ATOMIC_RELAXED);
}

/* ---- looking up ---- */

static bool covers(const struct dh_module *m, uintptr_t address)
{
	for (size_t i = 0; i < m->segments.len; i++)
		if (m->segments.at[i].start <= address && address < m->segments.at[i].end)
			return true;
	return false;
}

const struct dh_module *dh_modules_find(uintptr_t address)
{
	const struct dh_module *found = NULL;
	for (uint32_t i = dh_modules_count(); i > 0; i--) {
		const struct dh_module *m = dh_modules_at(i - 1);
		if (!covers(m, address))
			continue;
		if (!__atomic_load_n(&m->gone, __ATOMIC_RELAXED))
			return m;
		found = found ? found : m;
	}
	return found;
}

void dh_modules_know(const uint64_t *addresses, size_t n)
{
	bool read = __atomic_load_n(&changed, __ATOMIC_RELAXED);
	for (size_t i = 0; i < n && !read; i++)
		read = !dh_modules_find(addresses[i]);
	if (read)
		dh_modules_scan();
}

bool dh_modules_mapping(uintptr_t address, uintptr_t *start, uintptr_t *end)
{
	struct dh_maps maps;
	struct dh_mapping at;
	bool found = false;
	if (!dh_maps_open(&maps))
		return false;
	while (!found && dh_maps_next(&maps, &at)) {
		found = at.start <= address && address < at.end;
		*start = at.start;
		*end = at.end;
	}
	dh_maps_close(&maps);
	return found;
}
