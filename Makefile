# Development tasks; `make help` lists them. All happens in .venv, build and dist: no other environment is touched.
# Needed: Python >= 3.10, a C++17 compiler, make. The rest comes from PyPI.
#   make test PYTHON=python3.12     another interpreter (for a new .venv)
#   make test ARGS='-k parser -x'   arguments for pytest; also for bench, debug, sanitize

PYTHON ?= python3
ARGS ?=

ROOT := $(CURDIR)
VENV := $(ROOT)/.venv
READY := $(VENV)/.ready
PYTEST := $(VENV)/bin/python -m pytest
HEADERS := $(wildcard csrc/boolsieve/*.hpp csrc/boolsieve/*/*.hpp)
SOURCES := pyproject.toml setup.py csrc/CMakeLists.txt $(HEADERS) \
	$(shell find src -name '*.py' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pyi')

OPTIONS_dev :=
OPTIONS_debug := -DBOOLSIEVE_DEBUG=ON
OPTIONS_sanitize := -DBOOLSIEVE_SANITIZE=ON

export PATH := $(VENV)/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build test demo bench compare records lint format debug sanitize dist clean

# $(call quietly,what,command): one line if all goes well, and all that the command said if not.
define quietly
@mkdir -p build; printf '%s ... ' '$(1)'; log=$$(mktemp build/log.XXXXXX); (set -e; $(2)) >$$log 2>&1; \
if [ $$? = 0 ]; then echo ok; rm $$log; else echo failed; cat $$log; rm $$log; exit 1; fi
endef

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-16s %s\n", $$1, $$2}'

# scikit-build-core says what is missing of CMake and Ninja. The .pth file makes src importable, as in an editable install.
$(READY): pyproject.toml
	$(call quietly,environment in .venv,\
		test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV); \
		$(VENV)/bin/pip install --upgrade 'pip>=25.1'; \
		$(VENV)/bin/pip install --no-compile --upgrade --group dev; \
		needs=$$($(VENV)/bin/python -c 'from scikit_build_core.setuptools import build_meta as b; \
			print(*b.get_requires_for_build_wheel())' | tail -n 1); \
		test -z "$$needs" || $(VENV)/bin/pip install $$needs; \
		$(VENV)/bin/python -c 'import sysconfig; \
			print("$(ROOT)/src", file=open(sysconfig.get_path("purelib") + "/boolsieve-src.pth", "w"))')
	@touch $@

build/%/CMakeCache.txt: $(READY)
	$(call quietly,configure build/$*,cmake -S csrc -B build/$* -G Ninja \
		-DPython_EXECUTABLE=$(VENV)/bin/python $(OPTIONS_$*))
	@touch $@

build: build/dev/CMakeCache.txt  ## compile what has changed, into src
	$(call quietly,build,cmake --build build/dev && cmake --install build/dev --prefix src)

# A file's tests stay together, because they share what they build.
test: build  ## run the whole test suite, on all cores
	@$(PYTEST) -p no:benchmark -n auto --dist loadfile $(ARGS)

bench: build  ## run the benchmarks
	@$(PYTEST) benchmarks --benchmark-only --benchmark-columns=min,median,rounds --benchmark-sort=name $(ARGS)

compare: $(READY)  ## compare the engines' speed at two commits: BASE=main [HEAD=topic] [ARGS='-k begen']
	@test -n '$(BASE)' || { echo 'compare: which commit to compare with? make compare BASE=main'; exit 2; }
	@$(VENV)/bin/python benchmarks/compare.py $(BASE) $(HEAD) -- $(ARGS)

RECORD ?= suite
records: build  ## run the benchmarks, record them as RECORD (suite), and put the tables into docs/benchmarks.md
	@mkdir -p build && $(PYTEST) benchmarks --benchmark-only --benchmark-quiet --benchmark-json=build/bench.json $(ARGS)
	@$(VENV)/bin/python benchmarks/tables.py $(RECORD) build/bench.json

demo: build/demo/.ready  ## install the package into a fresh environment and show it at work
	@cd build/demo && bin/python -m boolsieve.demo

build/demo/.ready: $(SOURCES)
	$(call quietly,pip install . in build/demo,rm -rf build/demo; $(PYTHON) -m venv build/demo; \
		build/demo/bin/pip install '.[progress]')
	@touch $@

lint: $(READY)  ## check style and types
	$(call quietly,ruff check,ruff check .)
	$(call quietly,ruff format,ruff format --check --diff .)
	$(call quietly,cython-lint,cython-lint src)
	$(call quietly,clang-format,clang-format --dry-run -Werror $(HEADERS))
	$(call quietly,mypy,mypy)

format: $(READY)  ## bring the code into style
	@ruff check --fix-only --quiet . && ruff format --quiet . && clang-format -i $(HEADERS)

# A package of its own with the checked modules; PYTHONPATH puts it before src.
define checked_package
$(call quietly,build ($@),cmake --build build/$@; rm -rf build/$@/package; mkdir build/$@/package; \
	tar -C src --exclude='*.so' --exclude=__pycache__ -cf - boolsieve | tar -C build/$@/package -xf -; \
	cmake --install build/$@ --prefix build/$@/package)
endef

debug: build/debug/CMakeCache.txt  ## run the tests with bounds checks
	$(checked_package)
	@PYTHONPATH=$(ROOT)/build/debug/package $(PYTEST) -m 'not packaging' $(ARGS)

# The sanitizers report to the process' own stderr, which pytest must therefore leave alone.
sanitize: build/sanitize/CMakeCache.txt  ## run the tests under the address and undefined-behaviour sanitizers
	$(checked_package)
	@PYTHONPATH=$(ROOT)/build/sanitize/package HYPOTHESIS_PROFILE=sanitize PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	$(PYTEST) --capture=sys -m 'not packaging' $(ARGS)

dist: $(READY)  ## build the sdist, and the wheel from it, in dist
	$(call quietly,sdist,rm -rf dist && $(VENV)/bin/python -c \
		'from scikit_build_core.setuptools import build_meta; build_meta.build_sdist("dist")')
	$(call quietly,wheel,$(VENV)/bin/pip wheel --no-deps --wheel-dir dist dist/*.tar.gz)
	@ls -l dist

clean:  ## remove all that was built (but not .venv)
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks src/*.egg-info
	@find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null; find src -name '*.so' -delete
