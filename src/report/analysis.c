/* SPDX-License-Identifier: MIT */
/* See analysis.h. */
#include "report/analysis.h"

void dh_analysis_free(struct dh_analysis *a)
{
	for (size_t i = 0; i < a->engines.len; i++) {
		dh_vec_free(&a->engines.at[i].races);
		dh_vec_free(&a->engines.at[i].further);
		dh_vec_free(&a->engines.at[i].counters);
	}
	dh_vec_free(&a->engines);
}
