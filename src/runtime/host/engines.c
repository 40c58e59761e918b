/* SPDX-License-Identifier: MIT */
/*
 * See engines.h. Why the rules of repeats are enough. Let e' repeat e: same thread t,
 * same bytes, same or weaker kind, no step of synchronisation of t in between, hence the
 * same locks and the same knowledge.
 *
 *   djit, goldilocks, log     e' is not logged if e was: the time frame is the same.
 *   racetrack-basic, patent   since e, S_x has t's present label, which nobody can have
 *                             removed (t has published nothing), and C_x is within the
 *                             locks of e: e' changes neither.
 *   eraser, lockset,          the same for C(v), but not while a thread is alone with the
 *   multirace                 variable: then e is forgiven and e', after another thread
 *                             came, is not.
 *   goldilocks-paper          each access is judged by the one just before it.
 */
#include "runtime/host/engines.h"
#include "runtime/flags.h"
#include "runtime/text.h"

extern const struct dh_engine_ops dh_engine_djit, dh_engine_lockset, dh_engine_multirace,
    dh_engine_eraser, dh_engine_racetrack_basic, dh_engine_patent, dh_engine_goldilocks,
    dh_engine_goldilocks_paper, dh_engine_log;
extern const struct dh_filter_ops dh_filter_tree, dh_filter_tree_strict, dh_filter_span;

static const struct dh_hosted engines[] = {
    {&dh_engine_djit, DH_REPEATS_FRAME},
    {&dh_engine_lockset, DH_REPEATS_OWNER},
    {&dh_engine_multirace, DH_REPEATS_OWNER},
    {&dh_engine_eraser, DH_REPEATS_OWNER},
    {&dh_engine_racetrack_basic, DH_REPEATS_FRAME},
    {&dh_engine_patent, DH_REPEATS_FRAME},
    {&dh_engine_goldilocks, DH_REPEATS_FRAME},
    {&dh_engine_goldilocks_paper, DH_REPEATS_LAST},
    {&dh_engine_log, DH_REPEATS_FRAME},
};

const struct dh_hosted *dh_hosted_by_name(const char *name)
{
	size_t i = 0;
	while (!dh_text_same(engines[i].ops->name, name))
		DH_CHECK(++i < DH_ARRAY_LEN(engines));
	return &engines[i];
}

const struct dh_filter_ops *dh_hosted_filter(unsigned choice)
{
	switch (choice) {
	case DH_FILTER_TREE:
		return &dh_filter_tree;
	case DH_FILTER_TREE_STRICT:
		return &dh_filter_tree_strict;
	case DH_FILTER_SPAN:
		return &dh_filter_span;
	default:
		return NULL;
	}
}
