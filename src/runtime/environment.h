/* SPDX-License-Identifier: MIT */
/* The process's environment and arguments, as they were at its start, without libc.
 * Any thread; allocates where /proc has to be asked. */
#ifndef DH_RUNTIME_ENVIRONMENT_H
#define DH_RUNTIME_ENVIRONMENT_H

/* The value of a variable, or NULL. Valid for ever. A program with more rights than who
 * started it (set-user-ID and the like) has none: variables name files that are written
 * and a program that is run. */
const char *dh_environment_get(const char *name);

/* Takes the runtime out of LD_PRELOAD, where `deadheat run` has put it: what this process
 * starts is not meant. Who has put it there by hand means all. At start-up, before there
 * are other threads. */
void dh_environment_tidy(void);

#endif
