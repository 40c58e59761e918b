/* SPDX-License-Identifier: MIT */
/*
 * What reports call a task or a thread of a region: a record (struct dh_thread_info) for
 * each place of the program that makes such, whichever and however many they are.
 *
 * Concurrency: any thread, `inside`; one lock.
 */
#ifndef DH_RUNTIME_OPENMP_NAMES_H
#define DH_RUNTIME_OPENMP_NAMES_H

#include "runtime/thread.h"

/* The id for tasks that are made at this site; parent is that of who makes one. */
uint32_t dh_omp_name_task(uint32_t site, uint32_t parent);

/* The id for number `number` of the teams of the region at this site. */
uint32_t dh_omp_name_region(uint32_t site, unsigned number, uint32_t parent);

#endif
