# Benchmarks: programs that print figures; nothing of them is built or run by make check.
EXTRA_DIST += bench/machine.py bench/partition bench/step
