/* SPDX-License-Identifier: MIT */
/*
 * The member or element of a variable that some of its bytes are, as the source calls it,
 * by the types in debug information. For variables.c; one thread at a time.
 */
#ifndef DH_REPORT_PARTS_H
#define DH_REPORT_PARTS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct dh_part {
	char text[256]; /* "[3].next"; "" for the variable itself. ".low..high": bit-fields
			 * side by side; ".i|f": members of a union, either of which it
			 * may be; ".u+4": within one, of which no more is known */
	size_t len;
	char field[256]; /* "node.next": the innermost structure that has a name, and the
			  * member within; "" for none */
};

/* Names the part at an offset of a variable, of which an access touched so many bytes; 0
 * where that is not known. */
void dh_parts_name(Dwarf_Die *variable, uint64_t offset, uint64_t size, struct dh_part *p);

/* How large the variable is; 0 where that is not said. */
uint64_t dh_parts_size(Dwarf_Die *variable);

#endif
