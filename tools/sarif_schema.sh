#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/sarif_schema.sh DIR
# Fetches the full schema of SARIF 2.1.0 into DIR, by npm, and prints its path. With it
# the tests of SARIF reports hold them against more than our own part of the schema:
#
#   DEADHEAT_SARIF_SCHEMA=$(tools/sarif_schema.sh /tmp/sarif) make T=cli_report_sarif test
set -eu

dir=${1:?usage: tools/sarif_schema.sh DIR}
file=node_modules/@microsoft/sarif-multitool-linux/sarif-2.1.0.json
if [ ! -e "$dir/$file" ]; then
	mkdir -p "$dir"
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" \
		@microsoft/sarif-multitool-linux >&2
fi
echo "$dir/$file"
