/* SPDX-License-Identifier: MIT */
/*
 * Whose thread-local variable an address is, for reports: of the modules that were loaded
 * with the program, whose blocks are at the same distance from each thread's pointer. Those
 * of modules that came later are blocks that the loader allocates.
 */
#ifndef DH_RUNTIME_THREAD_LOCALS_H
#define DH_RUNTIME_THREAD_LOCALS_H

#include "runtime/thread.h"

struct dh_thread_local {
	const struct dh_thread_info *thread;
	uintptr_t module; /* an address in the module that has the variable, */
	uint64_t offset;  /* and where in its thread-local storage that is */
};

/* At start-up, by the main thread: notes where the blocks are. */
void dh_thread_locals_init(void);

/* False where it is none of a thread that runs. Any thread, `inside`. */
bool dh_thread_local_find(uintptr_t address, struct dh_thread_local *out);

#endif
