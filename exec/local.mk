# exec/: sources and tests of this room
libweftcore_la_SOURCES += \
	exec/executable.c exec/executable.h exec/image.c exec/image.h exec/kernel.c exec/kernel.h exec/load.c exec/load.h exec/step.h

suites += tests/exec/test_load
