# launcher.sh: the environment in which tests start mpirun. Sourced by shell tests, by the Makefile's environment of tests and by .ci/setup.sh.
# Open MPI refuses root, and more ranks than cores, unless it is told.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # of Open MPI 5
# Containers without ptrace make Open MPI's single-copy transport warn on every start.
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_sm_single_copy_mechanism=none
# More ranks than cores: one that waits gives its core away.
export OMPI_MCA_mpi_yield_when_idle=1
# hwloc's plugin for displays asks the name server for localhost, which takes seconds where /etc/hosts is not there.
export HWLOC_COMPONENTS=-gl
