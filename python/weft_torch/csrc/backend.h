// backend.h: the process group of torch.distributed over Weft.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "mail.h"
#include "operands.h"
#include "world.h"

namespace weft_torch {

using WorkPtr = c10::intrusive_ptr<c10d::Work>;
using Tensors = std::vector<at::Tensor>;

// A process group's part of a world: its members, and a number that no other group of the world has at this time.
struct Seat {
  std::shared_ptr<World> world;
  std::vector<int> members;  // Weft's ranks, by rank of the group
  uint32_t number;
};

class WeftBackend : public c10d::Backend {
 public:
  WeftBackend(Seat seat, c10::intrusive_ptr<c10d::Store> store, int rank, int size, std::chrono::milliseconds timeout);
  ~WeftBackend() override;

  const std::string getBackendName() const override { return "weft"; }
  c10::intrusive_ptr<Options> getBackendOptions() override;
  void setTimeout(std::chrono::milliseconds timeout) override;
  void startCoalescing() override;
  WorkPtr endCoalescing() override;

  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& o) override;
  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& o) override;
  WorkPtr allreduce_sparse(Tensors& tensors, const c10d::AllreduceOptions& o) override;
  WorkPtr allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& o) override;
  WorkPtr reduce(Tensors& tensors, const c10d::ReduceOptions& o) override;
  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& o) override;
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& o) override;
  WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& o) override;
  WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions& o) override;
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& o) override;
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& o) override;
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ReduceScatterOptions& o) override;
  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& o) override;
  WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const c10d::ReduceScatterOptions& o) override;
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits, const c10d::AllToAllOptions& o) override;
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& o) override;
  WorkPtr send(Tensors& tensors, int to, int tag) override;
  WorkPtr recv(Tensors& tensors, int from, int tag) override;
  WorkPtr recvAnysource(Tensors& tensors, int tag) override;
  WorkPtr barrier(const c10d::BarrierOptions& o) override;
  void monitoredBarrier(const c10d::BarrierOptions& o, bool all_ranks) override;

  void setSequenceNumberForGroup() override {}
  uint64_t getSequenceNumberForGroup() override { return sequence_; }
  c10d::ErrorType getError() override;
  void abort() override;
  void shutdown() override;

 private:
  // A call to be filled, and started by `run`.
  c10::intrusive_ptr<Call> make(c10d::OpType type, const char* title, const Tensors& inputs, Tensors outputs,
                                std::chrono::milliseconds timeout);
  // start(comm, request) calls one of Weft's start functions.
  template <typename Start>
  WorkPtr run(c10::intrusive_ptr<Call> call, bool is_async, const Start& start);
  WorkPtr finish(c10::intrusive_ptr<Call> call);
  WorkPtr receive(Tensors& tensors, int from, int tag, c10d::OpType type);
  WorkPtr gather_blocks(c10::intrusive_ptr<Call> call, bool is_async, const at::Tensor& in, const Blocks& out);
  void check_root(int64_t root, const char* what) const;
  weft_comm* pair(int from, int to);
  Lane& way_to(int rank);
  const weft_call_site* site();
  double seconds() const { return static_cast<double>(timeout_.count()) * 1e-3; }
  void close();

  Seat seat_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::chrono::milliseconds timeout_;
  std::unique_ptr<Lane> lane_;
  std::map<int, std::unique_ptr<Lane>> out_;  // to each rank that this one has sent to
  std::unique_ptr<Inbox> in_;
  std::atomic<uint64_t> sequence_{0};
  std::string site_name_;
  weft_call_site site_ = {};
  bool has_site_ = false, is_closed_ = false;
  std::vector<c10::intrusive_ptr<Call>> coalesced_;
  bool is_coalescing_ = false;
  uint64_t barriers_ = 0;
};

// meeting.cpp: a backend for a group of torch; global: the global ranks of its members.
c10::intrusive_ptr<c10d::Backend> create(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                         double timeout_s, std::vector<int64_t> global);
// At the end of the interpreter: the threads of all worlds end.
void rest_all();

}  // namespace weft_torch
