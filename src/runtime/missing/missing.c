/* SPDX-License-Identifier: MIT */
/* What concerns all of missing.h. */
#include "runtime/missing/missing.h"
#include "runtime/missing/calls.h"
#include "runtime/missing/plt.h"
#include "runtime/observer.h"

bool dh_missing_wanted(void)
{
	return dh_observer && dh_observer->missing_begin;
}

void dh_missing_get_stats(struct dh_missing_stats *s)
{
	*s = (struct dh_missing_stats){
	    .functions = dh_plt_hooked(),
	    .unhooked = dh_plt_unhooked(),
	    .calls = dh_calls_told(),
	};
}
