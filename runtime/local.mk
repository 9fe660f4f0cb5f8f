libweftcore_la_SOURCES += \
	runtime/array.c runtime/array.h runtime/device.c runtime/device.h runtime/execute.h runtime/fill.c runtime/group.c \
	runtime/group.h runtime/launch.c runtime/layout.c runtime/layout.h runtime/locked.c runtime/locked.h runtime/npy.c runtime/session.c

runtime_tests = tests/runtime/test_layout tests/runtime/test_npy tests/runtime/test_session
check_PROGRAMS += $(runtime_tests)
TESTS += $(runtime_tests)
tests_runtime_test_layout_SOURCES = tests/runtime/test_layout.c
tests_runtime_test_layout_CPPFLAGS = $(TEST_CPPFLAGS)
tests_runtime_test_layout_LDADD = $(TEST_LIBS)
tests_runtime_test_npy_SOURCES = tests/runtime/test_npy.c
tests_runtime_test_npy_CPPFLAGS = $(TEST_CPPFLAGS)
tests_runtime_test_npy_LDADD = $(TEST_LIBS)
tests_runtime_test_session_SOURCES = tests/runtime/test_session.c
tests_runtime_test_session_CPPFLAGS = $(TEST_CPPFLAGS)
tests_runtime_test_session_LDADD = $(SUPPORT_LIBS)
check_PROGRAMS += tests/runtime/ranks
tests_runtime_ranks_SOURCES = tests/runtime/ranks.c
tests_runtime_ranks_CPPFLAGS = $(AM_CPPFLAGS)
tests_runtime_ranks_LDADD = libweftcore.la
TESTS += tests/runtime/test_ranks.sh
EXTRA_DIST += tests/runtime/test_ranks.sh
