/* SPDX-License-Identifier: MIT */
/*
 * Reads of different bytes of a granule of which each comes after the one before: what is
 * read byte by byte, or at any offset, in ever new time frames, as texts under a lock are.
 * All but the last are there for the bytes alone that later ones have not read; so there
 * are mostly two, until the last has all bytes, and is the only one.
 *
 * They are beside each other where the word of the cell's reads says (tags.h, parts.h): the
 * last read, the one before, and so on. Whoever comes after the last comes after all of them.
 * So the last is found in the same place whoever it is of, and 32 bytes do for what any
 * number of threads read in turn.
 *
 * A read that does not come after the last one, or is one too many, gives the cell places
 * as others have (readers.c). An atomic read does not stand for a plain one, and is in no
 * chain's end.
 */
#ifndef DH_RUNTIME_CHAIN_H
#define DH_RUNTIME_CHAIN_H

#include "runtime/attempt.h"

/* The read as the last of a granule's cell whose reads are a chain, or one record with
 * other bytes. Done; or it is there, and has to be judged (DH_FIRST_MET); or not: it does
 * not come after them, there is no room for it, or a blend is not at hand. It need not be
 * `inside`. */
enum dh_first dh_chain_read(struct dh_self *t, struct dh_cell *c, uintptr_t granule,
			    dh_record rec, dh_record read);

#endif
