/* SPDX-License-Identifier: MIT */
/* See plt.h. Modules are gathered first and worked on afterwards, because looking up a
 * function asks the loader in turn. */
#define _GNU_SOURCE
#include "runtime/missing/plt.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include "base/kernel.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/vec.h"
#include "runtime/callers.h"
#include "runtime/missing/binding.h"
#include "runtime/missing/globals.h"
#include "runtime/missing/missing.h"
#include "runtime/missing/trampoline.h"
#include "runtime/missing/wanted.h"
#include "runtime/text.h"

enum { PAGE = 4096 };

static struct dh_plt_hook hooks[DH_TRAMPOLINES]; /* those below count are fixed */
static uint32_t count;				 /* atomic */
static uint64_t unhooked;			 /* atomic */
static struct dh_map by_function;		 /* under the lock, as is what follows */
static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);

const struct dh_plt_hook *dh_plt_hook(uint32_t number)
{
	return &hooks[number];
}

uint32_t dh_plt_hooked(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

uint64_t dh_plt_unhooked(void)
{
	return __atomic_load_n(&unhooked, __ATOMIC_RELAXED);
}

/* ---- modules ---- */

struct modules dh_vec(struct dl_phdr_info);

static struct modules present;	      /* as of this look */
static struct dh_vec(uintptr_t) done; /* bases of those whose slots have been seen to */

static bool is_ours(const struct dl_phdr_info *m)
{
	return dh_dynamic_covers(m, (uintptr_t)&dh_plt_hook);
}

static int note_module(struct dl_phdr_info *m, DH_UNUSED size_t size, void *to)
{
	dh_vec_push((struct modules *)to, *m);
	if (!is_ours(m))
		dh_globals_add(m);
	return 0;
}

static bool is_present(uintptr_t base)
{
	for (size_t i = 0; i < present.len; i++)
		if (present.at[i].dlpi_addr == base)
			return true;
	return false;
}

static bool is_done(uintptr_t base)
{
	for (size_t i = 0; i < done.len; i++)
		if (done.at[i] == base)
			return true;
	return false;
}

static void gather(void)
{
	size_t kept = 0;
	present.len = 0;
	dl_iterate_phdr(note_module, &present);
	for (size_t i = 0; i < done.len; i++)
		if (is_present(done.at[i]))
			done.at[kept++] = done.at[i];
	done.len = kept;
}

static const struct dl_phdr_info *module_of_code(uintptr_t address)
{
	for (size_t i = 0; i < present.len; i++)
		for (int k = 0; k < present.at[i].dlpi_phnum; k++) {
			const ElfW(Phdr) *h = &present.at[i].dlpi_phdr[k];
			if (h->p_type == PT_LOAD && h->p_flags & PF_X &&
			    address - (present.at[i].dlpi_addr + h->p_vaddr) < h->p_memsz)
				return &present.at[i];
		}
	return NULL;
}

static bool is_watched(const struct dl_phdr_info *m)
{
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];
		if (h->p_type == PT_LOAD && h->p_flags & PF_X)
			return dh_caller_kind(m->dlpi_addr + h->p_vaddr) ==
			       DH_CALLER_WATCHED;
	}
	return false;
}

/* ---- hooks ---- */

static const char *copy_of(const char *name)
{
	size_t len = dh_text_length(name);
	char *copy = dh_mem_alloc(len + 1);
	dh_copy(copy, name, len);
	return copy;
}

/* The trampoline for a function, or 0 where there is none any more. */
static uintptr_t trampoline_for(uintptr_t function, const char *name)
{
	bool fresh;
	uint64_t *number = dh_map_put(&by_function, function, &fresh);
	if (fresh && count == DH_TRAMPOLINES) {
		dh_map_remove(&by_function, function);
		return 0;
	}
	if (fresh) {
		*number = count;
		hooks[count] = (struct dh_plt_hook){function, copy_of(name)};
		__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
	}
	return dh_trampoline_at((uint32_t)*number);
}

/* Is it a function that nobody sees the inside of, and that counts? */
static bool is_missing(uintptr_t function, const char *name)
{
	const struct dl_phdr_info *m = module_of_code(function);
	return m && !is_ours(m) && !is_watched(m) &&
	       dh_missing_counts(m->dlpi_name, name);
}

static void see_to(struct dh_binding *b, const ElfW(Rela) * r, bool possible)
{
	uintptr_t *slot = (uintptr_t *)(b->module->dlpi_addr + r->r_offset);
	const char *name = dh_binding_name(b, r);
	if (!name || dh_trampoline_is(*slot))
		return;
	uintptr_t function = dh_binding_function(b, r, *slot);
	if (!function || !is_missing(function, name))
		return;
	uintptr_t to = possible ? trampoline_for(function, name) : 0;
	if (to)
		__atomic_store_n(slot, to, __ATOMIC_RELEASE);
	else
		__atomic_fetch_add(&unhooked, 1, __ATOMIC_RELAXED);
}

/* The part that the loader has made read-only, as it did. */
static void protect(const struct dl_phdr_info *m, int how)
{
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];
		uintptr_t start = (m->dlpi_addr + h->p_vaddr) & ~(uintptr_t)(PAGE - 1);
		uintptr_t end =
		    (m->dlpi_addr + h->p_vaddr + h->p_memsz) & ~(uintptr_t)(PAGE - 1);
		if (h->p_type == PT_GNU_RELRO && start < end)
			DH_KERNEL_3(__NR_mprotect, start, end - start, how);
	}
}

static void see_to_module(const struct dl_phdr_info *m, bool possible)
{
	struct dh_binding b;
	if (!dh_binding_of(m, &b))
		return;
	protect(m, PROT_READ | PROT_WRITE);
	for (size_t i = 0; i < b.calls; i++)
		see_to(&b, &b.call[i], possible);
	for (size_t i = 0; i < b.plains; i++)
		see_to(&b, &b.plain[i], possible);
	protect(m, PROT_READ);
}

static void hook_all(void)
{
	static bool asked, possible;
	if (!asked)
		possible = dh_trampoline_prepare();
	asked = true;
	gather();
	for (size_t i = 0; i < present.len; i++) {
		const struct dl_phdr_info *m = &present.at[i];
		if (is_done(m->dlpi_addr) || !is_watched(m))
			continue;
		dh_vec_push(&done, m->dlpi_addr);
		see_to_module(m, possible);
	}
}

/* ---- missing.h ---- */

void dh_missing_note(void)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_missing_wanted())
		return;
	dh_enter_runtime(t);
	dh_lock(&lock);
	hook_all();
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

void dh_missing_modules_gone(void)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_missing_wanted())
		return;
	dh_enter_runtime(t);
	dh_lock(&lock);
	gather();
	dh_globals_keep(is_present);
	dh_unlock(&lock);
	dh_leave_runtime(t);
}
