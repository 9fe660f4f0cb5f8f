// world.h: a Weft world in a process of torch, shared by its process groups.
//
// Weft's handles belong to one thread at a time, torch calls from many: the main thread, autograd's threads, those that
// wait for futures. So every call of Weft is made under the world's lock, and none of them waits: calls are started,
// and whoever waits for one polls the world. Calls that nobody waits for are polled by a mover of the world, a thread
// that exists once an asynchronous call was made and sleeps while none is under way.
//
// A poll only finds out which calls are done. What follows (copies into the caller's tensors, futures and their
// callbacks, which may call torch.distributed again) happens without the lock.
#pragma once

#include <weft/coll.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "call.h"

namespace weft_torch {

class World;

// Something of which calls are under way. All of it is called under the world's lock.
class Source {
 public:
  virtual ~Source() = default;
  // Moves the calls that are done to `done`; returns whether others are left.
  virtual bool advance(Done& done) = 0;
  // Fails the calls that no peer would end, for this reason.
  virtual void drop(const std::string& why, Done& done) = 0;

  bool is_listed = false;  // in the world's list of sources
};

// A handle on a group, and its calls in their order.
class Lane : public Source {
 public:
  Lane(World& world, weft_comm* comm) : world_(world), comm_(comm) {}
  ~Lane() override;

  weft_comm* comm() const { return comm_; }
  // Takes over the call's requests, which were started on this lane's handle.
  void add(c10::intrusive_ptr<Call> call) { calls_.push_back(std::move(call)); }
  bool advance(Done& done) override;
  void drop(const std::string&, Done&) override {}
  bool empty() const { return calls_.empty(); }

 private:
  World& world_;
  weft_comm* comm_;
  std::deque<c10::intrusive_ptr<Call>> calls_;
};

// How the processes of a new world find each other.
struct Meeting {
  int process, processes;
  double timeout_s;
  weft_gatherer gatherer;
};

class World {
 public:
  // The world of these processes. ranks: the global rank of torch of each of Weft's ranks. count(): a number that no
  // process of the world has got before.
  World(std::string id, std::vector<int64_t> ranks, const Meeting& meeting, std::function<uint32_t()> count);
  ~World();
  // What a shared pointer does at its end. A callback may have the last one: a mover cannot wait for its own end.
  static void release(World* world);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const std::string& id() const { return id_; }
  int64_t global_rank() const { return ranks_[weft_world_first(world_)]; }
  // Weft's ranks of torch's global ones; empty: one of them is not of this world.
  std::vector<int> members(const std::vector<int64_t>& global) const;
  // Numbers of groups, for the group's rank 0. One that was given back is the next group's of the same members, so that
  // the world's memory for groups does not grow with their count.
  uint32_t take_number(const std::vector<int>& members);
  void give_number(const std::vector<int>& members, uint32_t number);
  bool has_failed() const { return weft_world_failed(world_); }
  // Counts the groups that are in use. A program may keep one that it has destroyed, and with it a world that others
  // have left: no new group is of such a world.
  void enter() { groups_++; }
  void leave() { groups_--; }
  bool is_left() const { return groups_ == 0; }

  std::mutex& lock() { return lock_; }

  // --- under the lock ---
  weft_comm* open(const std::vector<int>& members, uint32_t key);
  // Lists a source that has calls under way.
  void list(Source& source);
  void unlist(Source& source);
  // Throws what the failed call has reported.
  [[noreturn]] void fail(weft_status status, const char* what);
  std::string reason(weft_status status);

  // --- without the lock ---
  // Wakes a mover, for calls that may be waited for by nobody.
  void move();
  // Advances all calls once, unless another thread does so now, and concludes those that are done.
  void poll();
  // Returns when the call is concluded. limit_s > 0: a peer is waited for no longer than that, on this handle.
  void await(Call& call, double limit_s);
  // Concludes all calls of the source, or fails them after a grace time.
  void drain(Source& source);
  void abort(const char* why) { weft_world_abort(world_, why); }
  // Whether this process is a fork of the one that made the world: then it has no part in it.
  bool is_inherited() const;
  // Ends the movers, at the end of the interpreter.
  void rest();

 private:
  void appoint();
  void run();
  void lead();
  bool lead_again();  // false: another thread leads
  Done take();  // advances all calls once, unless another thread does so now: those that are done
  void conclude(const Done& done);  // settles and announces
  void settle(const Done& done);
  // The next call whose callbacks may run now. turn: 0 where it goes before its turn.
  c10::intrusive_ptr<Call> next_unheard(uint64_t& turn);
  void announce(Call& call, uint64_t turn);
  void announce_all();
  bool advance(Done& done);
  void pause(unsigned turn, int64_t begin_ns) const;

  std::string id_;
  std::atomic<int> groups_{0};
  std::vector<int64_t> ranks_;
  std::function<uint32_t()> count_;
  std::map<std::vector<int>, std::vector<uint32_t>> free_numbers_;  // under numbers_lock_
  std::mutex numbers_lock_;
  std::mutex lock_;
  weft_context* context_ = nullptr;
  weft_world* world_ = nullptr;
  weft_comm* all_ = nullptr;
  std::string said_;  // the last error that Weft has reported
  bool has_cores_ = false;  // each rank of this machine has a core of its own
  std::vector<Source*> sources_;  // with calls under way

  std::atomic<int> waiters_{0};
  std::atomic<int> under_way_{0};  // sources listed
  // Calls that are settled, and whose futures' callbacks nobody has run yet. They are run one after the other, in the
  // order in which calls ended, which is the same on all ranks: callbacks make calls. But a callback may wait for any
  // other call. So calls that were made by a callback that is still running have their turn at once, and after a while
  // so has the next in the order. Whoever runs a callback sees to it that somebody else polls.
  std::deque<c10::intrusive_ptr<Call>> unheard_;
  std::mutex unheard_lock_;
  std::atomic<size_t> unheard_count_{0};
  uint64_t announcer_ = 0, announcers_ = 0;  // whose turn it is, 0: nobody's; turns that there were
  int64_t announcer_since_ = 0;
  // One mover at most leads: it polls. Before it runs a callback it steps down: a callback that waits costs a thread,
  // and no call stands still.
  std::atomic<bool> is_led_{false}, is_closing_{false};
  struct Movers {
    std::mutex lock;
    std::condition_variable wake;
    std::vector<std::thread> threads;
    int idle = 0;            // threads that wait for wake
    bool is_wanted = false;  // one of them is to lead
  };
  std::unique_ptr<Movers> movers_ = std::make_unique<Movers>();
  pid_t owner_;
};

}  // namespace weft_torch
