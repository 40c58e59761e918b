/* SPDX-License-Identifier: MIT */
/* The compiler that `deadheat cc` runs: which one, of what kind, and where its files are.
 * A compiler is a list of words, the last one NULL: "ccache", "clang-22", "-m64". */
#ifndef DH_CLI_COMPILER_H
#define DH_CLI_COMPILER_H

#include <stdbool.h>

/* As the environment has it, words parted by blanks: DEADHEAT_CC, or for C++
 * DEADHEAT_CXX, or else the C++ compiler that goes with DEADHEAT_CC. NULL without memory.
 * The caller frees. */
char *dh_compiler_choose(bool cxx);

/* Told by its name, or else by itself. */
bool dh_compiler_is_clang(char *const *words);

/* The path of a file that comes with the compiler; NULL where it has none of that name.
 * The caller frees. */
char *dh_compiler_file(char *const *words, const char *name);

#endif
