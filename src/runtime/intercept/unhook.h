/* SPDX-License-Identifier: MIT */
/*
 * A library that tells us what orders its threads waits by means that must not count: the
 * locks and conditions inside of it would order more than it promises. So its calls go
 * past the interposed functions.
 */
#ifndef DH_RUNTIME_INTERCEPT_UNHOOK_H
#define DH_RUNTIME_INTERCEPT_UNHOOK_H

#include "base/base.h"

/* From now on calls of mutexes, conditions and semaphores by the module that pc is in are
 * those of the C library. Context: outside signal handlers; asks the loader. */
void dh_unhook_waits(uint64_t pc);

#endif
