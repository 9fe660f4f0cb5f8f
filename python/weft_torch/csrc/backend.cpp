// backend.cpp: the collectives of torch as Weft's; see backend.h.
#include "backend.h"

#include <torch/csrc/distributed/c10d/Utils.hpp>

namespace weft_torch {

using c10d::OpType;

namespace {

// The handle of one direction of a pair of a group's ranks.
enum { kWhole = 0, kUp = 1, kDown = 2, kKeys = 3 };

weft_coll_buf buf_of(const at::Tensor& like, const void* in, void* out, int64_t count) {
  Elements e = elements_of(like, count);
  weft_coll_buf b = {};
  b.in = in;
  b.out = out;
  b.dtype = e.dtype;
  b.inner = e.count;
  return b;
}

// Counts of an uneven form, in elements of Weft's type.
std::vector<int64_t> counts_of(const at::Tensor& like, std::vector<int64_t> counts) {
  for (int64_t& c : counts) c = elements_of(like, c).count;
  return counts;
}

void check_one(const Tensors& tensors, const char* what) {
  TORCH_CHECK_VALUE(tensors.size() == 1, "weft: ", what, " takes one tensor, not ", tensors.size());
  check_dense(tensors[0], what);
}

void check_size(const at::Tensor& whole, const at::Tensor& part, int64_t n, const char* what) {
  check_dense(whole, what);
  check_dense(part, what);
  TORCH_CHECK_VALUE(whole.scalar_type() == part.scalar_type(), "weft: ", what, ": tensors of ", whole.scalar_type(),
                    " and ", part.scalar_type());
  TORCH_CHECK_VALUE(whole.numel() == part.numel() * n, "weft: ", what, ": a tensor of ", whole.numel(),
                    " elements for ", n, " of ", part.numel());
}

// As gloo does: every tensor of a list has the size of the one that stands alone.
void check_list(const Tensors& list, const at::Tensor& one, int size, const char* what) {
  TORCH_CHECK_VALUE(static_cast<int>(list.size()) == size, "weft: ", what, ": a list of ", list.size(),
                    " tensors in a group of ", size);
  check_alike(list, what);
  check_dense(one, what);
  TORCH_CHECK_VALUE(list[0].scalar_type() == one.scalar_type(), "weft: ", what, ": tensors of ",
                    list[0].scalar_type(), " and ", one.scalar_type());
}

void check_even(const Tensors& list, const at::Tensor& one, const char* what) {
  for (const at::Tensor& t : list)
    TORCH_CHECK_VALUE(t.numel() == one.numel(), "weft: ", what, ": tensors of ", t.numel(), " and ", one.numel(),
                      " elements");
}

}  // namespace

WeftBackend::WeftBackend(Seat seat, c10::intrusive_ptr<c10d::Store> store, int rank, int size,
                         std::chrono::milliseconds timeout)
    : Backend(rank, size), seat_(std::move(seat)), store_(std::move(store)), timeout_(timeout) {
  std::lock_guard<std::mutex> hold(seat_.world->lock());
  lane_ = std::make_unique<Lane>(*seat_.world, seat_.world->open(seat_.members, seat_.number * kKeys + kWhole));
  in_ = std::make_unique<Inbox>(*seat_.world, rank, size, [this](int from) { return pair(from, rank_); });
  weft_comm_timeout(lane_->comm(), seconds());
  in_->set_timeout(seconds());
  seat_.world->enter();
  init();
}

WeftBackend::~WeftBackend() { close(); }

// Ends all calls; then the handles are let go of.
void WeftBackend::close() {
  if (is_closed_ || seat_.world->is_inherited()) return;
  World& world = *seat_.world;
  {
    std::lock_guard<std::mutex> hold(world.lock());
    is_closed_ = true;
  }
  world.leave();
  world.drain(*in_);
  world.drain(*lane_);
  for (auto& [rank, lane] : out_) world.drain(*lane);
  {
    std::lock_guard<std::mutex> hold(world.lock());
    in_.reset();
    lane_.reset();
    out_.clear();
  }
  if (rank_ == 0 && !world.has_failed()) world.give_number(seat_.members, seat_.number);
}

void WeftBackend::shutdown() { close(); }

void WeftBackend::abort() { seat_.world->abort("the process group was aborted"); }

c10d::ErrorType WeftBackend::getError() {
  return seat_.world->has_failed() ? c10d::ErrorType::COMM_ERROR : c10d::ErrorType::SUCCESS;
}

c10::intrusive_ptr<c10d::Backend::Options> WeftBackend::getBackendOptions() {
  return c10::make_intrusive<Options>("weft", timeout_);
}

void WeftBackend::setTimeout(std::chrono::milliseconds timeout) {
  std::lock_guard<std::mutex> hold(seat_.world->lock());
  TORCH_CHECK(!is_closed_, "weft: the process group was destroyed");
  timeout_ = timeout;
  weft_comm_timeout(lane_->comm(), seconds());
  in_->set_timeout(seconds());
  for (auto& [rank, lane] : out_) weft_comm_timeout(lane->comm(), seconds());
}

// --- calls -----------------------------------------------------------------------------------------------------------

c10::intrusive_ptr<Call> WeftBackend::make(OpType type, const char* title, const Tensors& inputs, Tensors outputs,
                                           std::chrono::milliseconds timeout) {
  auto call = c10::make_intrusive<Call>(*seat_.world, rank_, type, title, inputs, ++sequence_);
  call->outputs = std::move(outputs);
  if (timeout.count() > 0) call->limit_s = static_cast<double>(timeout.count()) * 1e-3;
  return call;
}

// The group's name in diagnostics, where it has one of its own.
const weft_call_site* WeftBackend::site() {
  if (!has_site_ && !pg_desc_.empty()) {
    has_site_ = true;
    if (pg_desc_ != "undefined" && pg_desc_ != "default_pg") site_name_ = pg_desc_;
    site_.axes = site_name_.c_str();
    site_.id = seat_.number + 1;
  }
  return site_name_.empty() ? nullptr : &site_;
}

WorkPtr WeftBackend::finish(c10::intrusive_ptr<Call> call) {
  if (is_coalescing_) coalesced_.push_back(call);
  return call;
}

template <typename Start>
WorkPtr WeftBackend::run(c10::intrusive_ptr<Call> call, bool is_async, const Start& start) {
  World& world = *seat_.world;
  {
    std::lock_guard<std::mutex> hold(world.lock());
    TORCH_CHECK(!is_closed_, "weft: the process group was destroyed");
    weft_coll_request* request = nullptr;
    weft_status status = start(lane_->comm(), site(), &request);
    if (status != WEFT_OK) world.fail(status, "a call");
    call->comm = lane_->comm();
    call->requests.push_back(request);
    lane_->add(call);
    world.list(*lane_);
  }
  if (is_async) world.move();
  return finish(std::move(call));
}

void WeftBackend::startCoalescing() {
  TORCH_CHECK(!is_coalescing_, "weft: coalescing has begun before");
  is_coalescing_ = true;
}

WorkPtr WeftBackend::endCoalescing() {
  is_coalescing_ = false;
  return c10::make_intrusive<Calls>(std::exchange(coalesced_, {}));
}

void WeftBackend::check_root(int64_t root, const char* what) const {
  TORCH_CHECK_VALUE(root >= 0 && root < size_, "weft: ", what, ": no rank ", root, " in a group of ", size_);
}

// --- reductions ------------------------------------------------------------------------------------------------------

WorkPtr WeftBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& o) {
  TORCH_CHECK_VALUE(tensors.size() == 1, "weft: all_reduce takes one tensor, not ", tensors.size());
  if (tensors[0].is_sparse()) return allreduce_sparse(tensors, o);
  c10d::AllreduceCoalescedOptions same;
  same.reduceOp = o.reduceOp;
  same.timeout = o.timeout;
  same.asyncOp = o.asyncOp;
  return allreduce_coalesced(tensors, same);
}

WorkPtr WeftBackend::allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& o) {
  TORCH_CHECK_VALUE(!tensors.empty(), "weft: all_reduce requires a non-empty list of tensors");
  auto call = make(OpType::ALLREDUCE, "weft:all_reduce", tensors, tensors, o.timeout);
  std::vector<weft_coll_buf> bufs;
  weft_op_reduce op = WEFT_SUM;
  for (size_t i = 0; i < tensors.size(); i++) {
    const at::Tensor& t = tensors[i];
    check_dense(t, "all_reduce");
    op = reduction_of(o.reduceOp, t.scalar_type());
    at::Tensor both;
    if (is_scaled(o.reduceOp)) {
      both = scaled(o.reduceOp, t);
      call->landing.emplace_back(t, both);
    } else {
      both = dense_both(t, call->landing);
    }
    bufs.push_back(buf_of(both, both.data_ptr(), both.data_ptr(), both.numel()));
    call->kept.push_back(std::move(both));
  }
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** out) {
    return weft_coll_start_all_reduce(c, op, bufs.data(), static_cast<int>(bufs.size()), site, out);
  });
}

// Indices and values of all ranks, added up by rank 0's order. Blocking: how many there are decides what is sent.
WorkPtr WeftBackend::allreduce_sparse(Tensors& tensors, const c10d::AllreduceOptions& o) {
  TORCH_CHECK_VALUE(tensors.size() == 1 && tensors[0].is_sparse() && tensors[0].device().is_cpu(),
                    "weft: all_reduce of sparse tensors takes one COO tensor of the processor");
  TORCH_CHECK(o.reduceOp.op_ == c10d::ReduceOp::SUM || o.reduceOp.op_ == c10d::ReduceOp::AVG,
              "weft: sparse tensors are summed only");
  at::NoGradGuard plain;
  at::Tensor& t = tensors[0];
  auto call = make(OpType::_ALLREDUCE_SPARSE, "weft:sparse_all_reduce", {}, tensors, o.timeout);
  at::Tensor mine = t.detach().coalesce();
  at::Tensor indices = mine.indices().t().contiguous(), values = mine.values().contiguous();
  at::Tensor count = at::scalar_tensor(values.size(0), at::kLong).view({1}), counts = at::empty({size_}, at::kLong);
  c10d::AllgatherOptions gather;
  gather.asyncOp = false;
  _allgather_base(counts, count, gather)->wait();
  std::vector<Tensors> all_indices(1), all_values(1);
  for (int rank = 0; rank < size_; rank++) {
    int64_t n = counts[rank].item<int64_t>();
    auto shape = values.sizes().vec();
    shape[0] = n;
    all_indices[0].push_back(at::empty({n, indices.size(1)}, at::kLong));
    all_values[0].push_back(at::empty(shape, values.options()));
  }
  Tensors give = {indices};
  allgather(all_indices, give, gather)->wait();
  give = {values};
  allgather(all_values, give, gather)->wait();
  at::Tensor sum = at::sparse_coo_tensor(at::cat(all_indices[0]).t(), at::cat(all_values[0]), t.sizes()).coalesce();
  if (o.reduceOp.op_ == c10d::ReduceOp::AVG) sum = sum / size_;
  t.copy_(sum);
  call->conclude();
  return finish(std::move(call));
}

WorkPtr WeftBackend::reduce(Tensors& tensors, const c10d::ReduceOptions& o) {
  check_one(tensors, "reduce");
  check_root(o.rootRank, "reduce");
  weft_op_reduce op = reduction_of(o.reduceOp, tensors[0].scalar_type());
  auto call = make(OpType::REDUCE, "weft:reduce", tensors, tensors, o.timeout);
  bool is_root = o.rootRank == rank_;
  Landing unused;
  Landing& landing = is_root ? call->landing : unused;
  at::Tensor t;
  if (is_scaled(o.reduceOp)) {
    t = scaled(o.reduceOp, tensors[0]);
    landing.emplace_back(tensors[0], t);
  } else {
    t = dense_both(tensors[0], landing);
  }
  weft_coll_buf b = buf_of(t, t.data_ptr(), is_root ? t.data_ptr() : nullptr, t.numel());
  call->kept = {t};
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** out) {
    return weft_coll_start_reduce(c, op, static_cast<int>(o.rootRank), &b, 1, site, out);
  });
}

WorkPtr WeftBackend::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                    const c10d::ReduceScatterOptions& o) {
  check_one(outputs, "reduce_scatter");
  TORCH_CHECK_VALUE(inputs.size() == 1, "weft: reduce_scatter takes one list of tensors, not ", inputs.size());
  check_list(inputs[0], outputs[0], size_, "reduce_scatter");
  TORCH_CHECK_VALUE(inputs[0][static_cast<size_t>(rank_)].numel() == outputs[0].numel(),
                    "weft: reduce_scatter: this rank's input and output differ in size");
  weft_op_reduce op = reduction_of(o.reduceOp, outputs[0].scalar_type());
  auto call = make(OpType::REDUCE_SCATTER, "weft:reduce_scatter", inputs[0], outputs, o.timeout);
  Blocks in = join_inputs(inputs[0]);
  if (is_scaled(o.reduceOp)) in.whole = scaled(o.reduceOp, in.whole);
  at::Tensor out = dense_output(outputs[0], call->landing);
  call->kept = {in.whole, out};
  weft_coll_buf b = buf_of(out, in.whole.data_ptr(), out.data_ptr(), out.numel());
  std::vector<int64_t> counts = counts_of(out, in.counts);
  weft_coll_uneven u = {b.in, b.out, b.dtype, counts.data(), nullptr, nullptr, nullptr};
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** r) {
    return in.is_even ? weft_coll_start_reduce_scatter(c, op, &b, 1, site, r)
                      : weft_coll_start_reduce_scatter_uneven(c, op, &u, 1, site, r);
  });
}

WorkPtr WeftBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& o) {
  Tensors outputs = {output}, inputs = {input};
  return reduce_scatter_tensor_coalesced(outputs, inputs, o);
}

WorkPtr WeftBackend::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                     const c10d::ReduceScatterOptions& o) {
  TORCH_CHECK_VALUE(!inputs.empty() && outputs.size() == inputs.size(), "weft: reduce_scatter_tensor: ",
                    inputs.size(), " inputs for ", outputs.size(), " outputs");
  auto call = make(OpType::_REDUCE_SCATTER_BASE, "weft:reduce_scatter_tensor", inputs, outputs, o.timeout);
  std::vector<weft_coll_buf> bufs;
  weft_op_reduce op = WEFT_SUM;
  for (size_t i = 0; i < inputs.size(); i++) {
    check_size(inputs[i], outputs[i], size_, "reduce_scatter_tensor");
    op = reduction_of(o.reduceOp, inputs[i].scalar_type());
    at::Tensor in = is_scaled(o.reduceOp) ? scaled(o.reduceOp, inputs[i]) : dense_input(inputs[i]);
    at::Tensor out = dense_output(outputs[i], call->landing);
    bufs.push_back(buf_of(out, in.data_ptr(), out.data_ptr(), out.numel()));
    call->kept.push_back(std::move(in));
    call->kept.push_back(std::move(out));
  }
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** out) {
    return weft_coll_start_reduce_scatter(c, op, bufs.data(), static_cast<int>(bufs.size()), site, out);
  });
}

// --- moves -----------------------------------------------------------------------------------------------------------

WorkPtr WeftBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& o) {
  check_one(tensors, "broadcast");
  check_root(o.rootRank, "broadcast");
  auto call = make(OpType::BROADCAST, "weft:broadcast", tensors, tensors, o.timeout);
  bool is_root = o.rootRank == rank_;
  at::Tensor t = is_root ? dense_input(tensors[0]) : dense_output(tensors[0], call->landing);
  weft_coll_buf b = buf_of(t, t.data_ptr(), t.data_ptr(), t.numel());
  call->kept = {t};
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** out) {
    return weft_coll_start_broadcast(c, static_cast<int>(o.rootRank), &b, 1, site, out);
  });
}

WorkPtr WeftBackend::gather_blocks(c10::intrusive_ptr<Call> call, bool is_async, const at::Tensor& in,
                                   const Blocks& out) {
  weft_coll_buf b = buf_of(in, in.data_ptr(), out.whole.data_ptr(), in.numel());
  std::vector<int64_t> counts = counts_of(in, out.counts);
  weft_coll_uneven u = {b.in, b.out, b.dtype, nullptr, nullptr, counts.data(), nullptr};
  call->kept = {in, out.whole};
  return run(call, is_async, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** r) {
    return out.is_even ? weft_coll_start_all_gather(c, &b, 1, site, r)
                       : weft_coll_start_all_gather_uneven(c, &u, 1, site, r);
  });
}

WorkPtr WeftBackend::allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& o) {
  check_one(inputs, "all_gather");
  TORCH_CHECK_VALUE(outputs.size() == 1, "weft: all_gather takes one list of outputs, not ", outputs.size());
  check_list(outputs[0], inputs[0], size_, "all_gather");
  TORCH_CHECK_VALUE(outputs[0][static_cast<size_t>(rank_)].numel() == inputs[0].numel(),
                    "weft: all_gather: this rank's input and output differ in size");
  auto call = make(OpType::ALLGATHER, "weft:all_gather", inputs, outputs[0], o.timeout);
  Blocks out = join_outputs(outputs[0], call->landing);
  return gather_blocks(std::move(call), o.asyncOp, dense_input(inputs[0]), out);
}

WorkPtr WeftBackend::_allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& o) {
  Tensors outputs = {output}, inputs = {input};
  return allgather_into_tensor_coalesced(outputs, inputs, o);
}

WorkPtr WeftBackend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                     const c10d::AllgatherOptions& o) {
  TORCH_CHECK_VALUE(!inputs.empty() && outputs.size() == inputs.size(), "weft: all_gather_into_tensor: ",
                    inputs.size(), " inputs for ", outputs.size(), " outputs");
  auto call = make(OpType::_ALLGATHER_BASE, "weft:all_gather_into_tensor", inputs, outputs, o.timeout);
  std::vector<weft_coll_buf> bufs;
  for (size_t i = 0; i < inputs.size(); i++) {
    check_size(outputs[i], inputs[i], size_, "all_gather_into_tensor");
    at::Tensor in = dense_input(inputs[i]), out = dense_output(outputs[i], call->landing);
    bufs.push_back(buf_of(in, in.data_ptr(), out.data_ptr(), in.numel()));
    call->kept.push_back(std::move(in));
    call->kept.push_back(std::move(out));
  }
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** out) {
    return weft_coll_start_all_gather(c, bufs.data(), static_cast<int>(bufs.size()), site, out);
  });
}

// outputs[rank][i] gets that rank's i-th input.
WorkPtr WeftBackend::allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                         const c10d::AllgatherOptions& o) {
  TORCH_CHECK_VALUE(!inputs.empty(), "weft: all_gather_coalesced requires a non-empty list of tensors");
  TORCH_CHECK_VALUE(static_cast<int>(outputs.size()) == size_, "weft: all_gather_coalesced: ", outputs.size(),
                    " lists in a group of ", size_);
  Tensors flat;
  for (const Tensors& list : outputs) {
    TORCH_CHECK_VALUE(list.size() == inputs.size(), "weft: all_gather_coalesced: a list of ", list.size(),
                      " tensors for ", inputs.size(), " inputs");
    flat.insert(flat.end(), list.begin(), list.end());
  }
  auto call = make(OpType::ALLGATHER_COALESCED, "weft:all_gather", inputs, flat, o.timeout);
  std::vector<weft_coll_buf> bufs;
  for (size_t i = 0; i < inputs.size(); i++) {
    Tensors column;
    for (const Tensors& list : outputs) column.push_back(list[i]);
    check_list(column, inputs[i], size_, "all_gather_coalesced");
    check_even(column, inputs[i], "all_gather_coalesced");
    at::Tensor in = dense_input(inputs[i]);
    Blocks out = join_outputs(column, call->landing);
    bufs.push_back(buf_of(in, in.data_ptr(), out.whole.data_ptr(), in.numel()));
    call->kept.push_back(std::move(in));
    call->kept.push_back(std::move(out.whole));
  }
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** out) {
    return weft_coll_start_all_gather(c, bufs.data(), static_cast<int>(bufs.size()), site, out);
  });
}

WorkPtr WeftBackend::gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& o) {
  check_one(inputs, "gather");
  check_root(o.rootRank, "gather");
  bool is_root = o.rootRank == rank_;
  TORCH_CHECK_VALUE(outputs.size() == (is_root ? 1u : 0u) || (!is_root && outputs.size() == 1 && outputs[0].empty()),
                    "weft: gather: the root, and no other rank, has one list of outputs");
  auto call = make(OpType::GATHER, "weft:gather", inputs, is_root ? outputs[0] : Tensors{}, o.timeout);
  at::Tensor in = dense_input(inputs[0]);
  call->kept = {in};
  void* to = nullptr;
  if (is_root) {
    check_list(outputs[0], inputs[0], size_, "gather");
    check_even(outputs[0], inputs[0], "gather");
    Blocks out = join_outputs(outputs[0], call->landing);
    to = out.whole.data_ptr();
    call->kept.push_back(std::move(out.whole));
  }
  weft_coll_buf b = buf_of(in, in.data_ptr(), to, in.numel());
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** out) {
    return weft_coll_start_gather(c, static_cast<int>(o.rootRank), &b, 1, site, out);
  });
}

WorkPtr WeftBackend::scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& o) {
  check_one(outputs, "scatter");
  check_root(o.rootRank, "scatter");
  bool is_root = o.rootRank == rank_;
  TORCH_CHECK_VALUE(inputs.size() == (is_root ? 1u : 0u) || (!is_root && inputs.size() == 1 && inputs[0].empty()),
                    "weft: scatter: the root, and no other rank, has one list of inputs");
  auto call = make(OpType::SCATTER, "weft:scatter", is_root ? inputs[0] : Tensors{}, outputs, o.timeout);
  at::Tensor out = dense_output(outputs[0], call->landing);
  call->kept = {out};
  const void* from = nullptr;
  if (is_root) {
    check_list(inputs[0], outputs[0], size_, "scatter");
    check_even(inputs[0], outputs[0], "scatter");
    Blocks in = join_inputs(inputs[0]);
    from = in.whole.data_ptr();
    call->kept.push_back(std::move(in.whole));
  }
  weft_coll_buf b = buf_of(out, from, out.data_ptr(), out.numel());
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** r) {
    return weft_coll_start_scatter(c, static_cast<int>(o.rootRank), &b, 1, site, r);
  });
}

// Rows of the first dimension as counts of elements.
static std::vector<int64_t> row_counts(const at::Tensor& t, const std::vector<int64_t>& splits, int size) {
  int64_t rows = t.dim() ? t.size(0) : 1, row = rows ? t.numel() / rows : 1;
  std::vector<int64_t> counts(static_cast<size_t>(size), rows / size * row);
  for (size_t i = 0; i < splits.size(); i++) counts[i] = splits[i] * row;
  return counts;
}

WorkPtr WeftBackend::alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                                   std::vector<int64_t>& input_splits, const c10d::AllToAllOptions& o) {
  check_dense(output, "all_to_all_single");
  check_dense(input, "all_to_all_single");
  TORCH_CHECK_VALUE(output.scalar_type() == input.scalar_type(), "weft: all_to_all_single: tensors of ",
                    output.scalar_type(), " and ", input.scalar_type());
  c10d::checkSplitSizes(input_splits, input, size_);
  c10d::checkSplitSizes(output_splits, output, size_);
  bool is_even = input_splits.empty() && output_splits.empty();
  TORCH_CHECK_VALUE(!is_even || input.numel() == output.numel(),
                    "weft: all_to_all_single: input and output differ in size");
  auto call = make(OpType::ALLTOALL_BASE, "weft:all_to_all", {input}, {output}, o.timeout);
  at::Tensor in = dense_input(input), out = dense_output(output, call->landing);
  call->kept = {in, out};
  weft_coll_buf b = buf_of(in, in.data_ptr(), out.data_ptr(), in.numel() / size_);
  std::vector<int64_t> give = counts_of(in, row_counts(in, input_splits, size_)),
                       get = counts_of(out, row_counts(out, output_splits, size_));
  weft_coll_uneven u = {b.in, b.out, b.dtype, give.data(), nullptr, get.data(), nullptr};
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** r) {
    return is_even ? weft_coll_start_all_to_all(c, 1, &b, 1, site, r)
                   : weft_coll_start_all_to_all_uneven(c, &u, 1, site, r);
  });
}

WorkPtr WeftBackend::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& o) {
  TORCH_CHECK_VALUE(static_cast<int>(inputs.size()) == size_ && static_cast<int>(outputs.size()) == size_,
                    "weft: all_to_all: lists of ", inputs.size(), " and ", outputs.size(), " tensors in a group of ",
                    size_);
  check_alike(inputs, "all_to_all");
  check_list(outputs, inputs[0], size_, "all_to_all");
  auto call = make(OpType::ALLTOALL, "weft:all_to_all", inputs, outputs, o.timeout);
  Blocks in = join_inputs(inputs), out = join_outputs(outputs, call->landing);
  call->kept = {in.whole, out.whole};
  Elements type = elements_of(in.whole, 0);
  std::vector<int64_t> give = counts_of(in.whole, in.counts), get = counts_of(out.whole, out.counts);
  weft_coll_uneven u = {in.whole.data_ptr(), out.whole.data_ptr(), type.dtype, give.data(), nullptr,
                        get.data(),          nullptr};
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** r) {
    return weft_coll_start_all_to_all_uneven(c, &u, 1, site, r);
  });
}

// --- messages --------------------------------------------------------------------------------------------------------

weft_comm* WeftBackend::pair(int from, int to) {
  int low = std::min(from, to), high = std::max(from, to);
  return seat_.world->open({seat_.members[static_cast<size_t>(low)], seat_.members[static_cast<size_t>(high)]},
                           seat_.number * kKeys + (from < to ? kUp : kDown));
}

Lane& WeftBackend::way_to(int rank) {
  std::unique_ptr<Lane>& lane = out_[rank];
  if (!lane) {
    lane = std::make_unique<Lane>(*seat_.world, pair(rank_, rank));
    weft_comm_timeout(lane->comm(), seconds());
  }
  return *lane;
}

WorkPtr WeftBackend::send(Tensors& tensors, int to, int tag) {
  check_one(tensors, "send");
  check_root(to, "send");
  TORCH_CHECK_VALUE(to != rank_, "weft: send: rank ", to, " sends to itself");
  auto call = make(OpType::SEND, "weft:send", tensors, {}, c10d::kUnsetTimeout);
  at::Tensor t = dense_input(tensors[0]);
  int64_t bytes = static_cast<int64_t>(t.nbytes());
  at::Tensor head = at::empty({static_cast<int64_t>(sizeof(Head))}, at::kByte);
  auto* h = static_cast<Head*>(head.data_ptr());
  h->tag = tag;
  h->bytes = bytes;
  bool is_whole = bytes <= static_cast<int64_t>(Head::kRoom);
  if (is_whole && bytes) memcpy(h->first, t.data_ptr(), static_cast<size_t>(bytes));
  weft_coll_buf bufs[] = {buf_of(head, h, h, head.numel()), {}};
  bufs[1].in = bufs[1].out = t.data_ptr();
  bufs[1].dtype = bufs[0].dtype;
  bufs[1].inner = bytes;
  call->kept = {head, t};
  World& world = *seat_.world;
  {
    std::lock_guard<std::mutex> hold(world.lock());
    TORCH_CHECK(!is_closed_, "weft: the process group was destroyed");
    Lane& lane = way_to(to);
    call->comm = lane.comm();
    for (int i = 0; i < (is_whole ? 1 : 2); i++) {
      weft_coll_request* request = nullptr;
      weft_status status =
          weft_coll_start_broadcast(lane.comm(), weft_comm_rank(lane.comm()), &bufs[i], 1, nullptr, &request);
      if (status != WEFT_OK && i == 0) world.fail(status, "send");
      if (status != WEFT_OK) call->why = world.reason(status);
      else call->requests.push_back(request);
    }
    lane.add(call);
    world.list(lane);
  }
  world.move();
  return finish(std::move(call));
}

WorkPtr WeftBackend::receive(Tensors& tensors, int from, int tag, OpType type) {
  check_one(tensors, "recv");
  auto call = make(type, from < 0 ? "weft:recvAnySource" : "weft:recv", tensors, tensors, c10d::kUnsetTimeout);
  at::Tensor t = dense_output(tensors[0], call->landing);
  call->kept = {t};
  World& world = *seat_.world;
  {
    std::lock_guard<std::mutex> hold(world.lock());
    TORCH_CHECK(!is_closed_, "weft: the process group was destroyed");
    in_->post(call, t.data_ptr(), static_cast<int64_t>(t.nbytes()), from, tag, seconds());
  }
  world.move();
  return finish(std::move(call));
}

WorkPtr WeftBackend::recv(Tensors& tensors, int from, int tag) {
  check_root(from, "recv");
  TORCH_CHECK_VALUE(from != rank_, "weft: recv: rank ", from, " receives from itself");
  return receive(tensors, from, tag, OpType::RECV);
}

WorkPtr WeftBackend::recvAnysource(Tensors& tensors, int tag) {
  TORCH_CHECK_VALUE(size_ > 1, "weft: recv from any rank in a group of one");
  return receive(tensors, -1, tag, OpType::RECVANYSOURCE);
}

// --- barriers --------------------------------------------------------------------------------------------------------

WorkPtr WeftBackend::barrier(const c10d::BarrierOptions& o) {
  auto call = make(OpType::BARRIER, "weft:barrier", {}, {}, o.timeout);
  return run(call, o.asyncOp, [&](weft_comm* c, const weft_call_site* site, weft_coll_request** out) {
    return weft_coll_start_barrier(c, site, out);
  });
}

static std::string list_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() > 1 ? "Ranks " : "Rank ";
  for (size_t i = 0; i < ranks.size(); i++) text += (i ? ", " : "") + std::to_string(ranks[i]);
  return text;
}

// Through the store, so that a rank that does not come fails this call and not the world: each rank tells rank 0 that
// it is here, rank 0 tells all how it went.
void WeftBackend::monitoredBarrier(const c10d::BarrierOptions& o, bool all_ranks) {
  using clock = std::chrono::steady_clock;
  auto timeout = o.timeout.count() >= 0 ? o.timeout : timeout_;
  auto end = clock::now() + timeout;
  auto left = [&] {
    auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now());
    return std::max(ms, std::chrono::milliseconds(1));
  };
  std::string at = c10::str("monitored/", barriers_++, "/"), go = at + "go";
  if (rank_ != 0) {
    store_->set(at + std::to_string(rank_), "here");
    std::string how;
    try {
      // rank 0 decides; it needs a moment to say so
      store_->wait({go}, left() + std::chrono::milliseconds(2000));
      how = store_->get_to_str(go);
    } catch (const std::exception&) {
      how = c10::str("Rank 0 failed to pass monitoredBarrier in ", timeout.count(), " ms");
    }
    TORCH_CHECK_WITH(DistBackendError, how == "ok", "weft: [Rank ", rank_, "]: ", how);
    return;
  }
  std::vector<int> missing;
  bool has_no_time = timeout.count() == 0;
  for (int rank = 1; rank < size_ && !has_no_time && (all_ranks || missing.empty()); rank++) {
    try {
      store_->wait({at + std::to_string(rank)}, left());
    } catch (const std::exception&) {
      missing.push_back(rank);
    }
  }
  std::string how = "ok";
  if (has_no_time) how = "Rank 0 timed out in monitoredBarrier: its time-out is 0";
  else if (!missing.empty())
    how = c10::str(list_of(missing), " failed to pass monitoredBarrier in ", timeout.count(), " ms");
  store_->set(go, how);
  TORCH_CHECK_WITH(DistBackendError, how == "ok", "weft: [Rank 0]: ", how);
}

}  // namespace weft_torch
