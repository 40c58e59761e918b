/* SPDX-License-Identifier: MIT */
/* Entry points for the start and the end of functions that return at once. */
#include "runtime/abi.h"

DH_EXPORT void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	(void)pc;
}

DH_EXPORT void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
