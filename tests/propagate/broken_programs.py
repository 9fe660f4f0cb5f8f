"""Programs with a mistake in what they say of shardings, at random: a few that are right, changed in one or two places by the table below.

program(seed): most are wrong; what is still right is a case too.
"""
import random
import re

import mixed_programs
import op_programs

MESH = 'sdy.mesh @mesh = <["a"=2, "b"=4, "c"=6]>\nsdy.mesh @same = <["a"=2, "b"=4, "c"=6]>\nsdy.mesh @turned = <["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>\n'
T = 'tensor<24x24xf32>'


def collective(name, axes, before, after, more=''):
    return MESH + '''func.func @main(%%x: %s {sdy.sharding = #sdy.sharding<@mesh, %s>}) -> %s {
  %%0 = sdy.%s %s %%x out_sharding=<@mesh, %s>%s : %s
  return %%0 : %s
}
''' % (T, before, T, name, axes, after, more, T, T)


PROGRAMS = [
    collective('all_gather', '[{"b"}, {}]', '[{"a", "b"}, {"c"}]', '[{"a"}, {"c"}]'),
    collective('all_gather', '[{}, {"c":(2)3}]', '[{"b"}, {"c"}]', '[{"b"}, {"c":(1)2}]'),
    collective('all_slice', '[{"b"}, {}]', '[{"a"}, {"c"}]', '[{"a", "b"}, {"c"}]'),
    collective('all_to_all', '[{"b"}: 0->1]', '[{"a", "b"}, {"c"}]', '[{"a"}, {"c", "b"}]'),
    collective('all_to_all', '[{"b":(2)2}: 0->1]', '[{"b"}, {"c"}]', '[{"b":(1)2}, {"c", "b":(2)2}]'),
    collective('all_reduce', '{"a", "b"}', '[{}, {"c"}]', '[{}, {"c"}]'),
    collective('reduce_scatter', '[{"b"}, {}]', '[{"a"}, {"c"}]', '[{"a", "b"}, {"c"}]'),
    MESH + '''func.func @main(%%x: %s {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> %s {
  %%0 = sdy.collective_permute %%x out_sharding=<@mesh, [{"b":(1)2}, {"c"}]> : %s
  return %%0 : %s
}
''' % (T, T, T, T),
    MESH + '''func.func @main(%%x: %s {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}p1, {?}], replicated={"c"}>}, %%y: %s) -> (%s {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}, {"c":(2)3}], unreduced={"a"}>}) {
  %%0 = stablehlo.add %%x, %%y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}], unreduced={"c"}>]>} : %s
  %%1 = sdy.sharding_constraint %%0 <@mesh, [{"a", ?}, {?}], replicated={"b":(1)2, "c"}> : %s
  %%2 = sdy.reshard %%1 <@mesh, [{"a"}, {}]> : %s
  %%3 = sdy.propagation_barrier %%2 allowed_direction=FORWARD : %s
  sdy.sharding_group %%3 group_id=3 : %s
  return %%3 : %s
}
''' % ((T,) * 9),
    MESH + '''func.func @main(%%x: %s, %%y: %s) -> (%s, %s) {
  %%0:2 = sdy.manual_computation(%%x, %%y) in_shardings=[<@mesh, [{"a", "b"}, {?}]>, <@mesh, [{}, {"a", ?}], replicated={"c"}>] out_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{}, {"a"}]>] manual_axes={"a"} (%%u: tensor<12x24xf32>, %%v: tensor<24x12xf32>) {
    %%1 = stablehlo.tanh %%u {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : tensor<12x24xf32>
    %%2 = sdy.manual_computation(%%v) in_shardings=[<@mesh, [{"b"}, {"c":(1)3}]>] out_shardings=[<@mesh, [{"b"}, {}]>] manual_axes={"b"} (%%w: tensor<6x12xf32>) {
      sdy.return %%w : tensor<6x12xf32>
    } : (tensor<24x12xf32>) -> tensor<24x12xf32>
    sdy.return %%1, %%2 : tensor<12x24xf32>, tensor<24x12xf32>
  } : (%s, %s) -> (%s, %s)
  return %%0#0, %%0#1 : %s, %s
}
''' % ((T,) * 10),
    MESH + '''func.func @main(%%x: %s, %%y: %s) -> (%s, %s) {
  %%0:2 = sdy.named_computation<"part">(%%x, %%y) in_shardings=[<@mesh, [{"a"}, {?}]>, <@mesh, [{}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{}, {}]>] (%%u: %s, %%v: %s) {
    %%1 = stablehlo.add %%u, %%v : %s
    sdy.return %%1, %%v : %s, %s
  } : (%s, %s) -> (%s, %s)
  %%2 = sdy.data_flow_edge %%0#0 sharding=<@mesh, [{"a"}, {?}]> : %s
  %%3 = sdy.data_flow_edge %%0#1 : %s
  return %%2, %%3 : %s, %s
}
''' % ((T,) * 17),
    MESH + '''func.func @main(%%x: %s, %%y: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %%0 = stablehlo.custom_call @foo(%%x, %%y) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk], [jk, l])->([i, l]) {i=24, j=4, k=6, l=8} reduction={j, k} blocked_propagation={l}, custom>} : (%s, tensor<24x8xf32>) -> tensor<24x8xf32>
  %%1 = stablehlo.custom_call @foo(%%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=24, j=8} need_replication={i} permutation={j}, custom>} : (tensor<24x8xf32>) -> tensor<24x8xf32>
  return %%1 : tensor<24x8xf32>
}
''' % (T, T),
    MESH + '''func.func @main(%%x: %s {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> %s {
  %%c = stablehlo.constant dense<0> : tensor<i32>
  %%0:2 = stablehlo.while(%%i = %%c, %%v = %%x) : tensor<i32>, %s attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"a"}, {}]>]>} cond {
    %%p = stablehlo.compare LT, %%i, %%c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%p : tensor<i1>
  } do {
    stablehlo.return %%i, %%v : tensor<i32>, %s
  }
  %%1 = call @f(%%0#1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (%s) -> %s
  return %%1 : %s
}
func.func private @f(%%x: %s {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) -> %s {
  %%0 = sdy.func_data_flow_edge %%x : %s
  return %%0 : %s
}
''' % ((T,) * 11),
]

# What is looked for, and what stands there instead: one of these, in which \\g<0> is what was there.
CHANGES = [
    (r'"[a-f]"(?=[,}:\]])', ['"a"', '"b"', '"c"', '"q"', '"a", "b"', '"b":(1)2', '"b":(2)2', '"c":(1)2', '"c":(2)3', '"c":(1)4', '"b":(1)1', '"b":(1)4', '"b":(0)2', '"b":(3)2',
                             '"b":(1)2, "b":(2)2', r'\g<0>, \g<0>']),
    (r'\(\d\)\d', ['(1)2', '(2)2', '(1)3', '(2)3', '(1)6', '(3)2', '(1)1', '(0)2', '(2)1', '(4)2']),
    (r'\{(\?|"[^{}]*)?\}', ['{}', '{?}', '{"a"}', '{"b", ?}', '{"a", "b"}', '{"b", "a"}', '{}p1', '{?}p0', '{"c"}p2', r'\g<0>, {}', '{"c":(1)2}', '{"c":(2)3, ?}']),
    (r'[<]@(mesh|same|turned)', ['<@mesh', '<@same', '<@turned', '<@nowhere', '<@main', '<mesh<["a"=2]>', '<mesh<["a"=2, "b"=4, "c"=6]>', '<mesh<[], device_ids=[0]>', '<mesh<[]>']),
    (r', \{[^{}]*\}\]', [']', ', {}, {}]']),
    (r'\[\{[^\[\]]*\}\]>', ['[]>', '[{}]>', '[{"a"}, {"a"}]>', '[{}, {}], replicated={"a"}>', '[{}, {}], replicated={"b", "a"}>', '[{}, {}], unreduced={"c", "b"}>', '[{}, {"b"}], unreduced={"b"}>',
                            '[{"b"}, {}], replicated={"b":(1)2}>', '[{}, {}], unreduced=max{"a"}>', '[{"a"}, {}], unreduced={"b"}>']),
    (r'="?\d+"?(?=[,}\]])', ['=0', '=-1', '=1', '=2', '=3', '=8', '=24']),
    (r'device_ids=\[[^\]]*\]', ['device_ids=[0, 1, 2, 3]', 'device_ids=[0, 1, 2]', 'device_ids=[3, 2, 1, 1]', 'device_ids=[1, 2, 3, -4]', 'device_ids=[4, 3, 2, 1]', 'device_ids=[]']),
    (r'\["a"=2, "b"=\d', ['["a"=2, "a"=4', '["a"=0, "b"=4', '["a"=1, "b"=4', '["a"=-2, "b"=4', '[']),
    (r'manual_axes=\{[^{}]*\}', ['manual_axes={}', 'manual_axes={"b"}', 'manual_axes={"a", "b"}', 'manual_axes={"q"}', 'manual_axes={"a", "a"}', 'manual_axes={"b", "a"}']),
    (r'tensor<\d+x\d+xf32>', ['tensor<24x24xf32>', 'tensor<12x24xf32>', 'tensor<23x24xf32>', 'tensor<24xf32>', 'tensor<24x?xf32>', 'tensor<24x24xf64>', 'tensor<24x24x1xf32>']),
    (r'(FORWARD|BACKWARD|NONE)', ['BOTH', 'NONE', 'SIDEWAYS']),
    (r'group_id=\d+', ['group_id=-1', 'group_id=0', 'group_id=99999999999']),
    (r'\d->\d', ['0->0', '0->2', '1->0', '-1->0', '0->1', '5->1']),
    (r'\([\[i, jklm\]()0-9>-]+\)', ['([i, j])->([i, j])', '([i, j], [j, k])->([i, k])', '([i, i])->([i, j])', '([i])->([i])', '([ij, k], [k, l])->([ij, l])', '([i, j])->([j, i])', '()->([i])']),
    (r'(reduction|need_replication|permutation|blocked_propagation)=\{[^{}]*\}', ['reduction={i}', 'reduction={j}', 'need_replication={j, i}', 'need_replication={i, i}', 'permutation={z}',
                                                                               'blocked_propagation={l, k}', 'reduction={k} need_replication={k}', 'permutation={i, j}']),
    (r'sharding_per_value<\[', ['sharding_per_value<[<@mesh, [{}, {}]>, ', 'sharding_per_value<[<@mesh, []>, ', 'sharding<']),
    (r'(in|out)_shardings=\[', [r'\g<0><@mesh, [{}, {}]>, ', r'\g<0><@mesh, []>, ', r'\g<0><@turned, [{}, {}]>, ']),
    (r'sdy\.(all_gather|all_slice|reduce_scatter)', ['sdy.all_gather', 'sdy.all_slice', 'sdy.reduce_scatter', 'sdy.sharded_to_unreduced']),
    (r'sdy\.(data_flow_edge|func_data_flow_edge|propagation_barrier|reshard) (%\S+)', [r'sdy.data_flow_edge \2', r'sdy.func_data_flow_edge \2']),
    (r'%[xyuv01]\b(?= )', ['%x', '%y', '%0', '%0#0']),
    (r'sdy\.return [^\n]*', ['sdy.return', 'sdy.return %v : tensor<24x12xf32>']),
    (r'sdy.sharding = #', ['sdy.sharding = "no" #', 'sdy.shading = #', 'sdy.sharding = #']),
]


def program(seed):
    r = random.Random(seed)
    u = r.random()
    text = r.choice(PROGRAMS) if u < 0.8 else mixed_programs.program(seed, 6) if u < 0.9 else op_programs.program(seed, 6)
    left = r.choice([1, 1, 1, 2, 3])
    for _ in range(200):
        pattern, instead = r.choice(CHANGES)
        found = list(re.finditer(pattern, text))
        if not found or not left:
            continue
        m = r.choice(found)
        text = text[:m.start()] + m.expand(r.choice(instead)) + text[m.end():]
        left -= 1
    return text


if __name__ == '__main__':
    import sys
    print(program(int(sys.argv[1])))
