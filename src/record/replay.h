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

/* For dh_reader_understand(). */
extern const struct dh_reader_events dh_replay;

#endif
