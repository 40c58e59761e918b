/* SPDX-License-Identifier: MIT */
/*
 * Takes the insides of missing methods out of a trace, where they were recorded:
 *
 *   cut_calls PREFIX FROM TO
 *
 * Of the calls whose name begins with PREFIX begin and end stay, and what their threads
 * did in between goes. For bench/run_missing.
 */
#include "base/vec.h"
#include "record/replay.h"
#include "trace/reader.h"
#include "trace/writer.h"

#include <stdio.h>
#include <string.h>

struct depths dh_vec(uint32_t); /* by thread: open calls of the kind */

static bool stays(struct depths *open, const char *prefix, const struct dh_names *names,
		  const struct dh_event *ev)
{
	dh_vec_grow(open, (size_t)ev->thread + 1);
	uint32_t *depth = &open->at[ev->thread];
	bool begins = ev->op == DH_METHOD_BEGIN, ends = ev->op == DH_METHOD_END;
	if (!begins && !ends)
		return *depth == 0;
	const char *name = dh_names_text(names, DH_NAME_METHOD, ev->target);
	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return *depth == 0;
	*depth += begins;
	bool outermost = *depth == 1;
	*depth -= ends;
	return outermost;
}

static int cut(const char *prefix, struct dh_reader *r, struct dh_writer *w)
{
	struct depths open = {0};
	struct dh_event ev;
	int got, status = 0;
	while (!status && (got = dh_reader_next(r, &ev)) > 0)
		if (stays(&open, prefix, dh_reader_names(r), &ev))
			status = dh_writer_put(w, dh_reader_names(r), &ev);
	dh_vec_free(&open);
	if (!status && (got < 0 || dh_reader_damage(r))) {
		fprintf(stderr, "cut_calls: %s\n",
			got < 0 ? dh_reader_error(r) : dh_reader_damage(r));
		return 2;
	}
	status = status ? status : dh_writer_finish(w);
	if (status)
		fprintf(stderr, "cut_calls: %s\n", dh_writer_error(w));
	return status ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct dh_reader *r;
	struct dh_writer *w = NULL;
	int status = 2;
	if (argc != 4) {
		fprintf(stderr, "usage: cut_calls PREFIX FROM TO\n");
		return 2;
	}
	dh_reader_understand(&dh_replay);
	if (dh_reader_open(&r, argv[2]))
		fprintf(stderr, "cut_calls: %s\n", dh_reader_error(r));
	else if (dh_writer_open(&w, argv[3], DH_TRACE_BINARY))
		fprintf(stderr, "cut_calls: %s\n", dh_writer_error(w));
	else
		status = cut(argv[1], r, w);
	dh_writer_close(w);
	dh_reader_close(r);
	return status;
}
