// launch.cpp: see launch.h.
#include "launch.h"

#include <cstring>

#include <c10/util/Exception.h>

namespace weft_torch {

void Launch::end() {
  weft_comm_free(all_);
  weft_world_free(world_);
  weft_context_free(context_);
}

void Launch::check(weft_status status) {
  if (status == WEFT_OK) return;
  size_t n = weft_context_diag_count(context_);
  std::string why = n ? weft_context_diag(context_, n - 1)->message : weft_status_name(status);
  TORCH_CHECK_WITH(DistBackendError, false, "weft: ", why);
}

Launch::Launch(double timeout_s) : context_(weft_context_new(nullptr)) {
  TORCH_CHECK(context_, "weft: out of memory");
  weft_world_options options = {};
  options.size = sizeof options;
  options.local_ranks = 1;
  options.timeout_s = options.join_timeout_s = timeout_s;
  options.progress = -1;
  try {
    check(weft_world_create_mpi(context_, &options, &world_));
    check(weft_comm_world(context_, world_, weft_world_first(world_), &all_));
  } catch (...) {
    end();
    throw;
  }
}

Launch::~Launch() { end(); }

std::string Launch::broadcast(const std::string& text) {
  char room[256] = {};
  TORCH_CHECK(text.size() < sizeof room, "weft: a text of ", text.size(), " bytes");
  memcpy(room, text.data(), text.size());
  weft_coll_buf b = {};
  b.in = b.out = room;
  b.dtype = weft_coll_type("ui8");
  b.inner = sizeof room;
  check(weft_coll_broadcast(all_, 0, &b, 1, nullptr));
  check(weft_coll_barrier(all_, nullptr));  // none leaves before all have it
  return room;
}

}  // namespace weft_torch
