/* SPDX-License-Identifier: MIT */
/*
 * Functions under the version alone that programs have bound them to, which the linker does not
 * take for new programs (symbols.map). So are those of libraries that not each program is linked
 * to, and those of names that libraries of others may have for something else: who has been
 * linked to that does not get ours.
 *
 *	DH_BOUND(dh_warn_error, error);
 */
#ifndef DH_RUNTIME_INTERCEPT_BOUND_H
#define DH_RUNTIME_INTERCEPT_BOUND_H

/* The first that the C library had on the machine. */
#ifdef __x86_64__
#define DH_BOUND_VERSION "GLIBC_2.2.5"
#else
#define DH_BOUND_VERSION "GLIBC_2.17"
#endif
#define DH_BOUND(ours, name)                                                             \
	__asm__(".symver " #ours ", " #name "@" DH_BOUND_VERSION ", remove")

#endif
