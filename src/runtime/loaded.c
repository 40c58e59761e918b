/* SPDX-License-Identifier: MIT */
/* See loaded.h. The program itself has no name with the loader; the kernel tells how it
 * was called. */
#define _GNU_SOURCE
#include "runtime/loaded.h"
#include <link.h>
#include <sys/auxv.h>
#include "runtime/modules.h"
#include "runtime/thread.h"

enum { PAGE = 4096 };

static struct dh_segment segment_of(const struct dl_phdr_info *m, const ElfW(Phdr) * h)
{
	uintptr_t start = m->dlpi_addr + h->p_vaddr, end = start + h->p_memsz;
	return (struct dh_segment){
	    .start = start & ~(uintptr_t)(PAGE - 1),
	    .end = (end + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
	    .offset = h->p_offset & ~(uint64_t)(PAGE - 1),
	    .executable = h->p_flags & PF_X,
	};
}

static int look_at(struct dl_phdr_info *m, DH_UNUSED size_t size, void *first)
{
	const char *path = m->dlpi_name;
	struct dh_segments all = {0};
	if (*(bool *)first && !*path)
		path = (const char *)getauxval(AT_EXECFN);
	*(bool *)first = false;
	for (int i = 0; i < m->dlpi_phnum; i++)
		if (m->dlpi_phdr[i].p_type == PT_LOAD)
			dh_vec_push(&all, segment_of(m, &m->dlpi_phdr[i]));
	if (path && *path && all.len)
		dh_modules_add(path, &all);
	dh_vec_free(&all);
	return 0;
}

void dh_loaded_note(void)
{
	struct dh_self *t = dh_thread_self();
	bool first = true;
	dh_enter_runtime(t);
	dl_iterate_phdr(look_at, &first);
	dh_leave_runtime(t);
}
