# Man pages of section 1 come from the tool's tables (tool/local.mk); the libraries' are written by hand.
dist_man_MANS += docs/man/weft.3 docs/man/libweft_mpi.7
# What else is handed out.
EXTRA_DIST += LICENSE NEWS.md README.md CONTRIBUTING.md SECURITY.md docs/architecture.md docs/benchmarks.md docs/bytecode.md docs/capi.md docs/codegen.md docs/collectives.md docs/differentiate.md docs/dryrun.md docs/fidelity.md docs/glossary.md docs/jax-tests.md docs/jax.md docs/mpi-guide.md docs/mpi.md docs/op-table.md docs/overlap.md docs/partitioner.md docs/runtime.md docs/shardy-differences.md docs/strategies.md docs/topology.md docs/torch.md docs/training.md docs/tutorial.md

EXTRA_DIST += docs/reference.awk docs/reference.doxy

# The reference of the C API, in docs/reference of the build folder. Needs doxygen.
doc:
	@command -v doxygen >/dev/null || { echo 'make doc needs doxygen' >&2; exit 1; }
	cd $(srcdir) && { cat docs/reference.doxy; echo 'OUTPUT_DIRECTORY=$(abs_builddir)/docs/reference'; echo WARN_AS_ERROR=FAIL_ON_WARNINGS; } | doxygen -
.PHONY: doc

# The two commands go by a hook: as a file of the distribution, `check` would be taken for the target of that name.
dist-hook:
	$(MKDIR_P) $(distdir)/.ci
	cp -p $(srcdir)/check $(srcdir)/demo $(distdir)
	cp -p $(srcdir)/.ci/run $(srcdir)/.ci/setup.sh $(srcdir)/.ci/roots.sh $(distdir)/.ci
