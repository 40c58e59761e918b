/* SPDX-License-Identifier: MIT */
/* Annotation files: what a program is not to be watched in (docs/formats/annotations.md). */
#ifndef DH_CLI_ANNOTATIONS_H
#define DH_CLI_ANNOTATIONS_H

/* Looks up the names of the file in the program and the libraries that it is linked with,
 * and puts their places into the environment (runtime/untracked.h). Names that nothing has
 * are told on standard error. 0, or the exit status after a message. */
int dh_annotations_apply(const char *file, const char *program);

#endif
