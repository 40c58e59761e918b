/* SPDX-License-Identifier: MIT */
/*
 * The helper process as the reports see it: there when needed (channel.h), told who asks,
 * where the report goes, and which modules the process has. The caller is report.c, under
 * its lock. Allocates.
 */
#ifndef DH_RUNTIME_HELPER_H
#define DH_RUNTIME_HELPER_H

#include "base/base.h"

/* At start-up and in the child of a fork, and again where the options changed. */
/* A file's name made absolute, %p replaced: the program may change its folder. */
struct dh_text;
void dh_helper_expand(struct dh_text *to, const char *path, uint64_t process);

void dh_helper_init(uint64_t process);

/* A helper that knows the modules. False where there is none to be had. */
bool dh_helper_connect(void);

/* Races that the present helper has been told of. */
extern uint64_t dh_helper_races;

/* Where text and JSON go: absolute names, "" for standard error and for nowhere. */
const char *dh_helper_log(void);
const char *dh_helper_json(void);

#endif
