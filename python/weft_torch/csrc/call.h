// call.h: one call of a process group, as torch's Work.
//
// Made by the backend, started under the world's lock, and concluded once: by the thread that waits for it, or by the
// world's mover. From then on it needs no world.
#pragma once

#include <weft/coll.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Work.hpp>

namespace weft_torch {

class World;
class Inbox;

// Tensors of the caller and what they get when the call is done.
using Landing = std::vector<std::pair<at::Tensor, at::Tensor>>;

// Whether a callback is running; null on threads that run none.
using Running = std::shared_ptr<std::atomic<bool>>;
extern thread_local Running current_callback;

class Call : public c10d::Work {
 public:
  Call(World& world, int rank, c10d::OpType type, const char* title,
       const std::optional<std::vector<at::Tensor>>& inputs, uint64_t sequence)
      : Work(rank, type, title, inputs), world_(&world), sequence_(sequence), maker_(current_callback) {}
  ~Call() override;

  // --- c10d::Work ---
  bool isCompleted() override;
  bool wait(std::chrono::milliseconds timeout) override;
  void synchronize() override {}
  int sourceRank() const override { return source_; }
  std::vector<at::Tensor> result() override { return outputs; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;
  c10::intrusive_ptr<c10::ivalue::Future> getFutureResult() override;
  uint64_t getSequencenumber() const override { return sequence_; }

  // --- the backend ---
  std::vector<weft_coll_request*> requests;  // started, in their order
  size_t ended = 0;                          // so many of them have ended
  weft_comm* comm = nullptr;                 // whose requests these are
  Inbox* inbox = nullptr;                    // of a receive
  std::vector<at::Tensor> outputs, kept;     // what the future gets; what Weft reads and writes
  Landing landing;
  std::string why;                           // it failed so; empty: it did not
  double limit_s = 0;                        // the call's own time-out; 0: the group's
  void came_from(int rank) { source_ = rank; }

  bool is_concluded() const { return concluded_.load(std::memory_order_acquire); }
  // After the last request, or a failure: without the world's lock, once. It settles and announces.
  void conclude();
  bool settle();    // what the call is to leave; whether there are futures to announce it to
  void announce();  // runs the futures' callbacks
  // Whether it was made by a callback that is running still, and may wait for it.
  bool has_maker() const { return maker_ && maker_->load(std::memory_order_acquire); }

 private:
  std::exception_ptr error() const;

  World* world_;
  uint64_t sequence_;
  Running maker_;
  int source_ = -1;
  std::atomic<bool> concluded_{false};
  std::mutex future_lock_;
  c10::intrusive_ptr<c10::ivalue::Future> future_, result_;
  c10::intrusive_ptr<c10::ivalue::Future> awaited_, awaited_result_;  // asked for before the call was settled
};

using Done = std::vector<c10::intrusive_ptr<Call>>;

// Several calls as one.
class Calls : public c10d::Work {
 public:
  explicit Calls(std::vector<c10::intrusive_ptr<Call>> calls) : calls_(std::move(calls)) {}
  bool isCompleted() override;
  bool isSuccess() const override;
  std::exception_ptr exception() const override;
  bool wait(std::chrono::milliseconds timeout) override;
  void synchronize() override {}
  std::vector<at::Tensor> result() override;
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

 private:
  std::vector<c10::intrusive_ptr<Call>> calls_;
};

}  // namespace weft_torch
