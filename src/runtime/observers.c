/* SPDX-License-Identifier: MIT */
/* Choosing an engine; see observer.h. */
#include "runtime/flags.h"
#include "runtime/intercept/gomp.h"
#include "runtime/observer.h"

/* In the order of the option's choices (flags.def). */
static const struct dh_observer *const engines[] = {
    NULL, /* fasttrack */
    &dh_observer_null,
    &dh_observer_count,
    &dh_observer_racetrack,
    &dh_observer_djit,
    &dh_observer_lockset,
    &dh_observer_multirace,
    &dh_observer_eraser,
    &dh_observer_racetrack_basic,
    &dh_observer_patent,
    &dh_observer_goldilocks,
    &dh_observer_goldilocks_paper,
    &dh_observer_log,
    &dh_observer_record,
};

void dh_observer_choose(void)
{
	dh_observer = engines[dh_flags.engine];
}

void dh_observer_start(void)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_observer) {
		dh_thread_sole();
		/* Tasks do better on arrays that have been written: docs/design/hot-path.md */
		if (!dh_gomp_is_there())
			dh_thread_alone();
		return;
	}
	dh_enter_runtime(t);
	dh_thread_look(t); /* it was attached before there was an engine */
	if (dh_observer->start)
		dh_observer->start(t);
	dh_saw(t, DH_SEEN_START, t->state->info->id, 0);
	dh_leave_runtime(t);
}
