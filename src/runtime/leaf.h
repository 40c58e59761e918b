/* SPDX-License-Identifier: MIT */
/*
 * Accesses of functions that have not told that they were entered: the contract between
 * src/pass, which puts the calls into the code that `deadheat cc` builds, and abi_leaf.c,
 * which answers them.
 *
 *	__deadheat_leaf_read8(address, caller)
 *
 * is as good as
 *
 *	__tsan_func_entry(caller)
 *	__tsan_read8(address)
 *	__tsan_func_exit()
 *
 * but that a repeat in its time frame, of which nobody wants to know where it is, is done
 * without the first and the last. So for reads and writes of 1, 2, 4, 8 and 16 bytes,
 * aligned or not.
 *
 * Every object that has such calls has these functions, too, made of those three: weak,
 * so that it can be linked with any runtime. What `deadheat cc` links has better ones
 * (hot.h).
 */
#ifndef DH_RUNTIME_LEAF_H
#define DH_RUNTIME_LEAF_H

#define DH_LEAF_CALL "__deadheat_leaf_" /* read8, ... */

#endif
