/* SPDX-License-Identifier: MIT */
/*
 * The option `events`: the stream that the engine sees, as a text trace
 * (docs/formats/text-trace.md), so that `deadheat analyze` can judge it again. For tests
 * of the engines, and for looking at what they are told.
 *
 * The trace is written at the end of the run: a block of bytes that was split later
 * (vars.h) is several variables from the beginning of the trace on, which its engine
 * knows only afterwards. Until then events are records of 16 bytes, the latest in memory
 * and the others in a file beside (spill.h), which stays if the process is killed. Steps
 * of processes that the program forks are not in it.
 *
 * A variable is named by the address of its first byte, a thread by its id, other objects
 * by their numbers. The location of an access is MODULE+OFFSET@SITE, where SITE is a
 * number for the calls that led there.
 *
 * Part of the host: for one who is alone there, or has the lock below in its gate.
 * Allocates.
 */
#ifndef DH_RUNTIME_HOST_EVENTS_H
#define DH_RUNTIME_HOST_EVENTS_H

#include "event/event.h"

/* At start-up; "" for none. In the name %p stands for the process id. */
void dh_events_start(const char *path);

/* From now on this number names the variable at this address. */
void dh_events_var(uint32_t var, uintptr_t addr);

/* A part of `var` is `other` from now on. */
void dh_events_split(uint32_t var, uint32_t other);

/* The number names another lock, message or volatile from now on. */
void dh_events_renew(enum dh_name_kind kind, uint32_t number);

void dh_events_note(const struct dh_event *ev);

/* In the gate: around a note. Nothing where no events are kept. */
void dh_events_lock(void);
void dh_events_unlock(void);

/* Forgets everything, and keeps nothing more: in the child of a fork. */
void dh_events_stop(void);

/* Writes the trace, once. */
void dh_events_finish(void);

#endif
