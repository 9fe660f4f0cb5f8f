// launch.h: the processes that mpirun, mpiexec or srun has started, for as long as they tell each other where a store is.
#pragma once

#include <weft/coll.h>

#include <string>

namespace weft_torch {

class Launch {
 public:
  explicit Launch(double timeout_s);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  int rank() const { return weft_world_process(world_); }
  int size() const { return weft_world_processes(world_); }
  int nodes() const { return weft_world_nodes(world_); }
  // Process 0's text, of at most 255 bytes.
  std::string broadcast(const std::string& text);

 private:
  void end();
  void check(weft_status status);

  weft_context* context_;
  weft_world* world_ = nullptr;
  weft_comm* all_ = nullptr;
};

}  // namespace weft_torch
