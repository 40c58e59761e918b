/* SPDX-License-Identifier: MIT */
/* Vector clocks, shared and copied on writing, against plain arrays. */
#include "dice.h"
#include "base/mem.h"
#include "clock/vc.h"

#include <string.h>

enum { CLOCKS = 6, SLOTS = 20 };

static void compare(struct dh_vc *const *vc, uint32_t (*model)[SLOTS])
{
	for (int i = 0; i < CLOCKS; i++) {
		uint32_t count = 0;
		for (uint32_t s = 0; s < SLOTS; s++) {
			assert_int_equal(dh_vc_get(vc[i], s), model[i][s]);
			count += model[i][s] != 0;
		}
		assert_int_equal(dh_vc_get(vc[i], SLOTS + 100), 0);
		assert_int_equal(dh_vc_count(vc[i]), count);
	}
}

static bool model_leq(const uint32_t *a, const uint32_t *b)
{
	for (uint32_t s = 0; s < SLOTS; s++)
		if (a[s] > b[s])
			return false;
	return true;
}

static void join(struct dh_vc **vc, uint32_t (*model)[SLOTS], uint32_t a, uint32_t b)
{
	bool news = !model_leq(model[b], model[a]);
	assert_int_equal(dh_vc_leq(vc[b], vc[a]), !news);
	assert_int_equal(dh_vc_join(&vc[a], vc[b]), news);
	for (uint32_t s = 0; s < SLOTS; s++)
		model[a][s] = DH_MAX(model[a][s], model[b][s]);
}

static void test_random(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct dice d = {seed};
		struct dh_vc *vc[CLOCKS] = {0};
		uint32_t model[CLOCKS][SLOTS] = {{0}};
		for (int step = 0; step < 150; step++) {
			uint32_t a = dice_roll(&d, CLOCKS), b = dice_roll(&d, CLOCKS);
			uint32_t slot = dice_roll(&d, SLOTS);
			switch (dice_roll(&d, 4)) {
			case 0: /* a holds what b holds, the very object */
				dh_vc_ref(vc[b]);
				dh_vc_unref(vc[a]);
				vc[a] = vc[b];
				memcpy(model[a], model[b], sizeof model[a]);
				break;
			case 1:
				join(vc, model, a, b);
				break;
			default:
				model[a][slot] = dice_roll(&d, 5);
				dh_vc_set(&vc[a], slot, model[a][slot]);
			}
			compare(vc, model);
		}
		for (int i = 0; i < CLOCKS; i++)
			dh_vc_unref(vc[i]);
	}
	assert_int_equal(dh_mem_in_use(), before);
}

/* Joining into one that knows nothing more shares, and writing then parts them. */
static void test_sharing(void **state)
{
	(void)state;
	struct dh_vc *a = NULL, *b = NULL;
	dh_vc_set(&a, 3, 9);
	assert_true(dh_vc_join(&b, a));
	assert_ptr_equal(a, b);
	assert_int_equal(a->refs, 2);
	dh_vc_set(&b, 3, 9); /* no change, no copy */
	assert_ptr_equal(a, b);
	dh_vc_set(&b, 0, 1);
	assert_ptr_not_equal(a, b);
	assert_int_equal(dh_vc_get(a, 0), 0);
	assert_int_equal(dh_vc_get(b, 3), 9);
	assert_int_equal(a->refs, 1);
	dh_vc_unref(a);
	dh_vc_unref(b);
}

static void test_nothing(void **state)
{
	(void)state;
	struct dh_vc *v = NULL;
	assert_int_equal(dh_vc_get(NULL, 0), 0);
	assert_true(dh_vc_leq(NULL, NULL));
	assert_false(dh_vc_join(&v, NULL));
	assert_null(v);
	dh_vc_set(&v, 5, 0);
	assert_null(v);
	dh_vc_set(&v, 5, 1);
	assert_true(dh_vc_leq(NULL, v));
	assert_false(dh_vc_leq(v, NULL));
	dh_vc_set(&v, 5, 0); /* zero but stored */
	assert_true(dh_vc_leq(v, NULL));
	assert_int_equal(dh_vc_count(v), 0);
	dh_vc_unref(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_sharing),
	    cmocka_unit_test(test_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
