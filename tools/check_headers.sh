#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/check_headers.sh SOURCE-DIR [COMPILER...]
# Each header under src/ and include/ compiles alone, without a warning, and twice
# in one file.
set -eu
cd "$1"
shift
[ $# -gt 0 ] || set -- cc

count=0 bad=0
for header in $(find src $(ls -d include 2>/dev/null) -name '*.h' | sort); do
	name=${header#*/}
	count=$((count + 1))
	printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
		"$@" -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -Isrc -Iinclude \
			-x c - || {
		echo "$header: does not compile alone"
		bad=$((bad + 1))
	}
done
echo "$count headers, $bad do not compile alone"
[ "$count" -gt 0 ] && [ "$bad" -eq 0 ]
