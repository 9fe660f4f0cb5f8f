 module attributes {a = [1, -2 : i8, 1.5, "s\0A", @f::@g, true, unit, {b, c = {}}, array<i64: 1>, affine_map<(d0) -> (d0)>, #stablehlo<precision HIGH>, tensor<?xf32>, (i1) -> (), tuple<i1, tuple<>>]} {
}
