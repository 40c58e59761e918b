/* SPDX-License-Identifier: MIT */
/*
 * clang's bitcode, which `deadheat cc` has it write where it would write assembly:
 * becomes that after all, with loops that tell of their accesses at once (src/pass).
 */
#ifndef DH_ASSEMBLER_BITCODE_H
#define DH_ASSEMBLER_BITCODE_H

#include <stdbool.h>
#include "assembler/text.h"

bool dh_bitcode_is(struct dh_text text);

/* A file with the assembly, at its start; -1 where clang could not make it, of which it
 * has told. */
int dh_bitcode_assembly(struct dh_text text);

#endif
