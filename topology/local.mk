weftinclude_HEADERS += include/weft/topo.h
libweftbase_la_SOURCES += topology/cgroup.c topology/cgroup.h topology/links.c topology/links.def topology/links.h topology/topology.c topology/topology.h \
	topology/draw.c topology/draw.h topology/draw_machine.c topology/costs.def topology/machine.c topology/machine.h topology/machine_open.c topology/machine_read.c \
	topology/identity.c topology/locality.c topology/topology_internal.h topology/tree.c

# Descriptions of machines: installed, and beside the tool in the build folder, where it looks too.
weft_machines = topology/machines/a100-40.machine topology/machines/a3-h100.machine topology/machines/archer2.machine topology/machines/b200.machine \
	topology/machines/dgx-a100.machine topology/machines/dgx-h100.machine topology/machines/dgx-v100.machine topology/machines/gb200.machine \
	topology/machines/grand-teton.machine topology/machines/h200.machine topology/machines/mi300x.machine topology/machines/tpu-v3.machine \
	topology/machines/tpu-v4.machine topology/machines/tpu-v5e.machine topology/machines/tpu-v5p.machine topology/machines/tpu-v6e.machine \
	topology/machines/tpu7x.machine topology/machines/trn1.machine topology/machines/trn2.machine
machinesdir = $(pkgdatadir)/machines
machines_DATA = $(weft_machines)
EXTRA_DIST += $(weft_machines)
machines-here:
	@for f in $(weft_machines); do test -f $$f || { $(MKDIR_P) topology/machines && $(LN_S) $(abs_top_srcdir)/$$f $$f; }; done
all-local: machines-here
check-local: machines-here
.PHONY: machines-here
clean-local:
	test "$(srcdir)" = . || rm -rf topology/machines

# Where they are installed, for topology/machine_open.c.
nodist_libweftbase_la_SOURCES = topology/datadir.h
# Where not all is made, too. Named by a variable, for automake leaves out its own rule of a target that has one here.
reads_datadir = topology/libweftbase_la-machine_open.lo
$(reads_datadir): topology/datadir.h
BUILT_SOURCES += topology/datadir.h
CLEANFILES += topology/datadir.h
topology/datadir.h: Makefile
	$(AM_V_GEN)$(MKDIR_P) topology && echo '#define WEFT_MACHINES_DIR "$(machinesdir)"' >$@

suites += tests/topology/test_topology
suites += tests/topology/test_machine
suites += tests/topology/test_identity

if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_machine
tests_fuzz_fuzz_machine_SOURCES = tests/fuzz/fuzz_machine.c
tests_fuzz_fuzz_machine_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_machine_LDADD = $(weft_rooms)
endif
