# SPDX-License-Identifier: MIT
"""The experiments of the papers, a module for each paper; bench/run_papers runs them."""
