# branches.awk: a random program with collectives in branches and loops: awk -v seed=N -f branches.awk. Cases stand in cases, in loops and
# around loops; their indices come from arguments, or are constants.
function below(n) { return int(rand() * n) }
function put(text) { printf "%*s%s\n", indent, "", text }
function fresh() { return "%v" (++names) }

# Sums over the sharded dimension, of one of two sizes: an all_reduce.
function reduced(v,    all, s, b, r, t) {
    all = below(3) == 0
    t = all ? "tensor<f32>" : "tensor<4xf32>"
    s = fresh(); b = fresh(); r = fresh()
    put(s " = stablehlo.reduce(" v " init: %z) applies stablehlo.add across dimensions = [" (all ? "0, 1" : "0") "] : (" T ", tensor<f32>) -> " t)
    put(b " = stablehlo.broadcast_in_dim " s ", dims = [" (all ? "" : "1") "] : (" t ") -> " T)
    put(r " = stablehlo.subtract " v ", " b " : " T)
    return r
}
function index_of(n,    c, k) {
    if (below(4) == 0) {
        k = fresh()
        put(k " = stablehlo.constant dense<" (below(n + 2) - 1) "> : tensor<i32>")
        return k
    }
    c = fresh(); k = fresh()
    put(c " = stablehlo.constant dense<" n "> : tensor<i32>")
    put(k " = stablehlo.remainder %i" below(4) ", " c " : tensor<i32>")
    return k
}
function region(v, depth,    r) {
    indent += 2
    r = body(v, depth)
    put("stablehlo.return " r " : " T)
    indent -= 2
}
function cases(v, depth,    n, k, r, b) {
    n = 1 + below(3)
    k = index_of(n); r = fresh()
    put(r " = \"stablehlo.case\"(" k ") ({")
    for (b = 0; b < n; b++) {
        region(v, depth - 1)
        put(b + 1 < n ? "}, {" : "}) : (tensor<i32>) -> " T)
    }
    return r
}
function either(v, depth,    k, c, p, r) {
    k = index_of(2); c = fresh(); p = fresh(); r = fresh()
    put(c " = stablehlo.constant dense<1> : tensor<i32>")
    put(p " = stablehlo.compare EQ, " k ", " c " : (tensor<i32>, tensor<i32>) -> tensor<i1>")
    put(r " = \"stablehlo.if\"(" p ") ({")
    region(v, depth - 1)
    put("}, {")
    region(v, depth - 1)
    put("}) : (tensor<i1>) -> " T)
    return r
}
function loop(v, depth,    n, p, r, it, x, y, then) {
    n = 1 + below(3)
    r = fresh(); it = fresh(); x = fresh(); p = fresh(); then = fresh()
    put(r ":2 = stablehlo.while(" it " = %zero, " x " = " v ") : tensor<i32>, " T)
    put("cond {")
    put("  " p "_n = stablehlo.constant dense<" n "> : tensor<i32>")
    put("  " p " = stablehlo.compare LT, " it ", " p "_n : (tensor<i32>, tensor<i32>) -> tensor<i1>")
    put("  stablehlo.return " p " : tensor<i1>")
    put("} do {")
    indent += 2
    y = body(x, depth - 1)
    put(then " = stablehlo.add " it ", %one : tensor<i32>")
    put("stablehlo.return " then ", " y " : tensor<i32>, " T)
    indent -= 2
    put("}")
    return r "#1"
}
function body(v, depth,    n, k, what, r) {
    n = 1 + below(3)
    for (k = 0; k < n; k++) {
        what = below(depth > 0 ? 6 : 2)
        if (what == 0) { r = fresh(); put(r " = stablehlo.tanh " v " : " T); v = r }
        else if (what == 1) v = reduced(v)
        else if (what == 2 || what == 3) v = cases(v, depth)
        else if (what == 4) v = either(v, depth)
        else v = loop(v, depth)
    }
    return v
}
BEGIN {
    srand(seed)
    T = "tensor<8x4xf32>"
    print "module @m {\n  sdy.mesh @mesh = <[\"x\"=2]>"
    print "  func.func public @main(%a: " T " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %i0: tensor<i32>, %i1: tensor<i32>, %i2: tensor<i32>, %i3: tensor<i32>) -> " T " {"
    indent = 4
    put("%z = stablehlo.constant dense<0.0> : tensor<f32>")
    put("%zero = stablehlo.constant dense<0> : tensor<i32>")
    put("%one = stablehlo.constant dense<1> : tensor<i32>")
    put("%first = stablehlo.negate %a : " T)
    put("return " body("%first", 3) " : " T)
    print "  }\n}"
}
