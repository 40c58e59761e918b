# SPDX-License-Identifier: MIT
# A thin front over Meson and Ninja. `make help` lists the targets.
#
#   B=dir           build directory                       (build)
#   BUILD=release   release | debug | asan | tsan         (release)
#   T=name          with `make test`: only this test
#   QUICK=1         with `make bench`: two minutes instead of ten
#   PAPERS=name     with `make bench`: an experiment of the papers (docs/bench), or `all`
#   PREFIX=dir      with `make install`                   (/usr/local)

B ?= build
BUILD ?= release
PREFIX ?= /usr/local

options_release = --buildtype=release
options_debug = --buildtype=debugoptimized -Dchecks=2
options_asan = --buildtype=debugoptimized -Dchecks=2 -Db_sanitize=address,undefined \
               -Db_lundef=false
options_tsan = --buildtype=debugoptimized -Dchecks=1 -Db_sanitize=thread -Db_lundef=false

.PHONY: all setup test test-long demo bench install clean help

all: $(B)/build.ninja
	@ninja -C $(B) --quiet

# Installs missing packages when root, else names them.
setup:
	@tools/setup.sh

$(B)/build.ninja: | setup
	@meson setup $(B) --prefix=$(PREFIX) $(options_$(BUILD)) >$(B).log 2>&1 || \
	  { cat $(B).log; exit 1; }
	@mv $(B).log $(B)/setup.log

test: all
	@tools/test.sh $(B) $(T)

# Ten thousand random traces against the oracles, and the longer stress runs.
test-long: all
	@tools/test.sh $(B) --suite long

demo: all
	@tools/demo.sh $(B)

bench: all
	@tools/bench.sh $(B) $(if $(QUICK),--quick) \
	  $(if $(PAPERS),papers $(filter-out all,$(PAPERS)))

install: all
	@meson configure $(B) --prefix=$(PREFIX)
	@meson install -C $(B) --quiet

clean:
	rm -rf $(B)

help:
	@sed -n '2,10s/^# \{0,1\}//p' Makefile
	@echo "targets: all setup test test-long demo bench install clean"
