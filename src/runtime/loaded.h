/* SPDX-License-Identifier: MIT */
/*
 * Modules by the word of the dynamic loader, for where the kernel shows no mappings: a
 * process that /proc is hidden from. What the loader knows less well: which of two files
 * of one path it is, and what has been unloaded.
 *
 * Context: while a constructor runs only; then the calling thread has the loader's lock
 * anyway. Allocates.
 */
#ifndef DH_RUNTIME_LOADED_H
#define DH_RUNTIME_LOADED_H

/* Adds what is not in the list yet (modules.h). */
void dh_loaded_note(void);

#endif
