#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a program without address space randomisation where that can be had:
# ThreadSanitizer of older compilers does not start under the strongest setting.
if setarch -R true 2>/dev/null; then
	exec setarch -R "$@"
fi
exec "$@"
