/* SPDX-License-Identifier: MIT */
/* Linked into programs, not into the library: has the loader call the runtime before
 * the constructors of any library. */
extern void __tsan_init(void);

__attribute__((section(".preinit_array"),
	       used)) static void (*const start)(void) = __tsan_init;
