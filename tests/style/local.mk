# Tests of the source and the library as a whole; the rooms' own stand in ROOM/local.mk.
# Check's timeouts are for hangs, not for slow machines.
AM_TESTS_ENVIRONMENT += CK_TIMEOUT_MULTIPLIER=`expr 5 '*' $${WEFT_LONG:-1}`; export CK_TIMEOUT_MULTIPLIER;
AM_TESTS_ENVIRONMENT += CC='$(CC)'; WEFT_TEST_CPPFLAGS='$(HWLOC_CFLAGS) $(MPI_CFLAGS) $(UCX_CFLAGS) $(LLVM_CPPFLAGS)'; export CC WEFT_TEST_CPPFLAGS;
style_tests = tests/style/test_circles.sh tests/style/test_columns.sh tests/style/test_exports.sh tests/style/test_files.sh tests/style/test_globals.sh tests/style/test_headers.sh tests/style/test_includes.sh tests/style/test_keys.sh tests/style/test_places.sh tests/style/test_reference.sh tests/style/test_variables.sh tests/style/test_words.sh
TESTS += $(style_tests)
EXTRA_DIST += $(style_tests) tests/style/rooms tests/style/installed tests/style/installed.cc tests/style/distributed
# Do the suites notice changes of the code?
long_tests += tests/mutation/test_mutation.sh
EXTRA_DIST += tests/mutation/test_mutation.sh tests/mutation/mutate.py tests/mutation/sites.py tests/mutation/equivalent.txt
