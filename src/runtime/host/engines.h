/* SPDX-License-Identifier: MIT */
/* The engines and filters of src/engines and src/filters that the host runs. Plain data.
 */
#ifndef DH_RUNTIME_HOST_ENGINES_H
#define DH_RUNTIME_HOST_ENGINES_H

#include "runtime/host/host.h"

struct dh_hosted {
	const struct dh_engine_ops *ops;
	enum dh_repeats_rule rule;
};

/* By the name of its ops; there must be one. */
const struct dh_hosted *dh_hosted_by_name(const char *name);

/* By the option's choice; NULL for those that are none of src/filters. */
const struct dh_filter_ops *dh_hosted_filter(unsigned choice);

#endif
