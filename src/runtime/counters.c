/* SPDX-License-Identifier: MIT */
/* What all parts of the runtime have counted, by name, for the summary (report.h). The
 * names are part of the findings format (docs/formats/findings.md). */
#include "base/mem.h"
#include "runtime/findings.h"
#include "runtime/heap.h"
#include "runtime/labels.h"
#include "runtime/missing/missing.h"
#include "runtime/missing/reach.h"
#include "runtime/observer.h"
#include "runtime/openmp/strand.h"
#include "runtime/report.h"
#include "runtime/sets.h"
#include "runtime/sync.h"
#include "runtime/untracked.h"

struct list {
	struct dh_report_counter *at;
	size_t len, max;
};

static void add(struct list *l, bool loss, const char *name, uint64_t value)
{
	if (l->len < l->max)
		l->at[l->len++] = (struct dh_report_counter){name, value, loss};
}

static void loss(struct list *l, const char *name, uint64_t value)
{
	add(l, true, name, value);
}

static void count(struct list *l, const char *name, uint64_t value)
{
	add(l, false, name, value);
}

static void of_threads(struct list *l)
{
	struct dh_threads_stats s;
	dh_threads_get_stats(&s);
	count(l, "threads", s.created);
	count(l, "threads_at_once", s.peak);
	count(l, "slots_reused", s.slots_reused);
	count(l, "slots_renewed", s.slots_renewed);
	loss(l, "slots_shared", s.slots_shared);
	loss(l, "threads_unwatched", s.unwatched);
}

static void of_tasks(struct list *l)
{
	struct dh_strands_stats s;
	dh_strands_get_stats(&s);
	count(l, "tasks", s.begun);
	count(l, "task_slots_reused", s.reused);
	loss(l, "task_slots_shared", s.common);
	loss(l, "tasks_within_others", s.refused);
}

static void of_contexts(struct list *l)
{
	struct dh_context_stats s;
	dh_context_get_stats(dh_contexts, &s);
	count(l, "contexts", s.nodes);
	count(l, "sites", s.sites);
	count(l, "recursions_folded", s.folded);
	count(l, "context_bytes", s.bytes);
	loss(l, "contexts_lost", s.lost_nodes);
	loss(l, "sites_lost", s.lost_sites);
}

static void of_memory(struct list *l)
{
	struct dh_sets_stats sets;
	struct dh_heap_stats heap;
	dh_sets_get_stats(&sets);
	dh_heap_get_stats(&heap);
	count(l, "shadow_reserved", dh_shadow_bytes());
	count(l, "record_sets", sets.sets);
	count(l, "record_set_bytes", sets.bytes);
	count(l, "sync_objects", dh_sync_count());
	count(l, "heap_bytes_mapped", heap.mapped);
	count(l, "heap_fact_bytes", heap.facts);
	count(l, "runtime_bytes", dh_mem_in_use());
	loss(l, "readers_forgotten", sets.forgotten);
	loss(l, "shadow_refused", dh_shadow_refused());
	loss(l, "block_makers_lost", heap.hands_lost);
	count(l, "wrong_frees", heap.wrong_frees);
	count(l, "benign_met", dh_benign_hits());
	count(l, "untracked_met", dh_untracked_hits());
}

static void of_findings(struct list *l)
{
	if (dh_findings_by_variable())
		loss(l, "places_left_out", dh_findings_left_out());
}

static void of_missing(struct list *l)
{
	struct dh_missing_stats s;
	struct dh_reach_stats r;
	if (!dh_missing_wanted())
		return;
	dh_missing_get_stats(&s);
	dh_reach_get_stats(&r);
	count(l, "missing_functions", s.functions);
	count(l, "missing_calls", s.calls);
	count(l, "missing_reached", r.objects);
	count(l, "missing_scans", r.scans);
	count(l, "missing_recalled", r.recalled);
	loss(l, "missing_unhooked", s.unhooked);
	loss(l, "missing_capped", r.capped);
}

size_t dh_report_counters(struct dh_report_counter *room, size_t max)
{
	struct list l = {.at = room, .max = max};
	of_threads(&l);
	of_tasks(&l);
	of_contexts(&l);
	of_memory(&l);
	of_findings(&l);
	of_missing(&l);
	if (dh_observer && dh_observer->counters)
		l.len += dh_observer->counters(room + l.len, max - l.len);
	return l.len;
}
