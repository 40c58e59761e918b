/* SPDX-License-Identifier: MIT */
/*
 * The dynamic section of a loaded module, as dl_iterate_phdr() shows modules: what the
 * dynamic loader works by.
 *
 * Context: any; takes no lock and allocates nothing.
 */
#ifndef DH_RUNTIME_DYNAMIC_H
#define DH_RUNTIME_DYNAMIC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for struct dl_phdr_info */
#endif
#include <link.h>
#include "base/base.h"

/* Its first entry; NULL where the module has none. The last one is DT_NULL. */
DH_INLINE const ElfW(Dyn) * dh_dynamic_of(const struct dl_phdr_info *m)
{
	for (int i = 0; i < m->dlpi_phnum; i++)
		if (m->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const ElfW(Dyn) *)(m->dlpi_addr +
						   m->dlpi_phdr[i].p_vaddr);
	return NULL;
}

/* Where an entry points to. The loader has made addresses of these; but not on every
 * system, and not in what the kernel itself maps. */
DH_INLINE uintptr_t dh_dynamic_place(const struct dl_phdr_info *m, ElfW(Addr) value)
{
	return value < m->dlpi_addr ? m->dlpi_addr + value : value;
}

/* Is the address in a mapped part of the module? */
DH_INLINE bool dh_dynamic_covers(const struct dl_phdr_info *m, uintptr_t address)
{
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];
		if (h->p_type == PT_LOAD &&
		    address - (m->dlpi_addr + h->p_vaddr) < h->p_memsz)
			return true;
	}
	return false;
}

/* Is it code of this library? */
DH_INLINE bool dh_dynamic_own(uintptr_t code)
{
	extern const char __ehdr_start[], _etext[] __attribute__((visibility("hidden")));
	return code - (uintptr_t)__ehdr_start < (uintptr_t)(_etext - __ehdr_start);
}

#endif
