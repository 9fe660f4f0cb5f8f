// world.cpp: see world.h.
#include "world.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include <c10/util/Exception.h>

#include "clock.h"
#include "mail.h"

namespace weft_torch {

namespace {

constexpr unsigned kEager = 32;              // polls of a waiting thread without a pause: some 3 us
constexpr int64_t kSpinNs = 2000000;         // then it yields, and after 2 ms it naps: a peer computes
constexpr int64_t kNapNs = 50000, kMoverNapNs = 30000, kIdleNapNs = 200000;
constexpr int64_t kLingerNs = 1000000;       // the mover is awake for so long after the last call
constexpr int64_t kBlockedNs = 2000000;      // a callback that runs for so long may be waiting for another
constexpr int64_t kGraceNs = 5000000000;     // calls under way when their group is destroyed

void nap(int64_t ns) {
  timespec t{0, static_cast<long>(ns)};
  nanosleep(&t, nullptr);
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Lane::~Lane() { weft_comm_free(comm_); }

bool Lane::advance(Done& done) {
  while (!calls_.empty()) {
    Call& call = *calls_.front();
    while (call.ended < call.requests.size()) {
      weft_coll_request* request = call.requests[call.ended];
      int is_done = 0;
      (void)weft_coll_test(request, &is_done);
      if (!is_done) return true;
      weft_status status = weft_coll_wait(request);
      if (status != WEFT_OK && call.why.empty()) call.why = world_.reason(status);
      call.ended++;
    }
    done.push_back(std::move(calls_.front()));
    calls_.pop_front();
  }
  return false;
}

World::World(std::string id, std::vector<int64_t> ranks, const Meeting& meeting, std::function<uint32_t()> count)
    : id_(std::move(id)), ranks_(std::move(ranks)), count_(std::move(count)), owner_(getpid()) {
  context_ = weft_context_new(nullptr);
  TORCH_CHECK(context_, "weft: out of memory");
  weft_context_set_handler(
      context_,
      [](void* user, const weft_diag* d) {
        if (d->severity == WEFT_ERROR) static_cast<World*>(user)->said_ = d->message;
        else TORCH_WARN("weft: ", d->message);
      },
      this);
  weft_world_options options = {};
  options.size = sizeof options;
  options.local_ranks = 1;
  options.timeout_s = options.join_timeout_s = meeting.timeout_s;
  options.progress = -1;  // the mover does it, under the lock
  weft_status status = weft_world_create_gatherer(context_, &options, &meeting.gatherer, &world_);
  if (status == WEFT_OK) status = weft_comm_world(context_, world_, meeting.process, &all_);
  if (status != WEFT_OK) {
    std::string why = reason(status);
    weft_world_free(world_);
    weft_context_free(context_);
    TORCH_CHECK_WITH(DistBackendError, false, why);
  }
  int here = 0, node = weft_world_node_of(world_, meeting.process);
  for (int rank = 0; rank < weft_world_size(world_); rank++) here += weft_world_node_of(world_, rank) == node;
  cpu_set_t cores;
  has_cores_ = sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) >= here;
}

// Its process groups are gone, and their calls with them.
World::~World() {
  if (is_inherited()) {
    (void)movers_.release();  // the threads are not in this process, and their locks may be taken
    return;
  }
  rest();
  if (!sources_.empty()) return;
  weft_comm_free(all_);
  weft_world_free(world_);
  weft_context_free(context_);
}

static thread_local const World* moved_here;  // by a thread that is a mover

void World::release(World* world) {
  if (moved_here == world) std::thread([world] { delete world; }).detach();
  else delete world;
}

std::vector<int> World::members(const std::vector<int64_t>& global) const {
  std::vector<int> found;
  for (int64_t rank : global) {
    auto at = std::find(ranks_.begin(), ranks_.end(), rank);
    if (at == ranks_.end()) return {};
    found.push_back(static_cast<int>(at - ranks_.begin()));
  }
  return found;
}

uint32_t World::take_number(const std::vector<int>& members) {
  {
    std::lock_guard<std::mutex> hold(numbers_lock_);
    auto& numbers = free_numbers_[members];
    if (!numbers.empty()) {
      uint32_t number = numbers.back();
      numbers.pop_back();
      return number;
    }
  }
  return count_();
}

void World::give_number(const std::vector<int>& members, uint32_t number) {
  std::lock_guard<std::mutex> hold(numbers_lock_);
  free_numbers_[members].push_back(number);
}

bool World::is_inherited() const { return getpid() != owner_; }

std::string World::reason(weft_status status) {
  if (said_.empty()) return std::string("weft: ") + weft_status_name(status);
  // Programs look for these words, by which torch's other backends report a time-out.
  return (said_.find(": waited ") != std::string::npos ? "weft: Timed out in " : "weft: ") + said_;
}

void World::fail(weft_status status, const char* what) {
  std::string text = reason(status);
  if (status == WEFT_ERR_PEER) TORCH_CHECK_WITH(DistBackendError, false, text);
  TORCH_CHECK(status != WEFT_ERR_USAGE && status != WEFT_ERR_UNSUPPORTED, text);
  TORCH_CHECK(false, text, " (", what, ")");
}

weft_comm* World::open(const std::vector<int>& members, uint32_t key) {
  weft_comm* comm = nullptr;
  said_.clear();
  weft_status status = weft_comm_group_apart(context_, all_, members.data(), static_cast<int>(members.size()), key, &comm);
  if (status != WEFT_OK) fail(status, "a group");
  return comm;
}

void World::list(Source& source) {
  if (source.is_listed) return;
  source.is_listed = true;
  sources_.push_back(&source);
  under_way_.store(static_cast<int>(sources_.size()));
}

void World::unlist(Source& source) {
  source.is_listed = false;
  sources_.erase(std::remove(sources_.begin(), sources_.end(), &source), sources_.end());
  under_way_.store(static_cast<int>(sources_.size()));
}

// --- polling ---------------------------------------------------------------------------------------------------------

bool World::advance(Done& done) {
  bool ended = false;
  for (size_t i = 0; i < sources_.size();) {
    size_t before = done.size();
    if (sources_[i]->advance(done)) {
      i++;
    } else {
      sources_[i]->is_listed = false;
      sources_.erase(sources_.begin() + static_cast<long>(i));
    }
    ended |= done.size() > before;
  }
  under_way_.store(static_cast<int>(sources_.size()));
  return ended;
}

Done World::take() {
  Done done;
  std::unique_lock<std::mutex> hold(lock_, std::try_to_lock);
  if (hold.owns_lock()) advance(done);
  return done;
}

void World::poll() { conclude(take()); }

void World::conclude(const Done& done) {
  settle(done);
  announce_all();
}

void World::settle(const Done& done) {
  for (auto& call : done) {
    if (!call->settle()) continue;
    std::lock_guard<std::mutex> hold(unheard_lock_);
    unheard_.push_back(call);
    unheard_count_.store(unheard_.size());
  }
}

c10::intrusive_ptr<Call> World::next_unheard(uint64_t& turn) {
  if (!unheard_count_.load(std::memory_order_acquire)) return {};
  std::lock_guard<std::mutex> hold(unheard_lock_);
  auto at = unheard_.begin();
  int64_t now = now_ns();
  turn = 0;
  if (announcer_ == 0 || (at != unheard_.end() && now - announcer_since_ > kBlockedNs)) {
    if (at != unheard_.end()) turn = announcer_ = ++announcers_, announcer_since_ = now;
  } else {
    at = std::find_if(at, unheard_.end(), [](auto& call) { return call->has_maker(); });
  }
  if (at == unheard_.end()) return {};
  auto call = std::move(*at);
  unheard_.erase(at);
  unheard_count_.store(unheard_.size());
  return call;
}

void World::announce(Call& call, uint64_t turn) {
  if (unheard_count_.load() || under_way_.load()) move();
  call.announce();
  if (turn == 0) return;
  std::lock_guard<std::mutex> hold(unheard_lock_);
  if (announcer_ == turn) announcer_ = 0;
}

void World::announce_all() {
  uint64_t turn;
  while (auto call = next_unheard(turn)) announce(*call, turn);
}

void World::pause(unsigned turn, int64_t begin_ns) const {
  if (has_cores_ && turn < kEager) return relax();
  if (begin_ns && now_ns() - begin_ns > kSpinNs) return nap(kNapNs);
  sched_yield();  // the peer may be waiting for this core
}

void World::await(Call& call, double limit_s) {
  int64_t begin = 0, limit_ns = limit_s > 0 ? static_cast<int64_t>(limit_s * 1e9) : 0;
  waiters_.fetch_add(1, std::memory_order_relaxed);
  for (unsigned turn = 0; !call.is_concluded(); turn++) {
    if (Done done = take(); !done.empty()) {
      // This thread polls no more while it runs callbacks, which may wait for other calls.
      waiters_.fetch_sub(1, std::memory_order_relaxed);
      conclude(done);
      waiters_.fetch_add(1, std::memory_order_relaxed);
    }
    if (call.is_concluded()) break;
    if (turn >= kEager && begin == 0) begin = now_ns();
    pause(turn, begin);
    if (!limit_ns || !begin || now_ns() - begin < limit_ns) continue;
    Done done;
    {
      std::lock_guard<std::mutex> hold(lock_);
      if (call.inbox) call.inbox->expire(call, limit_s, done);
      else if (call.comm) weft_comm_timeout(call.comm, limit_s);
    }
    conclude(done);
    limit_ns = 0;
  }
  waiters_.fetch_sub(1, std::memory_order_relaxed);
}

void World::drain(Source& source) {
  int64_t begin = now_ns();
  bool is_aborted = false;
  for (unsigned turn = 0;; turn++) {
    Done done;
    bool left;
    {
      std::lock_guard<std::mutex> hold(lock_);
      source.drop("weft: the process group was destroyed before this call was done", done);
      left = source.advance(done);
      if (!left && source.is_listed) unlist(source);
    }
    conclude(done);
    if (!left) return;
    pause(turn, begin);
    if (is_aborted || now_ns() - begin < kGraceNs) continue;
    abort("a process group was destroyed while its calls were under way");
    is_aborted = true;
  }
}

// --- the mover -------------------------------------------------------------------------------------------------------

void World::move() {
  if (!is_led_.load() && !is_inherited()) appoint();
}

void World::appoint() {
  std::lock_guard<std::mutex> hold(movers_->lock);
  if (is_closing_ || is_led_) return;
  is_led_.store(true);
  movers_->is_wanted = true;
  if (movers_->idle == 0) movers_->threads.emplace_back([this] { run(); });
  else movers_->wake.notify_one();
}

void World::run() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_NAME, "weft-mover");
  prctl(PR_SET_TIMERSLACK, 1000);
  moved_here = this;
  for (;;) {
    {
      std::unique_lock<std::mutex> hold(movers_->lock);
      movers_->idle++;
      movers_->wake.wait(hold, [this] { return movers_->is_wanted || is_closing_; });
      movers_->idle--;
      if (is_closing_) return;
      movers_->is_wanted = false;
    }
    lead();
  }
}

void World::lead() {
  int64_t last = now_ns();
  while (!is_closing_.load(std::memory_order_acquire)) {
    if (under_way_.load(std::memory_order_acquire) || unheard_count_.load(std::memory_order_acquire)) {
      last = now_ns();
      Done done;
      if (waiters_.load(std::memory_order_relaxed) == 0) done = take();
      settle(done);
      uint64_t turn;
      if (auto call = next_unheard(turn)) {
        is_led_.store(false);
        announce(*call, turn);
        announce_all();
        if (!lead_again()) return;
        continue;
      }
      if (!done.empty()) continue;
    } else if (now_ns() - last > kLingerNs) {
      is_led_.store(false);
      // a call that was listed just now found the world led, and has appointed nobody
      if ((!under_way_.load() && !unheard_count_.load()) || !lead_again()) return;
      last = now_ns();
      continue;
    }
    nap(under_way_.load() && waiters_.load() == 0 ? kMoverNapNs : kIdleNapNs);
  }
}

bool World::lead_again() {
  std::lock_guard<std::mutex> hold(movers_->lock);
  if (is_led_) return false;
  is_led_.store(true);
  return true;
}

void World::rest() {
  if (is_inherited()) return;
  {
    std::lock_guard<std::mutex> hold(movers_->lock);
    is_closing_.store(true, std::memory_order_release);
    movers_->wake.notify_all();
  }
  for (auto& thread : movers_->threads)
    if (thread.joinable()) thread.join();
}

}  // namespace weft_torch
