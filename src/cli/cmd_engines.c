/* SPDX-License-Identifier: MIT */
/* `deadheat engines`: what there is, what each guarantees and misses. */
#include "cli/cmd.h"
#include "registry/registry.h"

#include <stdio.h>
#include <string.h>

static void entry(const char *name, const char *summary, const char *guarantees,
		  const char *misses)
{
	printf("  %s\n      %s\n      guarantees: %s\n      misses: %s\n", name, summary,
	       guarantees, misses);
}

static void list_all(void)
{
	puts("Engines (analyze -e NAME):");
	for (size_t i = 0; dh_engines[i]; i++)
		entry(dh_engines[i]->name, dh_engines[i]->summary,
		      dh_engines[i]->guarantees, dh_engines[i]->misses);
	puts("\nFilters (analyze -f NAME):");
	for (size_t i = 0; dh_filters[i]; i++)
		entry(dh_filters[i]->name, dh_filters[i]->summary,
		      dh_filters[i]->guarantees, dh_filters[i]->misses);
}

static void list_names(void)
{
	for (size_t i = 0; dh_engines[i]; i++)
		printf("engine %s\n", dh_engines[i]->name);
	for (size_t i = 0; dh_filters[i]; i++)
		printf("filter %s\n", dh_filters[i]->name);
}

int dh_cmd_engines(int argc, char **argv)
{
	if (argc == 1) {
		list_all();
		return DH_EXIT_OK;
	}
	if (argc == 2 && strcmp(argv[1], "--names") == 0) {
		list_names();
		return DH_EXIT_OK;
	}
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		puts("usage: deadheat engines [--names]\n\n"
		     "Lists the detection algorithms and filters, with what each guarantees\n"
		     "and misses; with --names only their names, one to a line.");
		return DH_EXIT_OK;
	}
	return dh_usage_error("engines: '%s' is not known; see `deadheat engines --help`",
			      argv[argc - 1]);
}
