/* SPDX-License-Identifier: MIT */
/*
 * What we do to the code of a file between clang's optimiser and its code generator: the
 * whole, from bitcode to bitcode.
 */
#ifndef DH_PASS_PASS_H
#define DH_PASS_PASS_H

#include <stdbool.h>
#include <stddef.h>

/* Does the text begin as bitcode does? */
bool dh_pass_is_bitcode(const char *text, size_t size);

/* Reads a module and writes what is made of it to fd. library: LLVM, as the compiler uses
 * it. False where there was nothing to do, or it could not be done: the module is to be
 * used as it was. */
bool dh_pass_run(const char *library, const char *text, size_t size, int fd);

#endif
