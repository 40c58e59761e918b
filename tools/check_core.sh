#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/check_core.sh BUILD-DIR
# The core library calls no libc: what its objects leave undefined is defined in the
# library itself, or is on the short list below.
set -eu
library=$1/src/libdeadheat-core.a
symbols=$(nm -A -P -g "$library")

# What the compiler itself calls: copying and comparing (clang makes bcmp of memcmp), stack
# protection, helpers of libgcc; the sanitizers and coverage where the build has them. With
# AddressSanitizer src/base/mem.c takes its blocks from malloc (see there).
echo "$symbols" | awk '
BEGIN {
	compiler = "^(memcpy|memset|memmove|memcmp|bcmp|__stack_chk_fail" \
		"|_GLOBAL_OFFSET_TABLE_|__(popcount|clz|ctz)[sdt]i2|__aarch64_.*)$"
	instrumented = "^__(asan|ubsan|tsan|msan|sanitizer|gcov|llvm)_"
}
$3 == "U" || $3 == "w" {
	undefined[$2] = undefined[$2] "\n\t" $1
	if ($2 ~ /^__asan_/)
		asan = 1
	next
}
{ defined[$2] = 1; count++ }
END {
	for (name in undefined) {
		if (name in defined || name ~ compiler || name ~ instrumented)
			continue
		if (asan && name ~ /^(malloc|calloc|realloc|free)$/)
			continue
		print "the core must not call " name ", called from" undefined[name]
		bad = 1
	}
	if (!count) {
		print "no symbols found"
		exit 1
	}
	if (!bad)
		print count " symbols defined, no call leaves the core"
	exit bad
}'
