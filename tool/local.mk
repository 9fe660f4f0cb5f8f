# Three programs of the same parts: what `weft` does by itself needs no library, so that --as-needed leaves LLVM,
# MPI and the rest to `weft-full`.
# `weft-load` runs compiled programs, and --as-needed leaves out LLVM.
bin_PROGRAMS += weft
pkglibexec_PROGRAMS = weft-full weft-load
noinst_LTLIBRARIES += libwefttool.la
libwefttool_la_SOURCES = \
	tool/build.c tool/build.h tool/cmd_bench.c tool/cmd_ckpt.c tool/cmd_cache.c tool/cmd_compile.c \
	tool/cmd_convert.c tool/program_cache.c tool/program_cache.h tool/cmd_doctor.c tool/cmd_dryrun.c \
	tool/dryrun.h tool/dryrun_changes.c tool/dryrun_help.c tool/dryrun_json.c tool/dryrun_tactics.c \
	tool/dryrun_text.c tool/dryrun_vendor_text.c tool/cmd_explain.c tool/cmd_help.c tool/cmd_ops.c tool/cmd_opt.c \
	tool/cmd_run.c tool/cmd_topo.c tool/cmd_tune.c tool/cmd_verify.c tool/commands.def \
	tool/coll_ops.c tool/coll_ops.h tool/data.c tool/data.h tool/diag.c tool/explain.c tool/explain.h tool/exec.c \
	tool/expect.c tool/expect.h tool/files.c tool/help.c tool/main.c tool/options.c tool/program.c tool/program.h \
	tool/rules.c tool/run.h tool/tool.h tool/tune.c tool/tune.h tool/tune_program.c tool/tune_program.h \
	tool/tune_rates.c tool/tune_rates.h
libwefttool_la_SOURCES += tool/dryrun_compare.c tool/dryrun_csv.c tool/dryrun_events.c tool/dryrun_events.h \
	tool/dryrun_explain.c tool/dryrun_html.c tool/dryrun_json.h tool/run_profile.c tool/run_profile.h \
	tool/run_trace.c tool/print_size.c tool/trace.c tool/trace.h tool/json_text.c tool/json_text.h \
	tool/dryrun_auto.c tool/dryrun_plans.c tool/dryrun_plans.h tool/dryrun_sweep.c tool/workers.c tool/workers.h \
	tool/dryrun_trace.c tool/progress.c tool/progress.h
libwefttool_la_CFLAGS = $(WEFT_CFLAGS) $(WEFT_OPT) $(WEFT_SANITIZE)
libwefttool_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) -DWEFT_LIBEXEC_DIR='"$(pkglibexecdir)"'
weft_SOURCES = tool/front.c
weft_CFLAGS = $(libwefttool_la_CFLAGS)
weft_LDFLAGS = $(product_ldflags) -Wl,--as-needed
weft_LDADD = libwefttool.la $(weft_rooms) $(JANSSON_LIBS)
EXTRA_weft_DEPENDENCIES = weft-full$(EXEEXT) weft-load$(EXEEXT)
weft_full_SOURCES = tool/compile_run.c tool/full.c
weft_full_CFLAGS = $(libwefttool_la_CFLAGS)
weft_full_LDFLAGS = $(product_ldflags)
weft_full_LDADD = libwefttool.la $(weft_rooms) $(JANSSON_LIBS)
weft_load_SOURCES = tool/load.c
weft_load_CFLAGS = $(libwefttool_la_CFLAGS)
weft_load_LDFLAGS = $(product_ldflags) -Wl,--as-needed
weft_load_LDADD = libwefttool.la $(weft_rooms) $(JANSSON_LIBS)

# The man pages are the tool's own output: `make man` writes them anew, tests/tool/test_help.sh holds them to it.
weft_man = docs/man/weft.1 docs/man/weft-bench.1 docs/man/weft-cache.1 docs/man/weft-ckpt.1 \
	docs/man/weft-compile.1 docs/man/weft-convert.1 docs/man/weft-doctor.1 docs/man/weft-dryrun.1 \
	docs/man/weft-explain.1 docs/man/weft-help.1 docs/man/weft-ops.1 docs/man/weft-opt.1 docs/man/weft-run.1 \
	docs/man/weft-topo.1 docs/man/weft-tune.1 docs/man/weft-verify.1
dist_man_MANS += $(weft_man)
man: weft
	mkdir -p $(top_srcdir)/docs/man
	./weft help --man >$(top_srcdir)/docs/man/weft.1
	for c in `./weft help | awk '{ print $$1 }'`; do ./weft help --man $$c >$(top_srcdir)/docs/man/weft-$$c.1; done
op-table: weft$(EXEEXT)
	{ sed '/^```$$/q' $(top_srcdir)/docs/op-table.md; ./weft ops; echo '```'; } >op-table.tmp && mv op-table.tmp \
	$(top_srcdir)/docs/op-table.md
.PHONY: man op-table

tool_tests = tests/tool/test_bad_input.sh tests/tool/test_cache.sh tests/tool/test_ckpt.sh \
	tests/tool/test_ckpt_names.sh tests/tool/test_compile.sh tests/tool/test_convert.sh tests/tool/test_count.sh \
	tests/tool/test_deep.sh tests/tool/test_doctor.sh tests/tool/test_dryrun.sh tests/tool/test_explain.sh \
	tests/tool/test_front.sh tests/tool/test_help.sh tests/tool/test_memory.sh tests/tool/test_import.sh \
	tests/tool/test_ops.sh tests/tool/test_opt.sh tests/tool/test_output.sh tests/tool/test_run.sh \
	tests/tool/test_topo.sh tests/tool/test_tune.sh tests/tool/test_verify.sh
TESTS += $(tool_tests)
EXTRA_DIST += python/pyproject.toml python/weft/__init__.py tests/tool/test_python.py tests/tool/test_report.py
EXTRA_DIST += $(tool_tests) tests/tool/branches.awk tests/tool/test_refusals.py tests/tool/test_schema.py \
	tests/tool/test_auto.py tests/tool/test_step_bound.py tests/tool/test_profile.py tests/tool/test_strategy.py tests/tool/test_sizes.py \
	tests/tool/unseen.txt
