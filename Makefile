# SPDX-License-Identifier: GPL-2.0-or-later
# The words people type; meson and ninja do the work. `make help` lists them.

MESON ?= meson
NINJA ?= ninja
export NINJA
PYTHON ?= python3
CLANG ?= clang-19
DESTDIR ?=
prefix ?= /usr/local
RUNS ?= 1000000
FUZZERS ?=
SMOKE ?=
MUTANTS ?=
ROOMS ?=
ONLY ?=

# What set-up is for: a goal that tests wants more than `make`, and `make demo` less. Several goals want all.
GOALS := $(or $(MAKECMDGOALS),all)
PURPOSE := $(if $(filter-out demo all install help clean,$(GOALS)),test,$(if $(filter-out demo,$(GOALS)),build,demo))
BEGAN := $(shell date +%s)

SANITIZE := -Db_sanitize=address,undefined -Db_lundef=false
# A suite exists when its directory has tests; tests/run refuses a named suite without any.
HAVE = $(if $(wildcard tests/$(1)/meson.build),$(1))
TEST_SUITES ?= unit $(call HAVE,golden) corpus house $(call HAVE,host) $(call HAVE,vm) $(call HAVE,self)

.PHONY: all
all: setup build/release/build.ninja ## build what is installed; programs are then in build/bin/
	@$(PYTHON) tools/stage-bin build/release build/bin

# Nothing is built but what it shows.
.PHONY: demo
demo: setup build/release/build.ninja ## a fairness test under two schedulers in a guest, and a bug that is found
	@$(PYTHON) tools/stage-bin build/release build/bin ktstr scx_ktfifo libktstr.a
	@tools/demo --began $(BEGAN)

.PHONY: demo-probe
demo-probe: all ## a real server that uses jemalloc, and the probe watching it
	@tools/demo-probe

.PHONY: setup
setup: ## install and build what the project needs; quick when nothing is missing
	@tools/setup --for $(PURPOSE)

# One directory per way of building; ninja keeps it current. Meson does not notice a room or
# a fuzzer that is new, so the files that make one are named here.
MESON_FILES := $(wildcard meson.build meson_options.txt src/meson.build src/*/meson.build \
	tests/meson.build tests/*/meson.build tests/unit/*/meson.build tests/fuzz/fuzz_*.c)
SETUP = if [ -e $@ ]; then $(MESON) setup --reconfigure $(@D) >/dev/null; \
	else $(1) $(MESON) setup $(@D) $(2); fi && touch $@ $(@D)/for-$(PURPOSE)

# Meson does not look again by itself for what set-up has brought since.
.PHONY: again
build/release/build.ninja: $(if $(wildcard build/release/for-$(PURPOSE)),,again)
build/release/build.ninja: $(MESON_FILES) | setup
	@$(call SETUP,,--buildtype=debugoptimized --prefix=$(prefix))

build/debug/build.ninja: $(MESON_FILES) | setup
	@$(call SETUP,,--buildtype=debug -Dwerror=true $(SANITIZE))

build/gcc/build.ninja: $(MESON_FILES) | setup
	@$(call SETUP,CC=gcc,--buildtype=debugoptimized -Dwerror=true)

build/clang/build.ninja: $(MESON_FILES) | setup
	@$(call SETUP,CC=$(CLANG),--buildtype=debugoptimized -Dwerror=true)

# clang: the thread sanitizer of gcc 12 cannot start where addresses are well randomised.
build/tsan/build.ninja: $(MESON_FILES) | setup
	@$(call SETUP,CC=$(CLANG),--buildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false)

build/fuzz/build.ninja: $(MESON_FILES) | setup
	@$(PYTHON) tools/fuzz-report --configure $(@D) && touch $@

# Guests need a kernel. Without one (no network, say) their tests are skipped and counted; where skips
# are enforced that is the end.
KERNEL = $(1)/src/cli/ktstr kernel fetch --if-missing >/dev/null || \
	{ echo "make: no kernel for guests" >&2; [ "$$KTSTR_ENFORCE_SKIPS" != 1 ]; }

.PHONY: test
test: setup build/debug/build.ninja ## debug build with sanitizers; unit, golden, corpora, house rules, host, guests
	@$(NINJA) -C build/debug
	@$(call KERNEL,build/debug)
	@$(PYTHON) tests/run build/debug $(TEST_SUITES) --clock test

.PHONY: test-release test-gcc test-clang
test-release test-gcc test-clang: test-%: setup build/%/build.ninja ## unit tests and corpora of one more build
	@$(NINJA) -C build/$*
	@$(PYTHON) tests/run build/$* unit corpus --as $*

.PHONY: test-tsan
test-tsan: setup build/tsan/build.ninja ## unit tests under the thread sanitizer, of ROOMS= if named
	@$(PYTHON) tests/run build/tsan unit --build --as tsan $(if $(ROOMS),--rooms $(ROOMS))

.PHONY: test-recipes
test-recipes: setup build/debug/build.ninja ## do what docs/HOWTO.md describes in a copy of the tree, and see it work
	@$(PYTHON) tests/run build/debug recipes

.PHONY: test-mutants
test-mutants: setup ## plant each bug of tests/mutants and see a test go red
	@$(PYTHON) tests/mutants/run --jobs 2 $(MUTANTS)

# Which: tests/kernels says the rule; KERNELS="6.12 …" names them.
KERNELS ?=
.PHONY: test-kernels
test-kernels: setup build/debug/build.ninja ## the tests that look into a guest, with other kernels than the default one
	@$(NINJA) -C build/debug
	@$(PYTHON) tests/kernels build/debug $(KERNELS)

.PHONY: soak test-soak
soak test-soak: all ## the long runs that `make test` leaves out
	@$(NINJA) -C build/release
	@$(call KERNEL,build/release)
	@if grep -qs "'soak'" tests/*/meson.build; then $(PYTHON) tests/run build/release soak; \
	else echo "soak: no test of this tree is in the suite 'soak'"; fi

.PHONY: test-oracle
test-oracle: all ## drgn and crash read our vmcores and agree; downloads debug information once, 350 MB a kernel
	@$(NINJA) -C build/release
	@$(call KERNEL,build/release)
	@rm -f build/oracle/*.agreement; $(PYTHON) tests/run build/release oracle; status=$$?; \
	cat build/oracle/*.agreement >&2; exit $$status

.PHONY: test-hostile
test-hostile: setup build/debug/build.ninja ## ten thousand lies of a saved guest, with sanitizers
	@$(NINJA) -C build/debug
	@$(call KERNEL,build/debug)
	@$(PYTHON) tests/run build/debug hostile

.PHONY: test-long
test-long: setup build/debug/build.ninja ## ONLY= one program of soak, hostile or oracle, with sanitizers (tests/LONG)
	@$(NINJA) -C build/debug
	@$(call KERNEL,build/debug)
	@$(PYTHON) tests/run build/debug $(firstword $(subst /, ,$(ONLY))) --only $(ONLY)

.PHONY: fuzz-report
fuzz-report: setup build/fuzz/build.ninja ## RUNS= executions, coverage and planted bug of each of FUZZERS=
	@$(PYTHON) tools/fuzz-report --build build/fuzz --runs $(RUNS) $(FUZZERS)

.PHONY: fuzz-smoke
fuzz-smoke: setup build/fuzz/build.ninja ## some seconds of every fuzzer, no bounds
	@$(PYTHON) tools/fuzz-report --build build/fuzz --smoke $(SMOKE) $(FUZZERS)

TEST_ALL := test test-release test-gcc test-clang test-tsan test-recipes test-mutants fuzz-smoke test-kernels test-hostile soak
.PHONY: test-all
test-all: ## everything: all builds, thread sanitizer, mutants, fuzzers, other kernels, hostile guests, soak
	@failed=; for part in $(TEST_ALL); do echo "== make $$part"; \
	$(MAKE) --no-print-directory $$part || failed="$$failed $$part"; done; \
	echo "all of: $(TEST_ALL)"; [ -z "$$failed" ] || { echo "FAILED:$$failed"; exit 1; }

.PHONY: bench
bench: all ## our figures and the peer's in one run
	@if [ -x bench/run ]; then bench/run; else echo "bench: this tree has no bench/run"; exit 1; fi

.PHONY: install
install: all ## DESTDIR= and prefix= as usual
	@$(MESON) configure build/release -Dprefix=$(prefix)
	@$(PYTHON) tools/stage-bin build/release build/bin
	@DESTDIR="$(if $(DESTDIR),$(abspath $(DESTDIR)))" $(MESON) install -C build/release --no-rebuild

C_FILES = git ls-files -co --exclude-standard '*.c' '*.h' ':!tests/data'
.PHONY: format format-check
format: ## rewrite the tree with clang-format-19
	@$(C_FILES) | xargs clang-format-19 -i
format-check: ## say what `make format` would change
	@$(C_FILES) | xargs clang-format-19 --dry-run -Werror

.PHONY: clean
clean: ## remove every build, keep what set-up made in build/deps
	rm -rf $(addprefix build/,release debug gcc clang tsan fuzz bin mutants recipes fuzz-corpus fuzz-report)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z][a-z -]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 42
