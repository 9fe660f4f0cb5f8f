// meeting.cpp: how a process group of torch comes to its world.
//
// Rank 0 of the group decides, and tells the others through the group's store: the group is a part of a world that has
// all its ranks and has not failed, usually that of the default group; or it makes a new one. A new world's processes
// exchange what they need through the store too, so no address, port or key is asked of the user.
//
// A program that destroys its groups and makes others may use one store for all (env:// under torchrun), in which a
// group finds what an earlier one of its name has left. So a rank waits for a choice that it has not taken before, and
// all other keys have the choice in their names.
#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "backend.h"

namespace weft_torch {

namespace {

constexpr const char* kProtocol = "weft2";

// The worlds of this process, and the choices that it has taken.
struct Registry {
  std::mutex lock;
  std::vector<std::weak_ptr<World>> worlds;
  std::set<std::string> taken;
};

// Never destroyed: backends may be later than the end of the program's static objects.
Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

std::string random_id() {
  std::random_device device;
  std::ostringstream text;
  for (int i = 0; i < 4; i++) text << std::hex << device();
  return text.str();
}

std::shared_ptr<World> find(const std::string& id, int64_t global_rank) {
  std::lock_guard<std::mutex> hold(registry().lock);
  for (auto& one : registry().worlds)
    if (auto world = one.lock())
      if (world->id() == id && world->global_rank() == global_rank) return world;
  return nullptr;
}

// A world of this process with all these ranks.
std::shared_ptr<World> find_wide(const std::vector<int64_t>& global, int rank) {
  std::lock_guard<std::mutex> hold(registry().lock);
  for (auto& one : registry().worlds)
    if (auto world = one.lock())
      if (world->global_rank() == global[static_cast<size_t>(rank)] && !world->has_failed() &&
          !world->is_left() && !world->members(global).empty())
        return world;
  return nullptr;
}

void keep(const std::shared_ptr<World>& world) {
  std::lock_guard<std::mutex> hold(registry().lock);
  auto& worlds = registry().worlds;
  worlds.erase(std::remove_if(worlds.begin(), worlds.end(), [](auto& w) { return w.expired(); }), worlds.end());
  worlds.push_back(world);
}

bool take(const std::string& choice) {
  std::lock_guard<std::mutex> hold(registry().lock);
  return registry().taken.insert(choice).second;
}

// The value of a key that another rank sets.
std::string wait_for(c10d::Store& store, const std::string& key, int from, double timeout_s) {
  try {
    store.wait({key}, std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1e3)));
    return store.get_to_str(key);
  } catch (const std::exception& e) {
    TORCH_CHECK_WITH(DistBackendError, false, "weft: rank ", from, " of the group did not come within ", timeout_s,
                     " s (", e.what(), ")");
  }
}

// What rank 0 chooses for this group, and has not chosen for an earlier one.
std::string new_choice(c10d::Store& store, double timeout_s) {
  using clock = std::chrono::steady_clock;
  auto end = clock::now() + std::chrono::duration<double>(timeout_s);
  for (;;) {
    auto choice = wait_for(store, "choice", 0, timeout_s);
    if (take(choice)) return choice;
    TORCH_CHECK_WITH(DistBackendError, clock::now() < end, "weft: rank 0 of the group did not come within ", timeout_s,
                     " s: the store has an earlier group's choice only");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// An all_gather through a store, for the time that a world is made.
class Exchange {
 public:
  Exchange(c10::intrusive_ptr<c10d::Store> store, int rank, int size, double timeout_s)
      : store_(std::move(store)), rank_(rank), size_(size), timeout_s_(timeout_s) {}

  static weft_status gather(void* user, const void* in, size_t bytes, void* out, const char** why) {
    auto* exchange = static_cast<Exchange*>(user);
    if (exchange->gather(in, bytes, static_cast<char*>(out))) return WEFT_OK;
    *why = exchange->trouble_.c_str();
    return WEFT_ERR_IO;
  }

 private:
  std::string key(int rank) const { return c10::str("meet/", round_, "/", rank); }

  bool gather(const void* in, size_t bytes, char* out) {
    try {
      const auto* from = static_cast<const uint8_t*>(in);
      store_->set(key(rank_), std::vector<uint8_t>(from, from + bytes));
      for (int rank = 0; rank < size_; rank++) {
        if (rank == rank_) {
          memcpy(out + static_cast<size_t>(rank) * bytes, in, bytes);
          continue;
        }
        std::string got = wait_for(*store_, key(rank), rank, timeout_s_);
        TORCH_CHECK(got.size() == bytes, "rank ", rank, " of the group has another version of Weft");
        memcpy(out + static_cast<size_t>(rank) * bytes, got.data(), bytes);
      }
      round_++;
      return true;
    } catch (const c10::Error& e) {
      trouble_ = e.what_without_backtrace();
    } catch (const std::exception& e) {
      trouble_ = e.what();
    }
    return false;
  }

  c10::intrusive_ptr<c10d::Store> store_;
  int rank_, size_;
  double timeout_s_;
  int round_ = 0;
  std::string trouble_;
};

// What rank 0 tells: the protocol, the world's id, whether it is new, the group's number in it, which an earlier group
// may have had, and a name that none has had.
struct Choice {
  std::string id;
  bool is_new;
  uint32_t number;
  std::string name;
};

std::string write(const Choice& c) {
  std::ostringstream text;
  text << kProtocol << ' ' << c.id << ' ' << c.is_new << ' ' << c.number << ' ' << c.name;
  return text.str();
}

Choice read(const std::string& text) {
  std::istringstream in(text);
  std::string protocol;
  Choice c;
  in >> protocol >> c.id >> c.is_new >> c.number >> c.name;
  TORCH_CHECK(in && protocol == kProtocol, "weft: rank 0 of the group has another version of weft_torch");
  return c;
}

}  // namespace

void rest_all() {
  std::vector<std::shared_ptr<World>> worlds;
  {
    std::lock_guard<std::mutex> hold(registry().lock);
    for (auto& one : registry().worlds)
      if (auto world = one.lock()) worlds.push_back(world);
  }
  for (auto& world : worlds) world->rest();
}

c10::intrusive_ptr<c10d::Backend> create(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                         double timeout_s, std::vector<int64_t> global) {
  TORCH_CHECK_VALUE(size > 0 && rank >= 0 && rank < size, "weft: no rank ", rank, " in a group of ", size);
  if (global.empty())
    for (int i = 0; i < size; i++) global.push_back(i);
  TORCH_CHECK_VALUE(static_cast<int>(global.size()) == size, "weft: ", global.size(), " ranks in a group of ", size);
  auto timeout = std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1e3));
  Seat seat;
  Choice choice;
  if (rank == 0) {
    seat.world = find_wide(global, rank);
    choice = {random_id(), true, 0, random_id()};
    if (seat.world)
      choice = {seat.world->id(), false, seat.world->take_number(seat.world->members(global)), choice.name};
    store->set("choice", write(choice));
  } else {
    choice = read(new_choice(*store, timeout_s));
    if (!choice.is_new) {
      seat.world = find(choice.id, global[static_cast<size_t>(rank)]);
      TORCH_CHECK_WITH(DistBackendError, seat.world, "weft: this rank has left the world of rank 0 of the group: all "
                       "ranks destroy a process group before they make another");
    }
  }
  auto own = c10::make_intrusive<c10d::PrefixStore>(choice.name, store);
  if (choice.is_new) {
    Exchange exchange(own, rank, size, timeout_s);
    Meeting meeting = {rank, size, timeout_s, {rank, size, Exchange::gather, &exchange}};
    // counted from 1: the first group has 0
    auto count = [own] { return static_cast<uint32_t>(own->add("numbers", 1)); };
    seat.world = std::shared_ptr<World>(new World(choice.id, global, meeting, count), World::release);
    keep(seat.world);
  }
  seat.members = seat.world->members(global);
  seat.number = choice.number;
  return c10::make_intrusive<WeftBackend>(std::move(seat), own, rank, size, timeout);
}

}  // namespace weft_torch
