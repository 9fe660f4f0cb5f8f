// clock.h: the time.
#pragma once

#include <time.h>

#include <cstdint>

namespace weft_torch {

inline int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

}  // namespace weft_torch
