# make demo   a training you can watch          make test    the tests, without the slow ones
# make test-all   every test                      make test-slow   the slow ones
# make check  linters, types, architecture      make bench   figures beside the peers'
# make sanitize   the compiled parts under AddressSanitizer    make bench-ui   how fast the page paints and scrolls
# make soak    a viewer beside a week of trainings           make sbom   the packages in the wheel and the page
# make gallery    pictures of every page; DOCS=1: those of docs/         make fuzz     broken logs by every way to read them
# make test-core, test-frameworks, test-browser, test-ui   parts of the tests; together they are all
# make site     the documents as a web site, in build/site
# make test-slowest   the slowest tests of the last runs       make wheel   source archive and wheel, into dist/
VENV ?= .venv
PORT ?= 8080
PYTHON ?= python3
BIN := $(VENV)/bin
# modules are compiled to bytecode when they are imported: few of those that come with frameworks ever are
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
WORKERS ?= $(shell expr $$(nproc) + 1)
WEB := src/mindscope/server/web/index.html
UI_SOURCES := $(shell find ui/src ui/index.html ui/package.json ui/putInPlace.js ui/pdfFonts.js ui/workerLicenses.js ui/vite.config.ts -type f 2>/dev/null)
CORE := $(foreach end,pyx pxd h,$(wildcard src/mindscope/*/*.$(end) src/mindscope/*/*/*.$(end)))

# compiled modules of earlier builds, by a hash of their sources and compilers
export MINDSCOPE_BUILD_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/mindscope/build

# what needs nothing of each other runs at once: installs and the page's build, tests in Python and in TypeScript
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=2
endif

.PHONY: demo fuzz test test-python test-quick test-core test-frameworks test-browser test-ui test-slow test-all test-slowest wheel sbom check check-python check-ui bench bench-ui soak sanitize site web gallery clean

demo: $(VENV)/.demo $(VENV)/.package $(WEB)
	exec $(BIN)/python examples/demo.py --port $(PORT)

# SLOW=1: with the slow tests, in one session
test: $(if $(SLOW),test-python,test-quick) test-ui

test-all: test-python test-ui

# the tests start hundreds of processes, each of which would compile every module
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
TIMES := build/tests

test-python: $(VENV)/.dev $(VENV)/.frameworks $(VENV)/.package $(WEB) | chromium
	$(PYTEST) --junit-xml=$(TIMES)/python.xml

test-quick: $(VENV)/.dev $(VENV)/.frameworks $(VENV)/.package $(WEB) | chromium
	$(PYTEST) --junit-xml=$(TIMES)/quick.xml -m "not slow"

test-slow: $(VENV)/.dev $(VENV)/.frameworks $(VENV)/.package $(WEB) | chromium
	$(PYTEST) --junit-xml=$(TIMES)/slow.xml -m "slow"

test-core: $(VENV)/.dev $(VENV)/.package $(WEB)
	$(PYTEST) --junit-xml=$(TIMES)/core.xml -m "not framework and not browser"

test-frameworks: $(VENV)/.dev $(VENV)/.frameworks $(VENV)/.package $(WEB)
	$(PYTEST) --junit-xml=$(TIMES)/frameworks.xml -m "framework and not browser"

test-browser: $(VENV)/.dev $(VENV)/.frameworks $(VENV)/.package $(WEB) | chromium
	$(PYTEST) --junit-xml=$(TIMES)/browser.xml tests/browser -m "browser"

test-ui: ui/node_modules/.installed | chromium
	cd ui && npm test -- --reporter=default --reporter=junit --outputFile.junit=../$(TIMES)/ui.xml

test-slowest: $(VENV)/.created
	@ls $(TIMES)/*.xml >/dev/null 2>&1 || $(MAKE) test
	@$(BIN)/python tests/slowest.py $(TIMES)

# times in the wheel are those of the commit, so that another build of it has the same bytes
wheel: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
wheel: $(VENV)/.dev $(WEB)
	MINDSCOPE_SKIP_UI=1 $(BIN)/python -m build --no-isolation --outdir dist

# the packages that an install of the wheel brings, and those in the page, as CycloneDX
sbom: wheel
	$(PYTHON) -m venv --clear build/installed
	build/installed/bin/python -m pip --disable-pip-version-check install --quiet dist/*.whl
	$(PIP) --group release
	$(BIN)/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml -o dist/python.cdx.json build/installed/bin/python
	mkdir -p build/page && cp ui/package.json ui/package-lock.json build/page
	cd build/page && npm pkg set version=0.0.0 && npm sbom --package-lock-only --sbom-format cyclonedx > ../../dist/page.cdx.json

check: check-python check-ui

check-python: $(VENV)/.dev $(VENV)/.frameworks $(VENV)/.package
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/deptry src

check-ui: ui/node_modules/.installed
	cd ui && npm run format:check && npm run check && npm run check:components && npm run lint && npm run depcheck

bench: $(VENV)/.frameworks $(VENV)/.peers $(VENV)/.package
	$(BIN)/python bench/bench_recording.py
	$(BIN)/python bench/bench_summary_writer.py
	$(BIN)/python bench/bench_training.py
	$(BIN)/python bench/bench_system_metrics.py
	$(BIN)/python bench/bench_landscape_checkpoints.py
	$(BIN)/python bench/bench_loading.py
	$(BIN)/python bench/bench_values.py
	$(BIN)/python bench/bench_lineage.py
	$(BIN)/python bench/bench_query.py
	$(BIN)/python bench/bench_landscape.py
	$(BIN)/python bench/bench_graphs.py
	$(BIN)/python bench/bench_profiling.py
	$(BIN)/python bench/bench_traces.py
	$(BIN)/python bench/bench_logs.py
	$(BIN)/python bench/bench_dumps.py
	$(BIN)/python bench/bench_debugging.py
	$(BIN)/python bench/bench_mindspore_training.py

bench-ui: $(VENV)/.dev $(VENV)/.package $(WEB) | chromium
	$(BIN)/python bench/bench_ui.py
	$(BIN)/python bench/bench_timeline.py

# broken logs by every way to read them, odd requests, new examples of each property
# the id of a failing test is its seed: make fuzz SEED=ID ROUNDS=1
SEED ?= $(shell date +%s)
ROUNDS ?= 300
PROFILE_FUZZ := tests/profile/kineto/test_fuzz.py $(addprefix tests/profile/formats/test_,format_fuzz.py xplane.py ascend_database.py nsight_export.py)
PROPERTIES := $(shell grep -rlE '^@given' tests --include='test_*.py')

fuzz: $(VENV)/.dev $(VENV)/.package $(WEB)
	MINDSCOPE_FUZZ_SEED=$(SEED) MINDSCOPE_FUZZ_ROUNDS=$(ROUNDS) MINDSCOPE_FUZZ_MUTANTS=1000 MINDSCOPE_FUZZ_EXAMPLES=200 \
	  MINDSCOPE_EXAMPLES=1000 MINDSCOPE_RANDOM=1 $(BIN)/python -m pytest -n $(WORKERS) tests/fuzz tests/formats/test_fuzz.py $(PROFILE_FUZZ) tests/server/test_openapi.py $(PROPERTIES)
	cd ui && MINDSCOPE_EXAMPLES=1000 MINDSCOPE_RANDOM=1 npx vitest run --project unit

# a week of 1,000 trainings in an hour, beside a viewer
MINUTES ?= 60
soak: $(VENV)/.dev $(VENV)/.package $(WEB)
	$(BIN)/python bench/soak.py --minutes $(MINUTES)

sanitize: $(VENV)/.dev $(VENV)/.package
	tests/formats/sanitized.sh $(BIN)/python

gallery: $(VENV)/.dev $(VENV)/.package $(WEB) $(if $(DOCS),$(VENV)/.demo) | chromium
	$(BIN)/python tests/browser/gallery.py $(if $(DOCS),--docs)

site: $(VENV)/.docs
	$(BIN)/python docs/site/build.py build/site
	@echo "python -m http.server --directory build/site"

web: $(WEB)

clean:
	rm -rf build dist $(dir $(WEB)) ui/node_modules $(VENV) src/*.egg-info
	find src -name '*.so' -delete

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	touch $@

$(VENV)/.package: pyproject.toml setup.py $(CORE) | $(VENV)/.created
	$(PIP) --editable .
	touch $@

# installs wait for each other, also with -j: they change one environment
$(VENV)/.docs: pyproject.toml | $(VENV)/.created
	$(PIP) --group docs
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.package
	$(PIP) --group dev
	touch $@

# torch comes first and alone, so that nothing asks for another build of it
$(VENV)/.frameworks: pyproject.toml | $(VENV)/.dev
	$(PIP) torch==2.13.0
	$(PIP) --group frameworks
	$(PIP) --no-deps --group trainers
	touch $@

$(VENV)/.peers: pyproject.toml | $(VENV)/.frameworks
	$(PIP) --group peers
	touch $@

$(VENV)/.demo: | $(VENV)/.package
	$(PIP) torch==2.13.0
	$(PIP) "scikit-learn>=1.4" "safetensors>=0.4.3"
	touch $@

ui/node_modules/.installed: ui/package.json ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund
	touch $@

$(WEB): $(UI_SOURCES) ui/node_modules/.installed
	cd ui && npm run build

# the tests and the pictures; the headless shell takes a fifth of the time of a processor; nginx is a proxy before a viewer
.PHONY: chromium
chromium:
	@command -v chromium >/dev/null && command -v chromium-headless-shell >/dev/null && [ -x /usr/sbin/nginx ] || { \
	  SUDO=$$( [ "$$(id -u)" = 0 ] || echo sudo ); \
	  $$SUDO apt-get update -qq && $$SUDO apt-get install -y -qq --no-install-recommends chromium chromium-headless-shell nginx; } || \
	  command -v chromium >/dev/null
