/* SPDX-License-Identifier: MIT */
/* The lists of list.h as arrays, and look-up by name. */
#include "registry/registry.h"
#include "registry/list.h"

#include <string.h>

#define X(ops) extern const struct dh_engine_ops ops;
DH_ENGINE_LIST(X)
#undef X
#define X(ops) extern const struct dh_filter_ops ops;
DH_FILTER_LIST(X)
#undef X

const struct dh_engine_ops *const dh_engines[] = {
#define X(ops) &ops,
	DH_ENGINE_LIST(X)
#undef X
		NULL};

const struct dh_filter_ops *const dh_filters[] = {
#define X(ops) &ops,
	DH_FILTER_LIST(X)
#undef X
		NULL};

const struct dh_engine_ops *dh_engine_find(const char *name)
{
	for (size_t i = 0; dh_engines[i]; i++)
		if (strcmp(dh_engines[i]->name, name) == 0)
			return dh_engines[i];
	return NULL;
}

const struct dh_filter_ops *dh_filter_find(const char *name)
{
	for (size_t i = 0; dh_filters[i]; i++)
		if (strcmp(dh_filters[i]->name, name) == 0)
			return dh_filters[i];
	return NULL;
}
