/* SPDX-License-Identifier: MIT */
/* A report as one HTML file that needs nothing else: see page.h. */
#include "triage/page.h"

void dh_render_causes_html(FILE *to, const struct dh_causes *c,
			   const struct dh_render_options *o)
{
	fputs(dh_page_parts[0], to);
	dh_page_static(to, c, o);
	fputs(dh_page_parts[1], to);
	dh_page_data(to, c, o);
	fputs(dh_page_parts[2], to);
}
