/* SPDX-License-Identifier: MIT */
/*
 * Many locksets at once, as a matrix of bits: a row for each element, a column for each
 * lockset; the bit says that the lockset contains the element. A lockset rule ("if it
 * contains a, add b") is then one OR of two rows, 64 locksets per word.
 *
 * Rows are made when their first bit is set, and are only as long as they need be.
 * Columns are numbered from 0 in the order in which they were made.
 *
 * Called by goldi*.c. Not for concurrent use. Allocates. Zero-initialised is empty.
 */
#ifndef DH_ENGINES_GOLDI_MATRIX_H
#define DH_ENGINES_GOLDI_MATRIX_H

#include "base/vec.h"

#define DH_GOLDI_DROP UINT32_MAX

struct dh_goldi_row {
	uint64_t *words;
	uint32_t len; /* words from here on are zero */
	uint32_t cap;
};

struct dh_goldi_matrix {
	struct dh_vec(struct dh_goldi_row) rows; /* by element */
	uint32_t columns;
};

void dh_goldi_matrix_free(struct dh_goldi_matrix *m);

DH_INLINE bool dh_goldi_matrix_has(const struct dh_goldi_matrix *m, uint32_t element,
				   uint32_t column)
{
	if (element >= m->rows.len || column / 64 >= m->rows.at[element].len)
		return false;
	return m->rows.at[element].words[column / 64] >> column % 64 & 1;
}

/* Adds an element to one lockset. */
void dh_goldi_matrix_set(struct dh_goldi_matrix *m, uint32_t element, uint32_t column);

/* Adds element `to` to each lockset that contains `from`. */
void dh_goldi_matrix_spread(struct dh_goldi_matrix *m, uint32_t from, uint32_t to);

/* Takes an element out of all locksets. */
void dh_goldi_matrix_clear(struct dh_goldi_matrix *m, uint32_t element);

/* mask &= the row of an element; mask has a bit for each column. */
void dh_goldi_matrix_meet(const struct dh_goldi_matrix *m, uint32_t element,
			  uint64_t *mask);

/* Drops the columns that into[] marks with DH_GOLDI_DROP, makes one of those that are
 * equal, and closes the gaps. into[] (by column) gets each other column's new number;
 * the order of columns stays, the first of equals leads. */
void dh_goldi_matrix_merge(struct dh_goldi_matrix *m, uint32_t *into);

#endif
