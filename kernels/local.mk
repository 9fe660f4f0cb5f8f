# kernels/: sources and tests of this room
libweftcore_la_SOURCES += kernels/copy.c kernels/copy.h kernels/kernels.c kernels/kernels.def kernels/kernels.h
