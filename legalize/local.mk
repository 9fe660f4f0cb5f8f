# legalize/: sources and tests of this room
libweftcore_la_SOURCES += \
	legalize/chlo.c legalize/chlo.h legalize/chlo_broadcast.c legalize/chlo_elementary.c legalize/expr.c legalize/expr.h \
	legalize/legalize.h legalize/replace.c

EXTRA_DIST += tests/legalize/chlo.mlir tests/legalize/chlo_broadcast.mlir
