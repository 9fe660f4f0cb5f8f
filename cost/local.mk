# cost/: sources and tests of this room
libweftcore_la_SOURCES += cost/op.c cost/op.h cost/op_dot.c cost/op_internal.h
