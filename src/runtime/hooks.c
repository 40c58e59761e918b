/* SPDX-License-Identifier: MIT */
/* See hooks.h. The linker exports a program's definition because this library refers to
 * the name. */
#include "runtime/hooks.h"

extern void __tsan_on_report(void *report) __attribute__((weak, visibility("default")));
extern void on_initialize(void) __asm__("_ZN6__tsan12OnInitializeEv")
    __attribute__((weak, visibility("default")));
extern bool on_finalize(bool failed) __asm__("_ZN6__tsan10OnFinalizeEb")
    __attribute__((weak, visibility("default")));
extern void __tsan_on_initialize(void) __attribute__((weak, visibility("default")));
extern int __tsan_on_finalize(int failed) __attribute__((weak, visibility("default")));
extern const char *__tsan_default_options(void)
    __attribute__((weak, visibility("default")));
extern const char *__tsan_default_suppressions(void)
    __attribute__((weak, visibility("default")));

static __thread const struct dh_race_facts *current
    __attribute__((tls_model("initial-exec")));

void dh_hook_report(const struct dh_race_facts *f)
{
	if (!__tsan_on_report)
		return;
	current = f;
	__tsan_on_report((void *)(uintptr_t)f);
	current = NULL;
}

void dh_hook_initialize(void)
{
	if (on_initialize)
		on_initialize();
	if (__tsan_on_initialize)
		__tsan_on_initialize();
}

bool dh_hook_finalize(bool failed)
{
	if (on_finalize)
		failed = on_finalize(failed);
	return __tsan_on_finalize ? __tsan_on_finalize(failed) != 0 : failed;
}

const char *dh_hook_options(void)
{
	const char *own = __tsan_default_options ? __tsan_default_options() : NULL;
	return own ? own : "";
}

const char *dh_hook_suppressions(void)
{
	const char *own =
	    __tsan_default_suppressions ? __tsan_default_suppressions() : NULL;
	return own ? own : "";
}

const struct dh_race_facts *dh_hook_current(void)
{
	return current;
}
