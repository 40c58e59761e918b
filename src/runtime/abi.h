/* SPDX-License-Identifier: MIT */
/* What the files that define the compilers' entry points (abi_*.c) and the interposed
 * libc functions (intercept/) share. */
#ifndef DH_RUNTIME_ABI_H
#define DH_RUNTIME_ABI_H

#include "base/base.h"

/* A symbol that programs see; in the part that is linked into them (hot.h), their own. */
#ifdef DH_HOT
#define DH_EXPORT __attribute__((visibility("hidden"), weak))
#else
#define DH_EXPORT __attribute__((visibility("default")))
#endif

/* Where an entry point was called from: the access or the call to report. */
#define DH_CALLER() ((uint64_t)(uintptr_t)__builtin_return_address(0))

/* Makes the runtime ready; harmless when it is. Called by the instrumented modules'
 * constructors, and first of all by whatever interposed function comes earliest. */
void dh_runtime_init(void);

#endif
