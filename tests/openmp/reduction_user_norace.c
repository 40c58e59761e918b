/* SPDX-License-Identifier: MIT */
/* A reduction of the program's own. */
struct range {
	int low, high;
};

static void widen(struct range *r, const struct range *s)
{
	if (s->low < r->low)
		r->low = s->low;
	if (s->high > r->high)
		r->high = s->high;
}

#pragma omp declare reduction(widest                                                     \
			      : struct range                                             \
			      : widen(&omp_out, &omp_in))                                \
    initializer(omp_priv = {1000, -1000})

int main(void)
{
	struct range r = {1000, -1000};

#pragma omp parallel for schedule(static, 1) reduction(widest : r)
	for (int i = 0; i < 64; i++) {
		struct range one = {i, i};
		widen(&r, &one);
	}
	return r.low != 0 || r.high != 63;
}
