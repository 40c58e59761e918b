/* SPDX-License-Identifier: MIT */
/* `deadheat run --break`: the program under gdb. */
#ifndef DH_CLI_DEBUG_H
#define DH_CLI_DEBUG_H

enum dh_break { DH_BREAK_NO, DH_BREAK_FIRST, DH_BREAK_END };

/* Becomes gdb, which runs the program and stops at its races, or at its end. Where
 * standard input is no terminal nobody can talk to gdb: then it tells of each stop on
 * standard error, goes on, and ends with the program's status. Returns only where that
 * fails, with the exit status after a message. */
int dh_debug_become(const char *path, char **argv, enum dh_break when);

#endif
