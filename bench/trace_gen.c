/* SPDX-License-Identifier: MIT */
/* trace_gen: writes a long trace for measurements. See workload.h. */
#include "trace/writer.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *to)
{
	fputs(
	    "usage: trace_gen [NAME=NUMBER...] FILE\n"
	    "\n"
	    "Writes a binary trace (text where FILE ends with .std); without races "
	    "where\n"
	    "nothing else is said.\n"
	    "\n"
	    "  events=N threads=N vars=N locks=N seed=N\n"
	    "  phase=N    bursts of each thread between two barriers, 0 for none\n"
	    "  style=N    0 a mix of bursts, 1 shared spots, 2 local spots; loops that "
	    "take\n"
	    "             locks and write one variable: 3 common locks, 4 locks of each\n"
	    "             thread's own (with races)\n"
	    "Weights of the bursts in the mix:\n",
	    to);
#define X(field, option, weight, what)                                                   \
	fprintf(to, "  %-8s=%-3d %s\n", option, weight, what);
	WORKLOAD_BURSTS(X)
#undef X
}

/* Takes one NAME=NUMBER; false where there is no such name or it is no number. */
static bool set_option(struct workload_config *c, const char *arg)
{
	size_t n = strcspn(arg, "=");
	char *end;
	uint64_t value = strtoull(arg + n + (arg[n] == '='), &end, 0);
	uint32_t style = UINT32_MAX;
	struct {
		const char *name;
		uint32_t *place;
	} options[] = {{"threads", &c->threads}, {"vars", &c->vars}, {"locks", &c->locks},
		       {"phase", &c->phase},	 {"style", &style},
#define X(field, option, weight, what) {option, &c->field},
		       WORKLOAD_BURSTS(X)
#undef X
	};
	if (arg[n] != '=' || end == arg + n + 1 || *end)
		return false;
	if (strncmp(arg, "events=", 7) == 0) {
		c->events = value;
		return true;
	}
	if (strncmp(arg, "seed=", 5) == 0) {
		c->seed = value;
		return true;
	}
	for (size_t i = 0; i < DH_ARRAY_LEN(options); i++) {
		if (strlen(options[i].name) != n || strncmp(options[i].name, arg, n) != 0)
			continue;
		*options[i].place = (uint32_t)value;
		if (style < WORKLOAD_STYLES)
			c->style = (enum workload_style)style;
		return options[i].place != &style || style < WORKLOAD_STYLES;
	}
	return false;
}

static int write_trace(struct workload *w, const char *path)
{
	size_t len = strlen(path);
	bool text = len > 4 && strcmp(path + len - 4, ".std") == 0;
	struct dh_names *names = workload_names(w);
	struct dh_writer *out;
	struct dh_event ev;
	int status = dh_writer_open(&out, path, text ? DH_TRACE_TEXT : DH_TRACE_BINARY);
	while (!status && workload_next(w, &ev))
		status = dh_writer_put(out, names, &ev);
	if (!status)
		status = dh_writer_finish(out);
	if (status)
		fprintf(stderr, "trace_gen: %s\n", dh_writer_error(out));
	dh_writer_close(out);
	dh_names_free(names);
	return status;
}

int main(int argc, char **argv)
{
	struct workload_config config = workload_default();
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	for (int i = 1; i < argc - 1; i++) {
		if (!set_option(&config, argv[i])) {
			fprintf(stderr, "trace_gen: %s: not an option\n", argv[i]);
			usage(stderr);
			return 2;
		}
	}
	const char *why;
	struct workload *w = workload_new(&config, &why);
	if (!w) {
		fprintf(stderr, "trace_gen: %s\n", why);
		return 2;
	}
	int status = write_trace(w, argv[argc - 1]);
	workload_free(w);
	return status ? 1 : 0;
}
