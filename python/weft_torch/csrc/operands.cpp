// operands.cpp: see operands.h.
#include "operands.h"

namespace weft_torch {

namespace {

const char* name_of(at::ScalarType type) {
  switch (type) {
    case at::kBool: return "i1";
    case at::kByte: return "ui8";
    case at::kChar: return "i8";
    case at::kShort: return "i16";
    case at::kInt: return "i32";
    case at::kLong: return "i64";
    case at::kUInt16: return "ui16";
    case at::kUInt32: return "ui32";
    case at::kUInt64: return "ui64";
    case at::kHalf: return "f16";
    case at::kBFloat16: return "bf16";
    case at::kFloat: return "f32";
    case at::kDouble: return "f64";
    case at::kComplexFloat: return "complex<f32>";
    case at::kComplexDouble: return "complex<f64>";
    case at::kFloat8_e4m3fn: return "f8E4M3FN";
    case at::kFloat8_e4m3fnuz: return "f8E4M3FNUZ";
    case at::kFloat8_e5m2: return "f8E5M2";
    case at::kFloat8_e5m2fnuz: return "f8E5M2FNUZ";
    case at::kFloat8_e8m0fnu: return "f8E8M0FNU";
    default: return nullptr;
  }
}

constexpr size_t kTypes = static_cast<size_t>(at::ScalarType::NumOptions);

// By torch's number; 0: none.
const std::vector<weft_coll_dtype>& types() {
  static const std::vector<weft_coll_dtype> table = [] {
    std::vector<weft_coll_dtype> t(kTypes, 0);
    for (size_t i = 0; i < kTypes; i++)
      if (const char* name = name_of(static_cast<at::ScalarType>(i))) t[i] = weft_coll_type(name);
    return t;
  }();
  return table;
}

weft_coll_dtype type_of(at::ScalarType type) {
  size_t i = static_cast<size_t>(type);
  return i < kTypes ? types()[i] : 0;
}

const char* op_name(c10d::ReduceOp::RedOpType op) {
  static const char* const names[] = {"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "PREMUL_SUM"};
  return op < sizeof names / sizeof *names ? names[op] : "an unknown operation";
}

bool is_plain(const at::Tensor& t) { return t.is_contiguous() && !t.is_conj() && !t.is_neg(); }

}  // namespace

Elements elements_of(const at::Tensor& t, int64_t count) {
  if (weft_coll_dtype dtype = type_of(t.scalar_type())) return {dtype, count};
  static const weft_coll_dtype byte = weft_coll_type("ui8");
  return {byte, count * static_cast<int64_t>(t.element_size())};
}

bool is_scaled(const c10d::ReduceOp& op) { return op.op_ == c10d::ReduceOp::PREMUL_SUM; }

weft_op_reduce reduction_of(const c10d::ReduceOp& op, at::ScalarType type) {
  using Op = c10d::ReduceOp;
  bool is_float = at::isFloatingType(type), is_complex = at::isComplexType(type);
  bool is_known = type_of(type) != 0;
  switch (op.op_) {
    case Op::SUM:
    case Op::PREMUL_SUM: if (is_known) return WEFT_SUM; break;
    case Op::AVG: if (is_known && type != at::kBool) return WEFT_MEAN; break;
    case Op::PRODUCT: if (is_known) return WEFT_PRODUCT; break;
    case Op::MIN: if (is_known && !is_complex) return WEFT_MIN; break;
    case Op::MAX: if (is_known && !is_complex) return WEFT_MAX; break;
    case Op::BAND: if (is_known && !is_float && !is_complex) return WEFT_AND; break;
    case Op::BOR: if (is_known && !is_float && !is_complex) return WEFT_OR; break;
    case Op::BXOR: if (is_known && !is_float && !is_complex) return WEFT_XOR; break;
    default: break;
  }
  TORCH_CHECK(false, "weft: ReduceOp.", op_name(op.op_), " has no meaning for ", c10::toString(type));
}

at::Tensor scaled(const c10d::ReduceOp& op, const at::Tensor& t) {
  auto* by = dynamic_cast<c10d::PreMulSumSupplement*>(op.supplement_.get());
  TORCH_CHECK(by, "weft: ReduceOp.PREMUL_SUM without a factor");
  at::NoGradGuard plain;
  TORCH_CHECK(at::isFloatingType(t.scalar_type()), "weft: ReduceOp.PREMUL_SUM is for floating-point tensors");
  at::Tensor product = by->tensor_factor.defined() ? t.detach() * by->tensor_factor.to(t.scalar_type())
                                                   : t.detach() * by->double_factor;
  return product.contiguous();
}

void check_dense(const at::Tensor& t, const char* what) {
  TORCH_CHECK_VALUE(t.defined(), "weft: ", what, ": an undefined tensor");
  TORCH_CHECK_VALUE(t.layout() == at::kStrided, "weft: ", what, " takes dense tensors, not ", t.layout());
  TORCH_CHECK_VALUE(t.device().is_cpu(), "weft: ", what, " takes tensors of the processor, not of ", t.device());
}

void check_alike(const std::vector<at::Tensor>& tensors, const char* what) {
  TORCH_CHECK_VALUE(!tensors.empty(), "weft: ", what, " requires a non-empty list of tensors");
  for (const at::Tensor& t : tensors) {
    check_dense(t, what);
    TORCH_CHECK_VALUE(t.scalar_type() == tensors[0].scalar_type(), "weft: ", what, ": tensors of ",
                      tensors[0].scalar_type(), " and ", t.scalar_type());
  }
}

at::Tensor dense_input(const at::Tensor& t) {
  if (is_plain(t)) return t;
  at::NoGradGuard plain;
  return t.detach().resolve_conj().resolve_neg().contiguous();
}

at::Tensor dense_output(const at::Tensor& t, Landing& landing) {
  if (is_plain(t)) return t;
  at::NoGradGuard plain;
  at::Tensor copy = at::empty(t.sizes(), t.options().requires_grad(false));
  landing.emplace_back(t, copy);
  return copy;
}

at::Tensor dense_both(const at::Tensor& t, Landing& landing) {
  if (is_plain(t)) return t;
  at::Tensor copy = dense_input(t);
  landing.emplace_back(t, copy);
  return copy;
}

// Whether the tensors lie one after the other in memory that they share.
static bool are_adjacent(const std::vector<at::Tensor>& tensors) {
  const char* next = static_cast<const char*>(tensors[0].data_ptr());
  for (const at::Tensor& t : tensors) {
    if (!is_plain(t) || !t.is_alias_of(tensors[0]) || t.data_ptr() != next) return false;
    next += t.nbytes();
  }
  return true;
}

static Blocks count(const std::vector<at::Tensor>& tensors) {
  Blocks b;
  b.is_even = true;
  for (const at::Tensor& t : tensors) {
    b.counts.push_back(t.numel());
    b.is_even &= t.numel() == b.counts[0];
  }
  return b;
}

static int64_t sum(const std::vector<int64_t>& counts) {
  int64_t n = 0;
  for (int64_t c : counts) n += c;
  return n;
}

static at::Tensor as_one(const at::Tensor& first, int64_t n) {
  return first.detach().as_strided({n}, {1}, first.storage_offset());
}

// The tensors' elements as one tensor: their own memory, if they are adjacent; else new memory, of which each gets the
// part of a tensor.
template <typename Each>
static Blocks join(const std::vector<at::Tensor>& tensors, const Each& each) {
  Blocks b = count(tensors);
  at::NoGradGuard plain;
  if (are_adjacent(tensors)) {
    b.whole = as_one(tensors[0], sum(b.counts));
    return b;
  }
  b.whole = at::empty({sum(b.counts)}, tensors[0].options().requires_grad(false));
  int64_t at = 0;
  for (const at::Tensor& t : tensors) {
    each(t, b.whole.narrow(0, at, t.numel()).view(t.sizes()));
    at += t.numel();
  }
  return b;
}

Blocks join_inputs(const std::vector<at::Tensor>& tensors) {
  return join(tensors, [](const at::Tensor& t, const at::Tensor& part) { part.copy_(t); });
}

Blocks join_outputs(const std::vector<at::Tensor>& tensors, Landing& landing) {
  return join(tensors, [&](const at::Tensor& t, const at::Tensor& part) { landing.emplace_back(t, part); });
}

}  // namespace weft_torch
