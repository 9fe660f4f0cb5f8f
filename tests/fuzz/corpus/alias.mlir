 #x = 3 : i8
!t = tensor<2xf32>
module attributes {a = [#x, !t]} {
  func.func private @f(!t loc(#late)) -> !t loc("n"("f.py":1:2))
}
#late = loc(fused["a", callsite("b" at unknown)])
