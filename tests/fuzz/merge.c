/* SPDX-License-Identifier: MIT */
/* See merge.h. */
#define _GNU_SOURCE
#include "merge.h"

#include "triage/render.h"

#include <stdlib.h>
#include <string.h>

static void render(dh_render_fn *how, const struct dh_causes *c, struct dh_excerpts *e,
		   unsigned columns)
{
	struct dh_render_options o = {
	    .excerpts = e, .context = 1, .details = true, .columns = columns};
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	DH_CHECK(to != NULL);
	how(to, c, &o);
	fclose(to);
	for (size_t i = 0; i < len; i++)
		DH_CHECK((unsigned char)text[i] >= 0x20 || text[i] == '\n' || text[i] == '\t');
	free(text);
}

size_t merge(const uint8_t *data, size_t size)
{
	struct dh_findings *s = dh_findings_new();
	struct dh_excerpts *e = dh_excerpts_new(NULL, 0);
	char *copy = malloc(size ? size : 1);
	memcpy(copy, data, size);
	if (dh_findings_parse(s, copy, size, "fuzz"))
		DH_CHECK(dh_findings_error(s)[0] != '\0');
	struct dh_causes *c = dh_causes_make(s, s, e);
	size_t causes = c->len, findings = 0;
	for (size_t i = 0; i < c->len; i++) {
		DH_CHECK(!c->at[i].is_new && c->at[i].known);
		findings += c->at[i].seen.count;
	}
	DH_CHECK(findings == dh_findings_count(s));
	render(dh_render_causes_text, c, e, 0);
	render(dh_render_causes_text, c, e, 120);
	render(dh_render_causes_json, c, e, 0);
	render(dh_render_causes_sarif, c, e, 0);
	render(dh_render_causes_html, c, e, 0);
	dh_causes_free(c);
	dh_excerpts_free(e);
	dh_findings_free(s);
	free(copy);
	return causes;
}
