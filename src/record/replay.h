/* SPDX-License-Identifier: MIT */
/*
 * The events of a recording (tape.h), for the reader of traces (trace/reader.h): reads it
 * twice, first to survey it (survey.h), then to make events of it (scribe.h). Names of
 * variables and places in the code are looked up in the files of the program, which are
 * to be where they were; where they are not, names are addresses.
 *
 * One thread.
 */
#ifndef DH_RECORD_REPLAY_H
#define DH_RECORD_REPLAY_H

#include "trace/reader.h"

/* How much a recording may have in it: records, and eight bytes each of ranges that are
 * accessed or reached. What has more counts as damaged there. A few bytes can claim to
 * stand for any number; this is more than could be read in hours. Tests make it smaller.
 */
extern uint64_t dh_replay_most;

/* For dh_reader_understand(). */
extern const struct dh_reader_events dh_replay;

#endif
