// operands.h: tensors of torch as operands of Weft.
#pragma once

#include <weft/coll.h>

#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include "call.h"

namespace weft_torch {

// Weft's type of a tensor's elements; for what Weft only moves, and has no type for, bytes.
struct Elements {
  weft_coll_dtype dtype;
  int64_t count;
};
Elements elements_of(const at::Tensor& t, int64_t count);

// Weft's reduction; throws where it has none for these elements. PREMUL_SUM is a sum of what `scaled` gives.
weft_op_reduce reduction_of(const c10d::ReduceOp& op, at::ScalarType type);
bool is_scaled(const c10d::ReduceOp& op);
at::Tensor scaled(const c10d::ReduceOp& op, const at::Tensor& t);

// Refuses what is not a dense tensor in the processor's memory.
void check_dense(const at::Tensor& t, const char* what);
void check_alike(const std::vector<at::Tensor>& tensors, const char* what);

// The tensor's elements one after the other, in a copy if they are not so already.
at::Tensor dense_input(const at::Tensor& t);
// Memory for the tensor's elements: its own, or a copy that lands in it when the call is done.
at::Tensor dense_output(const at::Tensor& t, Landing& landing);
// For both at once: begins with the tensor's elements.
at::Tensor dense_both(const at::Tensor& t, Landing& landing);

// Tensors of one type as blocks of one piece of memory, in their order.
struct Blocks {
  at::Tensor whole;             // flat
  std::vector<int64_t> counts;  // elements of each
  bool is_even;
};
Blocks join_inputs(const std::vector<at::Tensor>& tensors);
Blocks join_outputs(const std::vector<at::Tensor>& tensors, Landing& landing);

}  // namespace weft_torch
