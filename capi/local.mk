# The C API: graphs built in C, and jobs that run them.
nobase_include_HEADERS += include/weft/graph.h
libweftcore_la_SOURCES += capi/graph_impl.h capi/graph.c capi/job.c capi/ops.c capi/read.c capi/reduce.c capi/shard.c
