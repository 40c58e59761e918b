/* SPDX-License-Identifier: MIT */
/*
 * What the files of the SARIF report share. render_causes_sarif.c writes the log and its
 * results, sarif_rules.c the rules, sarif_flow.c stacks and thread flows,
 * sarif_place.c locations. docs/formats/sarif.md says what stands where.
 *
 * For the tools: one thread, allocates.
 */
#ifndef DH_TRIAGE_SARIF_H
#define DH_TRIAGE_SARIF_H

#include "report/json.h"
#include "triage/render.h"

struct dh_sarif {
	struct dh_json j;
	const struct dh_causes *causes;
	const struct dh_render_options *o;
};

/* ---- rules (sarif_rules.c): one for each pattern, and one for none ---- */

/* The array `rules`: always all of them, so that files of one version have the same. */
void dh_sarif_rules(struct dh_sarif *s);
uint32_t dh_sarif_rule(const struct dh_cause *c); /* its index */
const char *dh_sarif_rule_id(uint32_t rule);

/* ---- locations (sarif_place.c) ---- */

/* {"uri": ..., "uriBaseId": ...} of a file. */
void dh_sarif_artifact(struct dh_sarif *s, const char *key, const char *file);

/* "file:///home/me/" of a folder. */
void dh_sarif_folder(struct dh_sarif *s, const char *key, const char *folder);

/* The physical and logical place of a frame, into an open location. around: that many
 * lines of source before and after; 0: none, not even its own. Where the frame has no
 * file, its module stands for it. */
void dh_sarif_place(struct dh_sarif *s, const struct dh_finding_frame *f, uint32_t around,
		    const struct dh_finding_run *run);

/* {"text": ...} */
void dh_sarif_say(struct dh_sarif *s, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- stacks (sarif_flow.c) ---- */

/* `codeFlows`: one for each variant, with a thread flow for each side. */
void dh_sarif_flows(struct dh_sarif *s, const struct dh_cause *c);

/* `stacks`: of the accesses, the object, the threads. */
void dh_sarif_stacks(struct dh_sarif *s, const struct dh_finding *f);

#endif
