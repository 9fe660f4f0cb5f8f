# The PJRT plugin: libweft_pjrt, which a front end such as JAX loads by name.
pjrt_sources = pjrt/api.c pjrt/api.h pjrt/buffer.c pjrt/callback.c pjrt/calls.def pjrt/client.c pjrt/compile.c pjrt/copy.c pjrt/crew.c \
	pjrt/environment.c pjrt/error.c pjrt/event.c pjrt/execute.c pjrt/executable.c pjrt/ffi.h pjrt/ffi_api.h pjrt/ffi_pack.c pjrt/ffi_pool.c pjrt/ffi_registry.c pjrt/ffi_site.c pjrt/ffi_table.c pjrt/impl.h pjrt/inspect.c pjrt/job.c pjrt/layout.c pjrt/load.c pjrt/options.c pjrt/send.c \
	pjrt/seats.c pjrt/serialize.c pjrt/sharding.c pjrt/storage.c pjrt/topology.c pjrt/transfer.c pjrt/wire.c
noinst_LTLIBRARIES += libweftpjrt.la
libweftpjrt_la_SOURCES = $(pjrt_sources)
libweftpjrt_la_CFLAGS = $(libweftcore_la_CFLAGS)
lib_LTLIBRARIES += libweft_pjrt.la
libweft_pjrt_la_SOURCES =
libweft_pjrt_la_LIBADD = libweftpjrt.la $(weft_rooms)
suites += tests/pjrt/test_plugin
tests_pjrt_test_plugin_LDADD = libweftpjrt.la $(LDADD)
# Nothing of Weft but its entry is seen by the process, which may have another libweft.
libweft_pjrt_la_LDFLAGS = $(product_ldflags) -module -avoid-version -Wl,--version-script=$(top_srcdir)/pjrt/pjrt.map -Wl,-Bsymbolic-functions $(stays_loaded)
EXTRA_libweft_pjrt_la_DEPENDENCIES = pjrt/pjrt.map
EXTRA_DIST += pjrt/pjrt.map
EXTRA_DIST += tests/pjrt/conftest.py tests/pjrt/run_cases.py tests/pjrt/run_jax_tests.py tests/pjrt/run_libraries.py tests/pjrt/test_cache.py tests/pjrt/test_conform.py tests/pjrt/test_ffi.py tests/pjrt/test_functions.py tests/pjrt/test_jobs.py tests/pjrt/test_layout.py tests/pjrt/test_programs.py tests/pjrt/test_versions.py tests/pjrt/test_wheel.py
EXTRA_DIST += tests/pjrt/handlers/calls.py tests/pjrt/handlers/handlers.cc tests/pjrt/handlers/handlers.py tests/pjrt/handlers/job.py tests/pjrt/handlers/kept.py tests/pjrt/handlers/layout.c tests/pjrt/handlers/parts.py tests/pjrt/handlers/registration.py
EXTRA_DIST += tests/pjrt/jobs/arrays.py tests/pjrt/jobs/dies.py tests/pjrt/jobs/job.py tests/pjrt/jobs/mixed.py
EXTRA_DIST += tests/pjrt/programs/callbacks.py tests/pjrt/programs/equinox_train.py tests/pjrt/programs/flax_train.py tests/pjrt/programs/leaves.py tests/pjrt/programs/lowerings.py tests/pjrt/programs/memory.py tests/pjrt/programs/orbax_restore.py tests/pjrt/programs/shardings.py tests/pjrt/programs/smoke.py tests/pjrt/programs/threads.py tests/pjrt/programs/torchax_train.py tests/pjrt/programs/train.py tests/pjrt/programs/unreduced.py tests/pjrt/programs/within.py
EXTRA_DIST += python/setup.py python/jax_plugins/weft/__init__.py python/jax_plugins/weft/callbacks.py python/jax_plugins/weft/foreign.py python/jax_plugins/weft/rules.py
