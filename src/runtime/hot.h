/* SPDX-License-Identifier: MIT */
/*
 * The entry points for accesses and function calls (abi_access.c) are built twice: into
 * the library, for programs that were linked without us, and as an object of its own that
 * `deadheat cc` links into every executable and shared library. A call of a function in
 * a shared library takes an indirect jump, which costs as much as all the rest of a
 * repeated access.
 *
 * The object works on the library's own state, so both have to agree on its layout. Names
 * that the two share therefore have a number in them, DH_HOT_LAYOUT, which is to be raised
 * whenever the layout of a record, of a cell, of the table of the shadow, of struct dh_self
 * down to its caches or of struct dh_thread_state down to its elders changes, or the
 * arguments of a function that they share. A program that was linked with another layout
 * then does not start, with the loader's message about a missing __deadheat_N_..., and has
 * to be linked again.
 */
#ifndef DH_RUNTIME_HOT_H
#define DH_RUNTIME_HOT_H

#define DH_HOT_LAYOUT "32"

/* In a declaration: the library has it, the object uses it. Protected: within the library
 * it is its own, whoever else defines the name. */
#ifdef DH_HOT
#define DH_HOT_VISIBLE __attribute__((visibility("default")))
#else
#define DH_HOT_VISIBLE __attribute__((visibility("protected")))
#endif
#define DH_SHARED(name) __asm__("__deadheat_" DH_HOT_LAYOUT "_" name)

#endif
