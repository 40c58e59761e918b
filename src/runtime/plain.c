/* SPDX-License-Identifier: MIT */
/*
 * A report in addresses, for when there is no helper to look up names: as short as it
 * can be without leaving out what is needed to look them up later (addr2line takes the
 * offsets that stand behind module names).
 */
#include "report/wire.h"
#include "runtime/findings.h"
#include "runtime/modules.h"
#include "runtime/report.h"

enum { MOST_FRAMES = 64 };

static void address(struct dh_text *to, uint64_t pc)
{
	if (pc == UINT64_MAX) {
		dh_text_add(to, "(lost from here)");
		return;
	}
	const struct dh_module *m = dh_modules_find(pc);
	dh_text_hex(to, pc);
	if (!m)
		return;
	dh_text_add(to, " ");
	dh_text_add(to, m->path);
	dh_text_add(to, "+");
	dh_text_hex(to, pc - m->segments.at[0].start);
}

void dh_plain_stack(struct dh_text *to, uint32_t site)
{
	uint64_t pcs[MOST_FRAMES];
	uint32_t depth = dh_context_walk(dh_contexts, site, pcs, MOST_FRAMES);
	for (uint32_t i = 0; i < DH_MIN(depth, (uint32_t)MOST_FRAMES); i++) {
		dh_text_add(to, "    #");
		dh_text_number(to, i);
		dh_text_add(to, " ");
		address(to, pcs[i]);
		dh_text_add(to, "\n");
	}
	if (depth > MOST_FRAMES) {
		dh_text_add(to, "    and more: ");
		dh_text_number(to, depth - MOST_FRAMES);
		dh_text_add(to, "\n");
	}
}

static void side(struct dh_text *to, const struct dh_race_side *s, const char *when)
{
	dh_text_add(to, s->flags & DH_WIRE_ATOMIC ? "  atomic " : "  ");
	dh_text_add(to, s->flags & DH_WIRE_FREE	   ? "free"
			: s->flags & DH_WIRE_WRITE ? "write"
						   : "read");
	dh_text_add(to, " of ");
	dh_text_number(to, s->size);
	dh_text_add(to, s->size == 1 ? " byte at " : " bytes at ");
	dh_text_hex(to, s->address);
	if (s->thread) {
		bool task = s->thread->kind == DH_THREAD_TASK;
		bool region = s->thread->kind == DH_THREAD_REGION;
		dh_text_add(to, task ? " by a task" : " by thread ");
		if (!task)
			dh_text_number(to, region ? s->thread->number : s->thread->id);
		if (region)
			dh_text_add(to, " of a parallel region");
	}
	dh_text_add(to, when);
	dh_plain_stack(to, s->site);
}

void dh_plain_race(struct dh_text *to, const struct dh_race_facts *f, bool further)
{
	dh_text_add(to, further ? "deadheat: further access" : "deadheat: data race");
	if (dh_findings_by_variable()) {
		dh_text_add(to, further ? ", of data race " : " ");
		dh_text_number(to, f->serial);
	}
	dh_text_add(to, f->grade == DH_WIRE_POTENTIAL ? " (potential)" : " (observed)");
	dh_text_add(to, further ? ", to " : " on ");
	dh_text_hex(to, f->address);
	dh_text_add(to, "\n");
	side(to, &f->second, "\n");
	side(to, &f->first, ", earlier\n");
	if (f->in_heap && !further) {
		dh_text_add(to, "  in a block of ");
		dh_text_number(to, f->block.size);
		dh_text_add(to, " bytes, allocated\n");
		dh_plain_stack(to, f->block.alloc_site);
	}
	dh_text_add(to, "\n");
}

void dh_plain_end(struct dh_text *to, uint64_t distinct, uint64_t total)
{
	dh_text_add(to, "deadheat: ");
	dh_text_number(to, distinct);
	dh_text_add(to, distinct == 1 ? " race, met " : " races, met ");
	dh_text_number(to, total);
	dh_text_add(to, total == 1 ? " time" : " times");
	dh_text_add(to, "; the helper that looks up names could not be run\n");
}
