/* SPDX-License-Identifier: MIT */
/*
 * Memory that is a thread's and not a task's: its thread-local variables (threadprivate),
 * its private copies for reductions, and what these lead to (reach.h). Tasks that one
 * thread runs use it in turn, and nothing else orders them; nor need it.
 *
 * Context: any thread. The question is asked when a race is about to be reported.
 */
#ifndef DH_RUNTIME_OPENMP_MEMORY_H
#define DH_RUNTIME_OPENMP_MEMORY_H

#include "runtime/record.h"

/* Once, before the first question; where the loader may be asked. */
void dh_omp_memory_init(void);

/* There are tasks, which count as threads even where there is but one: so code that asks
 * the C library whether it may do without atomics (std::shared_ptr) shall not. */
void dh_omp_memory_not_alone(void);

/* Is addr a private copy, of any thread? What the library does with all of them orders it
 * itself. */
bool dh_omp_memory_of_threads(uintptr_t addr);

/* Is addr such memory of the calling thread, which has run both accesses? */
bool dh_omp_memory_of_one(uintptr_t addr, dh_record mine, dh_record other);

#endif
