/* SPDX-License-Identifier: MIT */
/* Where the library of LLVM is that a clang uses. */
#ifndef DH_CLI_LLVM_H
#define DH_CLI_LLVM_H

/* The compiler in words (compiler.h); the last one is the program. A name for dlopen(),
 * with or without a folder; NULL where it uses none, or one that this process could not.
 * The caller frees. */
char *dh_llvm_of(char *const *words);

#endif
