/* SPDX-License-Identifier: MIT */
/* See cells_wide.h. */
#include "runtime/cells_wide.h"
#include "runtime/cells.h"

bool dh_cells_wide;

#if defined(__x86_64__)

#include <immintrin.h>

#define WIDE __attribute__((target("avx2")))

void dh_cells_choose(void)
{
	__builtin_cpu_init();
	dh_cells_wide = __builtin_cpu_supports("avx2");
}

/* What any of eight cells has that differs. */
WIDE DH_INLINE __m256i differ(const struct dh_cell *c, __m256i want)
{
	const __m256i *at = (const __m256i *)(const void *)c;
	const __m256i a = _mm256_xor_si256(_mm256_loadu_si256(at), want);
	const __m256i b = _mm256_xor_si256(_mm256_loadu_si256(at + 1), want);
	const __m256i d = _mm256_xor_si256(_mm256_loadu_si256(at + 2), want);
	const __m256i e = _mm256_xor_si256(_mm256_loadu_si256(at + 3), want);
	return _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(d, e));
}

/* How many cells from c on, in steps of eight, have no write, or no reads, that differs
 * by what counts. */
WIDE DH_INLINE size_t same(const struct dh_cell *c, size_t count, __m256i want,
			   __m256i writes, __m256i reads)
{
	size_t n = 0;
	for (; n + DH_CELLS <= count; n += DH_CELLS) {
		const __m256i d = differ(c + n, want);
		if (!_mm256_testz_si256(d, writes) && !_mm256_testz_si256(d, reads))
			break;
	}
	return n;
}

WIDE size_t dh_cells_repeat_wide(const struct dh_cell *c, size_t count, uint64_t key,
				 bool either)
{
	const long long counts = (long long)~(uint64_t)DH_RECORD_SITE_MAX;
	const __m256i want = _mm256_set1_epi64x((long long)key);
	const __m256i writes = _mm256_set_epi64x(0, counts, 0, counts);
	if (either)
		return same(c, count, want, writes,
			    _mm256_set_epi64x(counts, 0, counts, 0));
	return same(c, count, want, writes, writes);
}

#else

void dh_cells_choose(void)
{
}

size_t dh_cells_repeat_wide(const struct dh_cell *c, size_t count, uint64_t key,
			    bool either)
{
	return dh_cells_repeat(c, count, key, either);
}

#endif
