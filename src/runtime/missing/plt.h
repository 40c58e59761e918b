/* SPDX-License-Identifier: MIT */
/*
 * The slots through which instrumented modules call functions of modules that are not,
 * redirected to the trampolines.
 *
 * A slot is bound when the module is loaded (-z now, -fno-plt, functions whose address is
 * taken) or at its first call; then the function is looked up here, as the dynamic loader
 * would. Functions of our own library, and of other instrumented modules, stay as they
 * are. A pointer to such a function that an instrumented module takes is that of the
 * trampoline.
 *
 * Context: any thread; takes no lock. Hooking itself is missing.h's.
 */
#ifndef DH_RUNTIME_MISSING_PLT_H
#define DH_RUNTIME_MISSING_PLT_H

#include "base/base.h"

/* A function that is hooked; the trampoline of the same number calls it. Fixed. */
struct dh_plt_hook {
	uintptr_t function;
	const char *name;
};
const struct dh_plt_hook *dh_plt_hook(uint32_t number);

/* How many are hooked, and how many should have been but there were too many. */
uint32_t dh_plt_hooked(void);
uint64_t dh_plt_unhooked(void);

#endif
