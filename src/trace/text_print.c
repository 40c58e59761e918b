/* SPDX-License-Identifier: MIT */
/* The printer of text.h. */
#include "trace/text.h"

#include <inttypes.h>
#include <string.h>

static void put_name(struct dh_bytes *to, const struct dh_names *names,
		     enum dh_name_kind kind, uint32_t id)
{
	dh_bytes_put(to, dh_names_text(names, kind, id),
		     dh_names_length(names, kind, id));
}

static void put_value(struct dh_bytes *to, int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof text, "=%" PRId64, value);
	dh_bytes_put(to, text, (size_t)n);
}

void dh_text_append(struct dh_bytes *to, const struct dh_names *names,
		    const struct dh_event *ev)
{
	const char *op = dh_op_text(ev->op);
	put_name(to, names, DH_NAME_THREAD, ev->thread);
	dh_bytes_byte(to, '|');
	dh_bytes_put(to, op, strlen(op));
	dh_bytes_byte(to, '(');
	put_name(to, names, dh_op_kind(ev->op), ev->target);
	for (uint32_t i = 0; i < ev->reach_count; i++) {
		dh_bytes_byte(to, i == 0 ? ':' : ',');
		put_name(to, names, DH_NAME_VAR, ev->reach[i]);
	}
	dh_bytes_byte(to, ')');
	if (ev->has_value)
		put_value(to, ev->value);
	dh_bytes_byte(to, '|');
	put_name(to, names, DH_NAME_SITE, ev->site);
	dh_bytes_byte(to, '\n');
}

void dh_text_print(FILE *to, const struct dh_event *ev, const struct dh_names *names)
{
	struct dh_bytes line = {0};
	dh_text_append(&line, names, ev);
	fwrite(line.at, 1, line.len, to);
	dh_vec_free(&line);
}
