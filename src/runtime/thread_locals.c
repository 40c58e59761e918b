/* SPDX-License-Identifier: MIT */
/* See thread_locals.h. A thread's pointer is what the C library calls the thread by. */
#define _GNU_SOURCE
#include "runtime/thread_locals.h"
#include <link.h>
#include "runtime/intercept/handles.h"

enum { MOST_MODULES = 64 };

static struct block {
	uintptr_t below; /* how far the block begins below the thread's pointer */
	size_t size;
	uintptr_t module;
} blocks[MOST_MODULES]; /* constant after start-up */
static size_t count;

static int note(struct dl_phdr_info *m, DH_UNUSED size_t size, DH_UNUSED void *none)
{
	uintptr_t at = (uintptr_t)m->dlpi_tls_data, top = (uintptr_t)pthread_self();
	for (int i = 0; i < m->dlpi_phnum; i++)
		if (m->dlpi_phdr[i].p_type == PT_TLS && at && at < top &&
		    count < MOST_MODULES)
			blocks[count++] =
			    (struct block){top - at, m->dlpi_phdr[i].p_memsz,
					   (uintptr_t)m->dlpi_phdr};
	return 0;
}

void dh_thread_locals_init(void)
{
	dl_iterate_phdr(note, NULL);
}

bool dh_thread_local_find(uintptr_t address, struct dh_thread_local *out)
{
	pthread_t above;
	const struct dh_thread_info *info = dh_handle_above(address, &above);
	if (!info || !__atomic_load_n(&info->running, __ATOMIC_ACQUIRE))
		return false;
	for (size_t i = 0; i < count; i++) {
		uintptr_t offset = address - ((uintptr_t)above - blocks[i].below);
		if (offset < blocks[i].size) {
			*out = (struct dh_thread_local){info, blocks[i].module, offset};
			return true;
		}
	}
	return false;
}
