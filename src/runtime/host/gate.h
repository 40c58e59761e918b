/* SPDX-License-Identifier: MIT */
/*
 * The gate: many threads at once in the host, or one alone.
 *
 * In the gate a thread may read what the host has (variables, objects, threads), change
 * what is its own (its guest), and use the engine as dh_engine_shared allows, a variable
 * under its lock below. It keeps nothing from one time to the next that one who is alone
 * may take away: so cells of the update list, chunks of variables and all else are
 * reclaimed safely without anybody counting who uses them.
 *
 * Alone a thread may change everything. It has the host's lock, has closed the gate, and
 * has waited until no guest is in it.
 *
 * To go in costs one locked instruction, on a word of the guest's own: a guest says that
 * it is in and then looks whether somebody wants to be alone; one who does says so and
 * then looks who is in. Of the two at least one sees the other, and the guest is the one
 * who steps back and waits, for the lock. Only those are looked at who have been in since
 * the gate was last closed: they enlist, once. So thousands of threads that do nothing
 * cost nothing.
 *
 * Who wants to be alone may have to wait for a guest that was put off its processor in
 * the gate, and with many threads there is always one. Then the gate rests: for some
 * thousand times guests find it shut, and everybody is alone one after the other, which
 * costs the lock and no waiting. So the gate costs little where a program makes new
 * variables all the time (malloc).
 *
 * Nothing blocks in the gate, and a fork finds nobody there (intercept/fork.c).
 *
 * Part of the host.
 */
#ifndef DH_RUNTIME_HOST_GATE_H
#define DH_RUNTIME_HOST_GATE_H

#include "base/base.h"

struct dh_guest;

/* The guest is in the gate, if that is not resting; or no longer. */
bool dh_gate_enter(struct dh_guest *g);
void dh_gate_leave(struct dh_guest *g);

/* To be alone, and no longer. The caller is not in the gate. */
void dh_gate_close(void);
void dh_gate_open(void);

/* In the gate: the variable is the caller's, and no longer. */
void dh_gate_take(uint32_t var);
void dh_gate_give(uint32_t var);

#endif
