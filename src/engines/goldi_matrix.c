/* SPDX-License-Identifier: MIT */
/*
 * The bit matrix of goldi_matrix.h.
 *
 * Merging needs whole columns side by side. They are had by turning the matrix in
 * blocks of 64 by 64 bits: for each column an *image*, one bit per element. Equal
 * columns are found by a hash of their images and then compared, so nothing rests on
 * the hash. The matrix is rebuilt by turning the images of those that stay.
 */
#include "engines/goldi_matrix.h"
#include "base/map.h"

struct images {
	uint64_t *at;
	size_t each; /* words per image: elements / 64 */
	size_t bytes;
};

static void row_resize(struct dh_goldi_row *r, uint32_t cap)
{
	r->words =
	    dh_mem_resize(r->words, r->cap * sizeof(uint64_t), cap * sizeof(uint64_t));
	r->cap = cap;
}

static void row_free(struct dh_goldi_row *r)
{
	dh_mem_free(r->words, r->cap * sizeof(uint64_t));
	*r = (struct dh_goldi_row){0};
}

/* The row of an element, with room for so many words. */
static struct dh_goldi_row *row_of(struct dh_goldi_matrix *m, uint32_t element,
				   uint32_t words)
{
	dh_vec_grow(&m->rows, (size_t)element + 1);
	struct dh_goldi_row *r = &m->rows.at[element];
	if (DH_UNLIKELY(words > r->cap))
		row_resize(r, (uint32_t)dh_pow2(words));
	if (words > r->len)
		r->len = words;
	return r;
}

void dh_goldi_matrix_free(struct dh_goldi_matrix *m)
{
	for (size_t i = 0; i < m->rows.len; i++)
		row_free(&m->rows.at[i]);
	dh_vec_free(&m->rows);
	m->columns = 0;
}

void dh_goldi_matrix_set(struct dh_goldi_matrix *m, uint32_t element, uint32_t column)
{
	row_of(m, element, column / 64 + 1)->words[column / 64] |= 1ull << column % 64;
}

void dh_goldi_matrix_spread(struct dh_goldi_matrix *m, uint32_t from, uint32_t to)
{
	if (from >= m->rows.len || m->rows.at[from].len == 0)
		return;
	uint32_t n = m->rows.at[from].len;
	uint64_t *dst = row_of(m, to, n)->words;
	const uint64_t *src = m->rows.at[from].words;
	for (uint32_t i = 0; i < n; i++)
		dst[i] |= src[i];
}

void dh_goldi_matrix_clear(struct dh_goldi_matrix *m, uint32_t element)
{
	if (element < m->rows.len)
		row_free(&m->rows.at[element]);
}

void dh_goldi_matrix_meet(const struct dh_goldi_matrix *m, uint32_t element,
			  uint64_t *mask)
{
	size_t n = ((size_t)m->columns + 63) / 64;
	size_t len = element < m->rows.len ? m->rows.at[element].len : 0;
	for (size_t i = 0; i < n; i++)
		mask[i] &= i < len ? m->rows.at[element].words[i] : 0;
}

/* ---- merging ---- */

/* Turns a block: bit j of word i becomes bit i of word j. Swaps the off-diagonal
 * quarters, then those of each quarter, and so on. */
static void turn(uint64_t block[64])
{
	uint64_t low = 0x00000000ffffffffull; /* the low half of each field */
	for (unsigned half = 32; half; half /= 2, low ^= low << half) {
		for (unsigned i = 0; i < 64; i++) {
			if (i & half)
				continue;
			uint64_t swap = (block[i] >> half ^ block[i + half]) & low;
			block[i] ^= swap << half;
			block[i + half] ^= swap;
		}
	}
}

static void images_make(const struct dh_goldi_matrix *m, struct images *im)
{
	im->each = (m->rows.len + 63) / 64;
	im->bytes = m->columns * im->each * sizeof(uint64_t);
	im->at = dh_mem_alloc(im->bytes);
	for (uint32_t first = 0; first < m->columns; first += 64) {
		uint32_t n = DH_MIN(m->columns - first, 64u);
		for (size_t e = 0; e < im->each; e++) {
			uint64_t block[64] = {0}, any = 0;
			size_t rows = DH_MIN(m->rows.len - e * 64, (size_t)64);
			for (size_t i = 0; i < rows; i++) {
				const struct dh_goldi_row *r = &m->rows.at[e * 64 + i];
				block[i] = first / 64 < r->len ? r->words[first / 64] : 0;
				any |= block[i];
			}
			if (!any)
				continue;
			turn(block);
			for (uint32_t j = 0; j < n; j++)
				im->at[(first + j) * im->each + e] = block[j];
		}
	}
}

static uint64_t image_hash(const struct images *im, uint32_t column)
{
	uint64_t h = 0;
	for (size_t e = 0; e < im->each; e++)
		h = dh_mix(h + im->at[column * im->each + e]);
	return h;
}

/* Fills into[]; leaders gets the first of each set of equals. Returns how many. */
static uint32_t group(const struct images *im, uint32_t columns, uint32_t *into,
		      uint32_t *leaders)
{
	struct dh_map seen = {0}; /* hash -> new number */
	uint32_t count = 0;
	for (uint32_t c = 0; c < columns; c++) {
		if (into[c] == DH_GOLDI_DROP)
			continue;
		bool fresh;
		uint64_t *place = dh_map_put(&seen, image_hash(im, c), &fresh);
		uint32_t same = fresh ? count : (uint32_t)*place;
		if (fresh ||
		    !dh_same(&im->at[leaders[same] * im->each], &im->at[c * im->each],
			     im->each * sizeof(uint64_t))) {
			leaders[count] = c;
			same = count++;
			if (fresh)
				*place = same;
		}
		into[c] = same;
	}
	dh_map_free(&seen);
	return count;
}

/* The word of 64 leaders from `first` on, in each of the 64 rows from 64 e on. Columns
 * move to lower numbers only, so that a row is long enough as it is. */
static void rebuild_block(struct dh_goldi_matrix *m, const struct images *im,
			  const uint32_t *leaders, uint32_t count, uint32_t first,
			  size_t e)
{
	uint64_t block[64] = {0};
	for (uint32_t j = 0; j < 64 && first + j < count; j++)
		block[j] = im->at[leaders[first + j] * im->each + e];
	turn(block);
	size_t rows = DH_MIN(m->rows.len - e * 64, (size_t)64);
	for (size_t i = 0; i < rows; i++) {
		struct dh_goldi_row *r = &m->rows.at[e * 64 + i];
		if (first / 64 < r->len)
			r->words[first / 64] = block[i];
		else
			DH_ASSERT(block[i] == 0);
	}
}

/* Gives back what a row no longer needs. */
static void row_trim(struct dh_goldi_row *r, uint32_t most)
{
	uint32_t len = DH_MIN(r->len, most);
	while (len > 0 && r->words[len - 1] == 0)
		len--;
	for (uint32_t i = len; i < r->len; i++)
		r->words[i] = 0;
	r->len = len;
	if (len == 0)
		row_free(r);
	else if (r->cap > 4 * dh_pow2(len))
		row_resize(r, (uint32_t)dh_pow2(len));
}

void dh_goldi_matrix_merge(struct dh_goldi_matrix *m, uint32_t *into)
{
	if (m->columns == 0)
		return;
	struct images im;
	images_make(m, &im);
	size_t leaders_bytes = m->columns * sizeof(uint32_t);
	uint32_t *leaders = dh_mem_alloc(leaders_bytes);
	uint32_t count = group(&im, m->columns, into, leaders);
	for (uint32_t first = 0; first < count; first += 64)
		for (size_t e = 0; e < im.each; e++)
			rebuild_block(m, &im, leaders, count, first, e);
	for (size_t i = 0; i < m->rows.len; i++)
		row_trim(&m->rows.at[i], (count + 63) / 64);
	m->columns = count;
	dh_mem_free(leaders, leaders_bytes);
	dh_mem_free(im.at, im.bytes);
}
