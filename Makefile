# SPDX-License-Identifier: GPL-2.0-or-later
# The words people type; meson and ninja do the work. `make help` lists them.

MESON ?= meson
NINJA ?= ninja
PYTHON ?= python3
CC ?= gcc
DESTDIR ?=
prefix ?= /usr/local

SANITIZE := -Db_sanitize=address,undefined -Db_lundef=false
TEST_SUITES := unit golden corpus house host

.PHONY: all
all: setup build/release/build.ninja ## build; programs then stand in build/bin/
	$(NINJA) -C build/release
	@mkdir -p build/bin
	@$(PYTHON) tools/stage-bin build/release build/bin

.PHONY: setup
setup: ## install and build what the project needs
	@tools/setup

build/release/build.ninja: | setup
	$(MESON) setup build/release --buildtype=debugoptimized --prefix=$(prefix)

build/debug/build.ninja: | setup
	$(MESON) setup build/debug --buildtype=debug -Dwerror=true $(SANITIZE) --prefix=$(prefix)

.PHONY: test
test: setup build/debug/build.ninja ## debug build with sanitizers; unit, golden, corpora, house rules, host
	$(NINJA) -C build/debug
	$(PYTHON) tests/run build/debug $(TEST_SUITES)

.PHONY: install
install: all ## DESTDIR= and prefix= as usual
	DESTDIR=$(DESTDIR) $(MESON) install -C build/release --no-rebuild

.PHONY: format
format: ## rewrite the tree with clang-format-19
	git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format-19 -i

.PHONY: clean
clean: ## remove builds, keep dependencies
	rm -rf build/debug build/release build/bin

.PHONY: help
help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24
