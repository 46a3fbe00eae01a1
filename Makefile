# `make` alone lists the targets. ARGS="..." is handed on to the program.
.PHONY: help train test learning check bench microbench golden fuzz setup
.DEFAULT_GOAL := help

CONFIG ?= configs/laptop.toml
TARGETS ?= fen game move_text pgn protocol xqf engine_file weights_file

# A libtorch of the user's own: cargo and torch-sys want an absolute path. Without one, .cargo/config.toml names ours.
ifdef LIBTORCH
  override LIBTORCH := $(shell cd "$(LIBTORCH)" 2>/dev/null && pwd || echo "$(LIBTORCH)")
  export LIBTORCH
else
  unexport LIBTORCH
endif

# What the program says of itself in a run's manifest.
export MEIHUA_REVISION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done

# `exec`, so that Ctrl-C reaches nobody but the program, which ends by itself.
train: setup ## Set up, build and train from nothing; Ctrl-C stops, the same command goes on
	@exec cargo run --release --package cli --bin meihua -- train --config $(CONFIG) $(ARGS)

test: setup ## Set up, build and run every test, those in the documentation included
	@if cargo nextest --version >/dev/null 2>&1; then exec cargo nextest run --release --workspace $(ARGS); \
	else echo "cargo-nextest is not installed, so cargo test runs the tests."; exec cargo test --release --workspace --tests $(ARGS); fi
	@LD_LIBRARY_PATH="$${LIBTORCH:-$$PWD/target/libtorch}/lib$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}" cargo test --release --workspace --doc

learning: setup ## Measure what the methods are worth: every arm of configs/learning.toml, hours; ARGS="--arms no-mirror"
	@cargo build --release --package cli --bin meihua
	@exec python3 tests/learning.py $(ARGS)

check: setup ## Formatting, lints and documentation, with warnings as errors
	@cargo fmt --all --check
	@cargo clippy --release --workspace --all-targets -- -D warnings
	@RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps

bench: setup ## Measure the hot loops, each beside what it can't exceed
	@exec cargo run --release --package cli --bin meihua -- bench speed $(ARGS)

microbench: setup ## Measure the parts of the hot loops one by one
	@exec cargo bench --workspace --bench '*' -- $(ARGS)

golden: setup ## Write the golden files of the tests anew; look at the difference before you commit it
	@MEIHUA_REWRITE_GOLDEN=1 cargo test --release --workspace golden

fuzz: ## Try inputs that libFuzzer makes on readers and rules, a minute each: TARGETS="game fen" ARGS=-max_total_time=600
	@python3 tests/fuzz/seeds.py
	@cd tests/fuzz && cargo build --release && for target in $(TARGETS); do echo "$$target:"; \
	cargo run --quiet --release --bin $$target -- -max_total_time=60 -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
	-artifact_prefix=target/crashes/$$target- $(ARGS) target/corpus/$$target || exit; done

setup: ## Check for a compiler and fetch libtorch, once (the others do it by themselves)
	@command -v cargo >/dev/null || { echo "Rust is missing: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"; exit 1; }
	@command -v "$${CXX:-c++}" >/dev/null && command -v cc >/dev/null || { echo "A C++ compiler is missing (Debian, Ubuntu: sudo apt install g++; Fedora: sudo dnf install gcc-c++)."; exit 1; }
	@command -v python3 >/dev/null || { echo "python3 with pip is missing; it fetches libtorch, once (Debian, Ubuntu: sudo apt install python3-pip)."; exit 1; }
	@if [ -n "$$LIBTORCH" ]; then exec python3 crates/torch/fetch_libtorch.py --check "$$LIBTORCH"; else exec python3 crates/torch/fetch_libtorch.py; fi
