bin_PROGRAMS += weft
weft_SOURCES = \
	tool/cmd_dryrun.c tool/cmd_help.c tool/cmd_ops.c tool/cmd_opt.c tool/cmd_run.c tool/cmd_topo.c tool/commands.def \
	tool/diag.c tool/files.c tool/help.c tool/main.c tool/no_codegen.c tool/options.c tool/program.c tool/program.h tool/tool.h
weft_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
weft_LDADD = libweftcore.la $(JANSSON_LIBS)
