// mail.cpp: see mail.h.
#include "mail.h"

#include <exception>

#include <c10/util/StringUtil.h>

#include "clock.h"

namespace weft_torch {

Inbox::Inbox(World& world, int rank, int size, std::function<weft_comm*(int)> open)
    : world_(world), rank_(rank), size_(size), open_(std::move(open)), channels_(static_cast<size_t>(size)) {}

Inbox::~Inbox() {
  for (Channel& c : channels_) {
    // A head that was asked for and never came is still written to by Weft, which keeps the handle too.
    if (c.request) (void)c.head.release();
    weft_comm_free(c.comm);
  }
}

weft_comm* Inbox::comm(int source) {
  Channel& c = channels_[static_cast<size_t>(source)];
  if (c.comm) return c.comm;
  c.comm = open_(source);
  c.head = std::make_unique<Head>();
  if (timeout_s_) weft_comm_timeout(c.comm, timeout_s_);
  return c.comm;
}

void Inbox::set_timeout(double timeout_s) {
  timeout_s_ = timeout_s;
  for (Channel& c : channels_)
    if (c.comm) weft_comm_timeout(c.comm, timeout_s);
}

void Inbox::end(Receive& r, std::string why, Done& done) {
  r.call->why = std::move(why);
  done.push_back(std::move(r.call));
}

void Inbox::take(Receive& r, int source, const char* bytes, int64_t count, Done& done) {
  r.call->came_from(source);
  if (count != r.bytes)
    return end(r, c10::str("weft: rank ", source, " of the group has sent ", count, " B to rank ", rank_,
                           ", which receives ", r.bytes, " B"), done);
  if (bytes && count) memcpy(r.p, bytes, static_cast<size_t>(count));
  end(r, "", done);
}

void Inbox::post(c10::intrusive_ptr<Call> call, void* p, int64_t bytes, int source, int64_t tag, double timeout_s) {
  for (int from = 0; from < size_; from++)
    if (from != rank_ && (source < 0 || source == from)) comm(from);
  int64_t timeout_ns = timeout_s < 0 ? -1 : static_cast<int64_t>(timeout_s * 1e9);
  call->inbox = this;
  posted_.push_back(Receive{std::move(call), static_cast<char*>(p), bytes, source, tag, now_ns(), timeout_ns});
  world_.list(*this);
}

bool Inbox::is_wanted(int source) const {
  for (const Receive& r : posted_)
    if (r.source == source) return true;
  return false;
}

bool Inbox::is_wanted_from_any() const { return is_wanted(-1); }

std::list<Inbox::Receive>::iterator Inbox::match(int source, int64_t tag) {
  auto r = posted_.begin();
  while (r != posted_.end() && !((r->source < 0 || r->source == source) && r->tag == tag)) ++r;
  return r;
}

void Inbox::start(Channel& c, void* p, int64_t bytes, Done& done, int source) {
  weft_coll_buf b = {};
  b.in = b.out = p;
  b.dtype = weft_coll_type("ui8");
  b.inner = bytes;
  int root = weft_comm_rank(c.comm) == 0 ? 1 : 0;
  weft_status status = weft_coll_start_broadcast(c.comm, root, &b, 1, nullptr, &c.request);
  if (status != WEFT_OK) lose(source, world_.reason(status), done);
}

// The way from this rank is lost: no receive that names it can be served.
void Inbox::lose(int source, const std::string& why, Done& done) {
  Channel& c = channels_[static_cast<size_t>(source)];
  for (Receive& r : c.into) end(r, why, done);
  c.into.clear();
  c.rest = false;
  for (auto r = posted_.begin(); r != posted_.end();) {
    if (r->source != source && r->source >= 0) {
      ++r;
      continue;
    }
    end(*r, why, done);
    r = posted_.erase(r);
  }
}

void Inbox::got_head(int source, Done& done) {
  Channel& c = channels_[static_cast<size_t>(source)];
  int64_t bytes = c.head->bytes;
  bool is_whole = bytes <= static_cast<int64_t>(Head::kRoom);
  auto r = match(source, c.head->tag);
  c.is_wrong = r != posted_.end() && r->bytes != bytes;
  if (r == posted_.end() || (c.is_wrong && !is_whole)) try {
      c.stray = Message{source, c.head->tag, std::vector<char>(static_cast<size_t>(bytes))};
    } catch (const std::exception&) {
      return lose(source, c10::str("weft: no memory for a message of ", bytes, " B from rank ", source, " of the group"),
                  done);
    }
  if (r != posted_.end() && (is_whole || c.is_wrong)) {
    take(*r, source, c.head->first, bytes, done);
    posted_.erase(r);
    if (is_whole) return;
  } else if (r != posted_.end()) {
    c.into.splice(c.into.end(), posted_, r);
  } else if (is_whole) {
    memcpy(c.stray.bytes.data(), c.head->first, static_cast<size_t>(bytes));
    return unexpected_.push_back(std::move(c.stray));
  }
  c.rest = true;
  start(c, c.into.empty() ? c.stray.bytes.data() : c.into.front().p, bytes, done, source);
}

void Inbox::got_rest(int source, Done& done) {
  Channel& c = channels_[static_cast<size_t>(source)];
  c.rest = false;
  if (!c.into.empty()) {
    take(c.into.front(), source, nullptr, c.into.front().bytes, done);
    c.into.clear();
  } else if (!c.is_wrong) {
    unexpected_.push_back(std::move(c.stray));
  }
  c.stray = Message{};
}

// Moves the messages of one rank as far as they go without waiting.
void Inbox::step(int source, Done& done) {
  Channel& c = channels_[static_cast<size_t>(source)];
  while (c.comm) {
    if (!c.request) {
      if (!is_wanted(source) && !(is_wanted_from_any() && weft_comm_awaited(c.comm) != 0)) return;
      start(c, c.head.get(), sizeof(Head), done, source);
      if (!c.request) return;
    }
    int is_done = 0;
    (void)weft_coll_test(c.request, &is_done);
    if (!is_done) return;
    weft_status status = weft_coll_wait(c.request);
    c.request = nullptr;
    if (status != WEFT_OK) return lose(source, world_.reason(status), done);
    if (c.rest) got_rest(source, done);
    else got_head(source, done);
  }
}

// Receives from any rank, for which Weft waits for nobody.
void Inbox::watch(Done& done) {
  for (auto r = posted_.begin(); r != posted_.end();) {
    bool is_over = r->source < 0 && r->timeout_ns >= 0 && now_ns() - r->begin_ns > r->timeout_ns;
    bool is_lost = r->source < 0 && world_.has_failed();
    if (!is_over && !is_lost) {
      ++r;
      continue;
    }
    end(*r, is_lost ? "weft: recv from any rank: the world has failed"
                    : c10::str("weft: Timed out in recv from any rank, tag ", r->tag, ": no rank has sent within ",
                               static_cast<double>(r->timeout_ns) * 1e-9, " s"), done);
    r = posted_.erase(r);
  }
}

bool Inbox::advance(Done& done) {
  for (auto r = posted_.begin(); r != posted_.end();) {
    auto m = unexpected_.begin();
    while (m != unexpected_.end() && !(m->tag == r->tag && (r->source < 0 || r->source == m->source))) ++m;
    if (m == unexpected_.end()) {
      ++r;
      continue;
    }
    take(*r, m->source, m->bytes.data(), static_cast<int64_t>(m->bytes.size()), done);
    unexpected_.erase(m);
    r = posted_.erase(r);
  }
  bool is_busy = false;
  for (int source = 0; source < size_; source++) {
    step(source, done);
    is_busy |= channels_[static_cast<size_t>(source)].rest;
  }
  if (is_wanted_from_any()) watch(done);
  return is_busy || !posted_.empty();
}

void Inbox::expire(Call& call, double limit_s, Done& done) {
  for (auto r = posted_.begin(); r != posted_.end(); ++r) {
    if (r->call.get() != &call) continue;
    std::string from = r->source < 0 ? "any rank" : c10::str("rank ", r->source, " of the group");
    end(*r, c10::str("weft: Timed out in recv from ", from, ", tag ", r->tag, ": waited ", limit_s, " s"), done);
    posted_.erase(r);
    return;
  }
  for (Channel& c : channels_)  // its message has begun to arrive: the sender is late with the rest
    for (Receive& r : c.into)
      if (r.call.get() == &call) weft_comm_timeout(c.comm, limit_s);
}

void Inbox::drop(const std::string& why, Done& done) {
  for (Receive& r : posted_) end(r, why, done);
  posted_.clear();
}

}  // namespace weft_torch
