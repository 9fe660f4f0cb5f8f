// mail.h: messages from one rank of a process group to another.
//
// Each direction of a pair of ranks is a group of two, in which the sender broadcasts: first a head of fixed size with
// the tag, the number of bytes and the first of them, then the rest. The receiver takes the messages in the order in
// which they were sent, and keeps those whose tag nobody has asked for yet. So tags may be waited for in any order, and
// a receive from any rank is the head of whichever rank has sent one.
#pragma once

#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "world.h"

namespace weft_torch {

struct Head {
  static constexpr size_t kRoom = 2048 - 2 * sizeof(int64_t);
  int64_t tag, bytes;
  char first[kRoom];  // all of a message that fits, else nothing of it
};

class Inbox : public Source {
 public:
  // open(rank): this rank's handle on the group in which that rank of the process group sends to it. The handle is the
  // inbox's.
  Inbox(World& world, int rank, int size, std::function<weft_comm*(int)> open);
  ~Inbox() override;

  // A receive into `bytes` bytes at p. source < 0: from any rank. The call keeps the memory.
  void post(c10::intrusive_ptr<Call> call, void* p, int64_t bytes, int source, int64_t tag, double timeout_s);
  // Its wait is over: the call fails, and no message is lost.
  void expire(Call& call, double limit_s, Done& done);
  void set_timeout(double timeout_s);

  bool advance(Done& done) override;
  void drop(const std::string& why, Done& done) override;

 private:
  struct Receive {
    c10::intrusive_ptr<Call> call;
    char* p;
    int64_t bytes;
    int source;
    int64_t tag;
    int64_t begin_ns, timeout_ns;  // from any rank: Weft waits for none, so this is counted here; negative: none
  };
  struct Message {
    int source;
    int64_t tag;
    std::vector<char> bytes;
  };
  // What one rank sends.
  struct Channel {
    weft_comm* comm = nullptr;
    weft_coll_request* request = nullptr;  // the head's, or the rest's once `rest` is set
    std::unique_ptr<Head> head;
    bool rest = false;
    bool is_asked = false;                 // the last head has told that there is one
    std::list<Receive> into;               // the receive that the rest goes to; empty: into `stray`
    Message stray;
    bool is_wrong = false;                 // the rest is of another size than the receive has: it is dropped
  };

  weft_comm* comm(int source);
  bool is_wanted(int source) const;
  bool is_wanted_from_any() const;
  std::list<Receive>::iterator match(int source, int64_t tag);
  void step(int source, Done& done);
  void start(Channel& channel, void* p, int64_t bytes, Done& done, int source);
  void got_head(int source, Done& done);
  void got_rest(int source, Done& done);
  void take(Receive& receive, int source, const char* bytes, int64_t count, Done& done);
  void lose(int source, const std::string& why, Done& done);
  void end(Receive& receive, std::string why, Done& done);
  void watch(Done& done);

  World& world_;
  int rank_, size_;
  std::function<weft_comm*(int)> open_;
  double timeout_s_ = 0;
  std::vector<Channel> channels_;
  std::list<Receive> posted_;
  std::list<Message> unexpected_;
};

}  // namespace weft_torch
