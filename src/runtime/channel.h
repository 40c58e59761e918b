/* SPDX-License-Identifier: MIT */
/*
 * The line to the helper process, `deadheat symbolize`, which turns raw facts into a
 * report (report/wire.h). Started when first needed, so that a process without races
 * never has one.
 *
 * The helper is no child of the program: its wait() and SIGCHLD never see it. It has
 * none of the program's files open but standard error, and no signal ends it before it
 * has written what it was told. It ends when the process does, however that happens.
 *
 * Concurrency: the caller (report.c) sees to it that one thread at a time is here, that
 * it is `inside`, and that the process is the one that dh_channel_init() was called in.
 * No function blocks for longer than the time limits in channel.c.
 */
#ifndef DH_RUNTIME_CHANNEL_H
#define DH_RUNTIME_CHANNEL_H

#include "base/base.h"

/* At start-up: finds the helper's program, and notes what it needs of the environment. */
void dh_channel_init(void);

/* Starts the helper unless it runs. *fresh: it has just been started and knows nothing
 * yet. False where there is none to be had. */
bool dh_channel_open(bool *fresh);

/* Sends all bytes. False where the helper is gone or does not listen; then the line is
 * closed. */
bool dh_channel_send(const void *bytes, size_t n);

/* Waits for an acknowledgement, one word. False where none came. */
bool dh_channel_wait(uint64_t *answer);

/* The line's number among the open files, -1 for none. Any thread; just a hint. */
int dh_channel_number(void);

/* Is this the line, and open? */
bool dh_channel_keeps(int fd);

/* If the line has this number, it takes another. */
void dh_channel_give_way(int fd);

/* Hangs up. In a child after fork: the line is the parent's. */
void dh_channel_close(void);

#endif
