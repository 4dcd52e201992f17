# A thin front to meson and the scripts; `make help` lists the targets.
#
#   BUILD=dir   build directory of `make`, `make test` and `make demo` (default build)
#   SEED=n      the seed `make sim` replays
#   UPDATE=1    lets tests rewrite their expected output (`make golden`)

BUILD ?= build
DEMO ?= up --input examples/demo --settle --descheduling-interval 2s --dashboard
MESON_TEST = meson test --no-rebuild --print-errorlogs
KUBECTL = $(CURDIR)/.cache/kubectl-1.32/usr/bin/kubectl
ifneq ($(wildcard $(KUBECTL)),)
export BERTH_KUBECTL ?= $(KUBECTL)
endif

# build_in DIRECTORY, MESON OPTIONS, TARGETS: configures once, and when plugins came or went, and builds, quietly
define build_in
	@[ -f $(1)/build.ninja ] || { command -v meson >/dev/null || \
		{ echo "meson is missing: run scripts/setup.sh" >&2; exit 1; }; \
		mkdir -p $(1); ls src/plugins/*/*.c tests/unit/plugins_*/*.c >$(1)/plugin-files; meson setup $(1) $(2) >$(1)/setup.log 2>&1 || { tail -n 20 $(1)/setup.log; exit 1; }; }
	@ls src/plugins/*/*.c tests/unit/plugins_*/*.c | cmp -s - $(1)/plugin-files || { ls src/plugins/*/*.c tests/unit/plugins_*/*.c >$(1)/plugin-files; \
		meson setup --reconfigure $(1) >$(1)/setup.log 2>&1 || { tail -n 20 $(1)/setup.log; exit 1; }; }
	@ninja --quiet -C $(1) $(3)
endef
# targets DIRECTORY, PREFIX: the shell's words for the build targets that start so
targets = $$(ninja -C $(1) -t targets all | sed -n 's|^\($(2)[a-z0-9_]*\):.*|\1|p')

all: ## build everything into build/; the program is build/berth
	$(call build_in,$(BUILD))
	@ln -sf $(BUILD)/compile_commands.json compile_commands.json

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## install what is missing on this machine (Debian 12 and 13)
	@scripts/setup.sh build

demo: setup ## show a cluster's life with the sample cluster
	$(call build_in,$(BUILD),,berth)
	@$(BUILD)/berth $(DEMO)

test: all ## the quick tests
	@$(MESON_TEST) -C $(BUILD) --no-suite e2e --no-suite long --quiet

check: ## everything CI runs: both compilers, all tests, sanitizers, gates
	@scripts/check.sh

# ---- the same tests under sanitizers

asan: ## all tests under ASan and UBSan
	$(call build_in,build-asan,-Db_sanitize=address$(comma)undefined -Doptimization=1)
	@scripts/test.sh build-asan

tsan: ## all tests under TSan
	$(call build_in,build-tsan,-Db_sanitize=thread -Doptimization=1)
	@scripts/test.sh build-tsan

msan: ## tests of base under MSan (clang); other rooms need instrumented libraries
	@CC=clang $(MAKE) --no-print-directory msan-with-clang
msan-with-clang:
	$(call build_in,build-msan,-Db_sanitize=memory -Db_lundef=false -Doptimization=1,build.ninja)
	@ninja --quiet -C build-msan $(call targets,build-msan,tests/unit/base/test_)
	@scripts/test.sh build-msan --suite base

# ---- more tests

FUZZ_SECONDS ?= 10
fuzz: ## every fuzzer for FUZZ_SECONDS (clang)
	@CC=clang $(MAKE) --no-print-directory fuzz-with-clang
fuzz-with-clang:
	$(call build_in,build-fuzz,-Dfuzz=true -Db_lundef=false -Db_sanitize=address$(comma)undefined \
		-Dc_args=-fsanitize=fuzzer-no-link,build.ninja)
	@ninja --quiet -C build-fuzz $(call targets,build-fuzz,tests/fuzz/fuzz_)
	@scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS)

SOAK_RUNS ?= 20
SOAK_KILLS ?= 500
HOSTILE_SECONDS ?= 600
HOSTILE_SEED ?=
SEED ?= 1
sim: all ## replay one seed of the simulator: make sim SEED=n
	@BERTH_SIM_SEED=$(SEED) $(BUILD)/tests/unit/sim/test_sim_world
	@BERTH_SIM_SEED=$(SEED) $(BUILD)/tests/unit/sim/test_sim_fleet

SOAK_SEEDS ?= 2000
SOAK_ELEMENTS ?= 8000
CHAOS_SEEDS ?= 11 12 13 14 15 16 17 18 19 20
CHAOS_SECONDS ?= 120
soak: all ## the quick tests SOAK_RUNS times over, costs of requests, SOAK_KILLS kills of a sandbox, schedulers under faults, chaos
	@$(MESON_TEST) -C $(BUILD) --no-suite e2e --no-suite long --quiet --repeat $(SOAK_RUNS)
	@python3 tests/e2e/hostile_cluster.py $(BUILD)/berth 1000
	$(call build_in,build-asan,-Db_sanitize=address$(comma)undefined -Doptimization=1,berth)
	@python3 tests/e2e/hostile_inputs.py build-asan/berth $(HOSTILE_SECONDS) $(HOSTILE_SEED)
	@BERTH_LONG=1 BERTH_COST_ELEMENTS=$(SOAK_ELEMENTS) $(BUILD)/tests/unit/server/test_request_cost
	@tests/e2e/durability.sh $(BUILD)/berth $(SOAK_KILLS)
	@tests/e2e/eviction_stages.sh $(BUILD)/berth tests/e2e/hook_server.py native
	@tests/e2e/drain_compare.sh $(BUILD)/berth 500 20 30
	@BERTH_ORACLE_STEPS=10000 BERTH_ORACLE_SEEDS=24 $(BUILD)/tests/unit/sched/test_engine_oracle
	@BERTH_ORACLE_STEPS=5000 $(BUILD)/tests/unit/sched/test_cache_hints
	@tests/e2e/scheduler_drill.sh $(BUILD)/berth 1000 10000 10 1
	@tests/e2e/scheduler_drill.sh $(BUILD)/berth 1000 10000 20 2
	@tests/e2e/device_drill.sh $(BUILD)/berth 200 3000 10
	@BERTH_SIM_RUNS=$(SOAK_SEEDS) $(BUILD)/tests/unit/sim/test_sim_world
	@BERTH_SIM_RUNS=$(SOAK_SEEDS) $(BUILD)/tests/unit/sim/test_sim_fleet
	@for seed in $(CHAOS_SEEDS); do \
		tests/e2e/chaos_drill.sh $(BUILD)/berth $(BUILD)/tests/e2e/chaos_faults.so $$seed $(CHAOS_SECONDS) || exit 1; done

ROOM ?=
COUNT ?= 50
JOBS ?= 1
mutate: ## one-line changes in ROOM (default: the deciders') that no quick test notices; SEED, COUNT, JOBS, AGAIN=1
	@scripts/mutate.py $(ROOM) --seed $(SEED) --count $(COUNT) --jobs $(JOBS) $(if $(AGAIN),--again)

ETCD ?= $(wildcard .cache/etcd/usr/bin/etcd)
bench: ## run the benchmarks on an optimised build, the sandbox's beside etcd's
	$(call build_in,build-release,--buildtype=release,build.ninja)
	@scripts/bench.py build-release
	@echo "sandbox with 300,000 pods on 10,000 nodes:"; build-release/tests/bench/bench_server 300000 10000
	@ninja --quiet -C build-release berth && scripts/bench_sandbox.py build-release/berth $(ETCD)

bench-diff: ## compare the benchmarks with the stored baseline
	$(call build_in,build-release,--buildtype=release,build.ninja)
	@scripts/bench.py build-release --compare

PEERS ?=
ROWS ?=
peers: ## berth beside the real kube-apiserver, kube-scheduler, ... in the folder PEERS: one table; ROWS names some of its rows
	@if [ -z "$(PEERS)" ]; then echo "skipped: PEERS names no folder with the real programs (docs/internals/peers.md)"; else \
		$(MAKE) --no-print-directory all && python3 tests/peers/peers.py $(BUILD)/berth $(PEERS) $(ROWS); fi

FUZZ_API_SECONDS ?= 60
SEED_API ?= 1
TOPIC ?= writes
fuzz-api: ## random requests to the sandbox and to the kube-apiserver in the folder PEERS: classes of difference, smallest examples
	@if [ -z "$(PEERS)" ]; then echo "skipped: PEERS names no folder with the real programs (docs/internals/peers.md)"; else \
		$(MAKE) --no-print-directory all && python3 tests/peers/fuzz_api.py $(BUILD)/berth $(PEERS) --topics $(TOPIC) \
			--seconds $(if $(filter command environment,$(origin SECONDS)),$(SECONDS),$(FUZZ_API_SECONDS)) --seed $(or $(SEED),$(SEED_API)); fi

fuzz-api-stories: ## writes that the rules of one kind are about, one after the other, in each kind of write
	@$(MAKE) --no-print-directory fuzz-api TOPIC=stories

fuzz-api-each: ## each member of the same kinds with each of a list of values, in each kind of write
	@$(MAKE) --no-print-directory fuzz-api TOPIC=each

CORPUS ?= ../shared/vectors/apiserver-corpus
peers-policies: ## policies of admission and costs of rules on the sandbox and on the kube-apiserver in the folder PEERS
	@if [ -z "$(PEERS)" ]; then echo "skipped: PEERS names no folder with the real programs (docs/internals/peers.md)"; else \
		$(MAKE) --no-print-directory all && python3 tests/peers/policies.py $(BUILD)/berth $(PEERS); fi

fuzz-api-kinds: ## the same over all other kinds, from the objects of the recordings in the folder CORPUS
	@if [ ! -d "$(CORPUS)" ]; then echo "skipped: CORPUS names no folder with recordings (docs/internals/peers.md)"; elif [ -z "$(PEERS)" ]; then \
		echo "skipped: PEERS names no folder with the real programs (docs/internals/peers.md)"; else \
		$(MAKE) --no-print-directory all && python3 tests/peers/fuzz_api.py $(BUILD)/berth $(PEERS) --corpus $(CORPUS) --workers 2 \
			--seconds $(if $(filter command environment,$(origin SECONDS)),$(SECONDS),$(FUZZ_API_SECONDS)) --seed $(or $(SEED),$(SEED_API)); fi

TOPICS ?= parts,reads,definitions,admission
fuzz-api-topics: ## the same about status and scale, what is read, definitions, what judges a namespace: TOPICS=parts,reads,definitions,admission,classes
	@if [ ! -d "$(CORPUS)" ]; then echo "skipped: CORPUS names no folder with recordings (docs/internals/peers.md)"; elif [ -z "$(PEERS)" ]; then \
		echo "skipped: PEERS names no folder with the real programs (docs/internals/peers.md)"; else \
		$(MAKE) --no-print-directory all && python3 tests/peers/fuzz_api.py $(BUILD)/berth $(PEERS) --corpus $(CORPUS) --topics $(TOPICS) \
			--seconds $(if $(filter command environment,$(origin SECONDS)),$(SECONDS),$(FUZZ_API_SECONDS)) --seed $(or $(SEED),$(SEED_API)); fi

HELM_TEMPLATE ?=
CHARTS ?=
charts: ## deploy/charts beside upstream's in the folder CHARTS, rendered by the program HELM_TEMPLATE; UPDATE=1 writes tests/e2e/charts
	@if [ -z "$(HELM_TEMPLATE)" ] || [ -z "$(CHARTS)" ]; then \
		echo "skipped: HELM_TEMPLATE and CHARTS name no engine and no charts of others (docs/internals/charts.md)"; else \
		UPDATE=$(UPDATE) python3 tests/charts/charts.py $(HELM_TEMPLATE) $(CHARTS) .; fi

SOURCES ?=
upstream: ## every policy, manifest and option that the Descheduler and kured show, run with berth: SOURCES is a folder with checkouts of both
	@if [ -z "$(SOURCES)" ]; then echo "skipped: SOURCES names no folder with checkouts of the Descheduler and kured (docs/internals/upstream.md)"; else \
		$(MAKE) --no-print-directory all && python3 tests/upstream/upstream.py $(BUILD)/berth $(SOURCES); fi

golden: all ## rewrite the expected output of tests; review the diff
	@UPDATE=1 $(MESON_TEST) -C $(BUILD) --no-suite e2e --no-suite long --quiet

cover: ## line coverage of the tests
	$(call build_in,build-cover,-Db_coverage=true -Doptimization=0)
	@scripts/test.sh build-cover
	@gcovr -r . --object-directory build-cover -e tests/ -s --html-details build-cover/coverage.html | tail -n 4

# ---- gates

gates: all ## all gates below
	@status=0; for gate in layers banned limits headers format style symbols circles way_out docs commits; do \
		scripts/check_$$gate.py || status=1; done; exit $$status

fmt: ## format the sources
	@scripts/check_format.py --fix
format: ## formatting
	@scripts/check_format.py
layers: ## direction of includes
	@scripts/check_layers.py
banned: ## banned functions and constructs
	@scripts/check_banned.py
limits: ## sizes of lines, functions and files
	@scripts/check_limits.py
headers: ## each header compiles alone
	@scripts/check_headers.py
style: ## unique tags, tests of pointers, names of static functions, declarations
	@scripts/check_style.py
docs: ## pages are true of the tree, and in plain words
	@scripts/check_docs.py
symbols: all ## what the core takes from outside
	@scripts/check_symbols.py --build $(BUILD)
circles: all ## files of a room that depend on each other in a circle
	@scripts/check_circles.py --build $(BUILD)
way-out: ## pods are ended by the eviction service alone
	@scripts/check_way_out.py
commits: ## subjects of commits: RANGE, or all since the gate runs
	@scripts/check_commits.py $(RANGE)
tidy: all ## clang-tidy over src (slow); FILES=... for some
	@clang-tidy -p $(BUILD) --quiet $(or $(FILES),$(wildcard src/*/*.c src/*/*/*.c)) 2>/dev/null

# ---- documents and releases

man: all ## the manual pages, from the same tables as --help, into $(BUILD)/man
	@scripts/manual_pages.sh $(BUILD)/berth $(BUILD)/man && ls $(BUILD)/man

dist: all ## release tarball of the committed tree, reproducible
	@meson dist -C $(BUILD) --no-tests --formats xztar --allow-dirty | tail -n 1

ARCHITECTURES ?= amd64 arm64
SIGN ?=
CHECKS ?=
image: ## container images for ARCHITECTURES, an OCI layout in build-image/oci: IMAGE=registry.example/berth, SIGN=key.pem
	@scripts/setup.sh image
	@SIGN="$(SIGN)" scripts/image.sh build-image "$(IMAGE)" $(ARCHITECTURES)

image-check: image ## the images again in another folder: same digests, signature, contents, a run of each architecture
	@scripts/setup.sh image
	@scripts/image_check.sh build-image $(ARCHITECTURES)

CORE = base api cel config model rules plugin plugins_sched plugins_desched plugins_page sched desched evict reboot
arm64: ## the core's tests as arm64, under qemu-user
	@scripts/setup.sh image && scripts/image_system.sh arm64
	@[ -f build-arm64/build.ninja ] || env -u CC meson setup build-arm64 --cross-file .cache/image-arm64/cross.ini -Dprefer_static=true >/dev/null
	@ninja --quiet -C build-arm64 $(foreach room,$(CORE),$(call targets,build-arm64,tests/unit/$(room)/test_))
	@scripts/test.sh build-arm64 $(addprefix --suite ,$(CORE)) --no-suite long -t 20

IMAGE ?=
manifests: ## deploy/ with the name of your image, into build-manifests/: IMAGE=registry.example/berth:0.1.0
	@scripts/manifests.sh "$(IMAGE)"

prefix ?= /usr/local
INSTALL_OPTIONS ?=
install: ## build the program optimised and install it: prefix, DESTDIR, INSTALL_OPTIONS (for meson)
	@scripts/setup.sh build
	$(call build_in,build-install,--buildtype=release -Dtests=false -Dprefix=$(prefix) $(INSTALL_OPTIONS),build.ninja)
	@meson configure build-install -Dprefix=$(prefix) $(INSTALL_OPTIONS) && ninja --quiet -C build-install
	@meson install -C build-install --no-rebuild --quiet
	@echo "installed below $(DESTDIR)$(prefix); docs/install.md says what"

CHECK ?=
RELEASES ?=
MAINTAINER ?=
packages: ## Debian packages into build-packages/; RELEASES="bookworm trixie"; MAINTAINER="Ann <ann@example.org>"; CHECK=1 tries them in a fresh Debian (root)
	@CHECK=$(CHECK) RELEASES="$(RELEASES)" MAINTAINER="$(MAINTAINER)" scripts/packages.sh

VERSION ?=
TAG ?=
release: ## a whole release in build-releases/VERSION: VERSION=0.1.0, SIGN=key.pem, IMAGE, MAINTAINER, CHECKS="gates check", TAG=1
	@[ -n "$(VERSION)" ] || { echo "release: VERSION names no version, such as VERSION=0.1.0 (docs/internals/release.md)" >&2; exit 2; }
	@SIGN="$(SIGN)" IMAGE="$(IMAGE)" MAINTAINER="$(MAINTAINER)" TAG="$(TAG)" $(if $(CHECKS),CHECKS="$(CHECKS)") \
		$(if $(RELEASES),RELEASES="$(RELEASES)") ARCHITECTURES="$(ARCHITECTURES)" scripts/release.sh "$(VERSION)"

FOLDER ?=
PUBLIC ?=
release-check: ## digests, signature, versions, lintian and sources of the release in FOLDER; PUBLIC=key.pub
	@[ -n "$(FOLDER)" ] || { echo "release-check: FOLDER names no folder of a release" >&2; exit 2; }
	@scripts/release_check.py "$(FOLDER)" $(PUBLIC)

clean: ## remove every build directory
	@rm -rf build build-* compile_commands.json

comma := ,

.PHONY: fuzz-api fuzz-api-stories fuzz-api-each fuzz-api-kinds fuzz-api-topics peers-policies upstream release release-check packages manifests charts mutate image image-check arm64 sim peers all help setup demo test check asan tsan msan msan-with-clang fuzz fuzz-with-clang soak bench bench-diff golden \
	cover gates fmt format layers banned limits headers style symbols circles way-out docs commits tidy man dist install clean
