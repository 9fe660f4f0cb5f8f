# Man pages come from the tool's tables (tool/local.mk); here is what else is handed out.
EXTRA_DIST += README.md CONTRIBUTING.md docs/architecture.md docs/benchmarks.md check demo .ci/run .ci/setup.sh
