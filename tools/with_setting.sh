#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/with_setting.sh NAME VALUE COMMAND...
# Runs a command with a setting of the kernel's memory management changed, for the whole
# machine and as root, and puts the old value back however the command ends. To see that
# programs are watched all the same:
#
#   tools/with_setting.sh overcommit_memory 2 meson test -C build living
#   tools/with_setting.sh mmap_rnd_bits 32 meson test -C build living
set -eu
if [ $# -lt 3 ]; then
	sed -n 's/^# usage: /usage: /p' "$0" >&2
	exit 2
fi
file=/proc/sys/vm/$1
value=$2
shift 2
old=$(cat "$file")
trap 'echo "$old" >"$file"' EXIT
trap 'exit 130' INT TERM
echo "$value" >"$file"
"$@"
