/* SPDX-License-Identifier: MIT */
/*
 * The libc functions behind the interposed ones.
 *
 * A file that interposes f, or wants to call the C library's f past our own, says once
 * at file level
 *
 *	DH_REAL_WANT(f);                          the default version of f
 *	DH_REAL_WANT_VERSION(f, "GLIBC_2.3.2");   that version, else the default one
 *
 * after a prototype of f (its header, or a declaration of its own), and then calls
 * DH_REAL(f)(arguments). All wanted functions form one table that is filled at
 * start-up; a call before that fills it on the spot, so that DH_REAL works in
 * constructors of any priority and in IFUNC-free code before main.
 *
 * A function that the C library does not have stays NULL, each time looked for again:
 * DH_REAL_HAS(f) tells.
 *
 * Context: any thread, any time. Filling the table calls dlsym(), which may allocate;
 * so the malloc family must do without DH_REAL while it serves dlsym().
 */
#ifndef DH_RUNTIME_INTERCEPT_REAL_H
#define DH_RUNTIME_INTERCEPT_REAL_H

#include "base/base.h"

/* Of a size that the compiler cannot round up: the table is an array. */
struct dh_real {
	const char *name;
	const char *version; /* or NULL: the default one */
	void *place;	     /* of the function pointer; written atomically */
} __attribute__((aligned(32)));
_Static_assert(sizeof(struct dh_real) == 32, "entries follow each other without a gap");

#define DH_REAL_WANT_VERSION(f, v)                                                       \
	static __typeof__(f) *dh_real_##f;                                               \
	static struct dh_real dh_real_entry_##f                                          \
	    __attribute__((used, section("dh_real"))) = {#f, v, &dh_real_##f}
#define DH_REAL_WANT(f) DH_REAL_WANT_VERSION(f, NULL)

#define DH_REAL_HAS(f) (dh_real_##f || (dh_real_resolve(), dh_real_##f))
#define DH_REAL(f)                                                                       \
	(DH_LIKELY(dh_real_##f != NULL) ? dh_real_##f : (dh_real_resolve(), dh_real_##f))

/* Fills the table; again for those that are still NULL. Harmless at any time, also
 * from several threads at once: they write the same. */
void dh_real_resolve(void);

#endif
