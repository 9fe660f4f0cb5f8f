/* coll_ccl: oneCCL's collectives on the processor, as bench/coll times them, started by Intel MPI, whose messages it
 * uses: g++ -I DIR/include bench/coll_ccl.cpp DIR/lib/ccl/cpu/lib/libccl.a -L DIR/lib -lmpi -lhwloc, where DIR has
 * PyPI's oneccl-cpu-devel, impi-devel and impi-rt; bench/collectives does that. It has no gather, no scatter,
 * and no exchange of messages that waits for both. */
#include <oneapi/ccl.hpp>

#include "coll_mpi.h"

/* What that library takes from Intel's compiler: two functions of libc's, and the switches of a profiler, which are off. */
extern "C" {
void *_intel_fast_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
void *_intel_fast_memset(void *to, int c, size_t n) { return memset(to, c, n); }
#define OFF(name) void *__itt_##name##_ptr__3_0 = nullptr;
OFF(domain_create) OFF(event_create) OFF(event_start) OFF(event_end) OFF(metadata_add) OFF(string_handle_create)
OFF(task_begin) OFF(task_end) OFF(thread_set_name)
}

static ccl::communicator *comm;

static void begin_ccl(const yard *y) {
    ccl::init();
    ccl::shared_ptr_class<ccl::kvs> kvs;
    ccl::kvs::address_type address;
    if (y->rank == 0) {
        kvs = ccl::create_main_kvs();
        address = kvs->get_address();
    }
    MPI_Bcast((void *)address.data(), (int)address.size(), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (y->rank != 0) kvs = ccl::create_kvs(address);
    comm = new ccl::communicator(ccl::create_communicator(y->ranks, y->rank, kvs));
}

static void call_ccl(const yard *y, int kind, long count) {
    size_t all = (size_t)count, share = all / (size_t)y->ranks;
    float *in = y->in, *out = y->out;
    ccl::datatype f = ccl::datatype::float32;
    switch (kind) {
    case ALL_REDUCE: ccl::allreduce(in, out, all, f, ccl::reduction::sum, *comm).wait(); break;
    case REDUCE_SCATTER: ccl::reduce_scatter(in, out, share, f, ccl::reduction::sum, *comm).wait(); break;
    case ALL_GATHER: ccl::allgather(in, out, share, f, *comm).wait(); break;
    case ALL_TO_ALL: ccl::alltoall(in, out, share, f, *comm).wait(); break;
    case BROADCAST: ccl::broadcast(y->rank ? out : in, all, f, 0, *comm).wait(); break;
    case REDUCE: ccl::reduce(in, out, all, f, ccl::reduction::sum, 0, *comm).wait(); break;
    default: ccl::barrier(*comm);
    }
}

#define CALL call_ccl
#define HAS(kind) ((kind) != GATHER && (kind) != SCATTER && (kind) != PERMUTE)
#define BEGIN(y) begin_ccl(y)
#define END() delete comm
#include "coll_mpi.c"
