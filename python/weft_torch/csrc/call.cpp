// call.cpp: see call.h.
#include "call.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include "mail.h"
#include "world.h"

namespace weft_torch {

using Future = c10::ivalue::Future;

thread_local Running current_callback;

static c10::TypePtr tensors() { return c10::ListType::create(c10::TensorType::get()); }

// A call that failed to start is let go of unconcluded; it has no request then.
Call::~Call() = default;

std::exception_ptr Call::error() const {
  if (why.empty()) return nullptr;
  return std::make_exception_ptr(c10::DistBackendError({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, why));
}

void Call::conclude() {
  if (settle()) announce();
}

bool Call::settle() {
  std::exception_ptr failed = error();
  if (!failed) try {
      at::NoGradGuard plain;
      at::AutoDispatchBelowADInplaceOrView below;
      for (auto& [to, from] : landing) to.copy_(from);
    } catch (...) {
      failed = std::current_exception();
    }
  landing.clear();
  kept.clear();
  finish(failed);
  std::lock_guard<std::mutex> hold(future_lock_);
  concluded_.store(true, std::memory_order_release);
  awaited_ = future_;
  awaited_result_ = result_;
  return awaited_ || awaited_result_;
}

void Call::announce() {
  std::exception_ptr failed = exception();
  auto future = std::move(awaited_), result = std::move(awaited_result_);
  Running outer = std::exchange(current_callback, std::make_shared<std::atomic<bool>>(true));
  if (future && failed) future->setError(failed);
  else if (future) future->markCompleted(c10::IValue(outputs));
  if (result) result->markCompleted(static_cast<int64_t>(failed ? c10d::WorkResult::COMM_ERROR : c10d::WorkResult::SUCCESS));
  current_callback->store(false, std::memory_order_release);
  current_callback = std::move(outer);
}

bool Call::isCompleted() {
  if (!is_concluded()) world_->poll();
  return is_concluded();
}

bool Call::wait(std::chrono::milliseconds timeout) {
  double limit = timeout.count() > 0 ? static_cast<double>(timeout.count()) * 1e-3 : 0;
  if (limit_s > 0 && (limit == 0 || limit_s < limit)) limit = limit_s;
  if (!is_concluded()) world_->await(*this, limit);
  if (std::exception_ptr failed = exception()) std::rethrow_exception(failed);
  return true;
}

c10::intrusive_ptr<Future> Call::getFuture() {
  std::lock_guard<std::mutex> hold(future_lock_);
  if (future_) return future_;
  future_ = c10::make_intrusive<Future>(tensors());
  if (!is_concluded()) return future_;
  if (std::exception_ptr failed = exception()) future_->setError(failed);
  else future_->markCompleted(c10::IValue(outputs));
  return future_;
}

c10::intrusive_ptr<Future> Call::getFutureResult() {
  std::lock_guard<std::mutex> hold(future_lock_);
  if (result_) return result_;
  result_ = c10::make_intrusive<Future>(c10::IntType::get());
  if (is_concluded())
    result_->markCompleted(static_cast<int64_t>(exception() ? c10d::WorkResult::COMM_ERROR : c10d::WorkResult::SUCCESS));
  return result_;
}

bool Calls::isCompleted() {
  for (auto& call : calls_)
    if (!call->isCompleted()) return false;
  return true;
}

std::exception_ptr Calls::exception() const {
  for (auto& call : calls_)
    if (std::exception_ptr failed = call->exception()) return failed;
  return nullptr;
}

bool Calls::isSuccess() const { return !exception(); }

bool Calls::wait(std::chrono::milliseconds timeout) {
  for (auto& call : calls_) call->wait(timeout);
  return true;
}

std::vector<at::Tensor> Calls::result() {
  std::vector<at::Tensor> all;
  for (auto& call : calls_) all.insert(all.end(), call->outputs.begin(), call->outputs.end());
  return all;
}

c10::intrusive_ptr<Future> Calls::getFuture() {
  c10::List<c10::intrusive_ptr<Future>> each(c10::FutureType::create(tensors()));
  for (auto& call : calls_) each.push_back(call->getFuture());
  auto all = c10::make_intrusive<Future>(tensors());
  auto outputs = result();
  c10::collectAll(each)->addCallback([all, outputs](Future& done) {
    for (const c10::IValue& one : done.value().toList())
      if (one.toFuture()->hasError()) return all->setError(one.toFuture()->exception_ptr());
    all->markCompleted(c10::IValue(outputs));
  });
  return all;
}

}  // namespace weft_torch
