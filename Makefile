# Installs missing packages, builds with CMake and runs. The work is done in CMakeLists.txt and
# scripts/.
BUILD := build/default
PREFIX := /usr/local

.PHONY: quickstart stacks test binary setup setup-test check clean test-genai-perf test-tools bench-load \
  picture equal-sides fuzz crash-test fault-test kernel-test rehearsal test-vllm test-pythons \
  locks format lint house install deb portable portable-newer portable-update

quickstart: binary          ## build, run experiments/quickstart.yaml, print the results, the best and a page
	$(BUILD)/src/orchestrate run experiments/quickstart.yaml
	$(BUILD)/src/orchestrate best --maximize output_tps --where "experiment = 'quickstart'" --by length
	$(BUILD)/src/orchestrate report

stacks: binary              ## the same of experiments/stacks.yaml: two stacks on the same files
	$(BUILD)/src/orchestrate run experiments/stacks.yaml

picture: binary             ## docs/front.svg, the plot of README.md, from the store of `make stacks`
	$(BUILD)/src/orchestrate report --where "experiment = 'stacks'" --output build/picture.html
	scripts/picture.py build/picture.html front-0 docs/front.svg

test: setup-test            ## every test; the last line is ctest's count
	scripts/run-tests.sh

binary: setup
	cmake --preset default -DORCH_TESTS=OFF
	cmake --build --preset default --target orchestrate

install: binary             ## into PREFIX (default: /usr/local); DESTDIR is put in front of it
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: binary                 ## a Debian package in build/default
	scripts/install-packages.sh deb
	cpack --config $(BUILD)/CPackConfig.cmake -B $(BUILD)

ARCH := x86_64
portable:                   ## a program for any Linux with glibc 2.28, as tarball and wheel
	scripts/install-packages.sh portable
	portable/build.sh $(ARCH)

portable-newer:             ## what has a newer version than portable/sources.txt
	portable/sources.py newer

portable-update:            ## write the newest versions and checksums to portable/sources.txt
	portable/sources.py update

setup:
	scripts/install-packages.sh run

setup-test:
	scripts/install-packages.sh run test

check:                      ## unit tests and tests on fakes under both sanitizers
	scripts/run-sanitizers.sh

test-genai-perf:            ## compares figures with the real genai-perf, on one server
	scripts/test-genai-perf.sh

test-tools:                 ## the real genai-perf, perf_analyzer, aiperf and Model Analyzer as stages
	scripts/test-tools.sh

test-vllm:                  ## vLLM on the CPU beside llama.cpp and Triton (installs 6 GB)
	scripts/test-vllm.sh

test-pythons:               ## scripts and environments on the Pythons of Debian 11, 12, 13 and sid
	tests/pythons/run.sh

locks:                      ## the locks of all Pythons and processors; needs uv
	scripts/make_locks.py

bench-load:                 ## the load generator beside other clients, against a ground-truth server
	scripts/bench-load.sh

equal-sides:                ## false alarms between equal sides, from real sessions of one server
	scripts/equal-sides.sh

fuzz:                       ## a million inputs for each fuzzer (FUZZ_RUNS=N for another number)
	scripts/fuzz.sh $(FUZZ_RUNS)

crash-test: setup-test      ## every kill point, thousands of random kills; at most 60 minutes
	scripts/crash-test.sh

fault-test: setup-test      ## every failing call, small and broken disks; at most 60 minutes
	scripts/fault-test.sh

kernel-test: setup-test     ## samples of these suites without each newer system call; 5 minutes
	cmake --preset default -DORCH_TESTS=ON
	cmake --build --preset default
	ctest --preset default -C kernels -L kernels

rehearsal: setup-test       ## every experiment in three ways on an eight-GPU host in a box
	scripts/rehearsal.sh

format:                     ## clang-format over every C++ file; `make test` checks it
	scripts/install-packages.sh lint
	git ls-files -z '*.cpp' '*.hpp' | xargs -0 clang-format-14 -i

lint:                       ## clang-tidy over src/; every finding is an error
	scripts/lint.sh

house:                      ## sizes of files, functions, lines and folders of src/, as a table
	python3 tests/tidy/house.py

clean:
	rm -rf build
