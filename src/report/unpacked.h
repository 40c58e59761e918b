/* SPDX-License-Identifier: MIT */
/*
 * ELF files whose debug sections are packed with zstd, which libelf does not read before
 * version 0.189: they are unpacked here. Not so in a file of debug information beside the
 * module's own, which libdw finds and opens itself. Any thread; allocates.
 */
#ifndef DH_REPORT_UNPACKED_H
#define DH_REPORT_UNPACKED_H

/* Takes a file that is open for reading, and returns it; or, where it has such sections,
 * a copy in memory that has them unpacked, and the file is closed. What cannot be
 * unpacked stays as it is. */
int dh_unpacked(int fd);

#endif
