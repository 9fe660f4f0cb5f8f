"""Programs that were not made for propagation, sharded at random: functions and models of JAX (tests/jax/tables), random StableHLO
(tests/jax/texts.py), StableHLO's own test programs where they are there.

Shardings stand on some arguments, results, calls and ops, and constraints on some values, used and unused, inside of loops,
branches and called functions too; see op_programs.py for the meshes and the shardings.
"""
import functools
import glob
import importlib
import os
import pkgutil
import re
import sys

import op_programs
import shardy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../jax'))

import jax  # noqa: E402
import tables  # noqa: E402
import texts  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import func, sdy  # noqa: E402

# A model's thousand ops bear fewer shardings each, or all conflict.
ASKED = 12


# Shardy has no rules for CHLO's ops and stablehlo.map, and a wrong one for sorts along a dimension counted from behind
# (docs/shardy-differences.md); jaxlib does not read quantized types.
OUT_OF_REACH = [r'\bchlo\.', r'stablehlo\.map\b', r'dimension = -', '!quant']


@functools.cache
def cases():
    return [c for m in pkgutil.iter_modules(tables.__path__) for c in importlib.import_module('tables.' + m.name).CASES]


def lowered(case):
    arrays = case.arrays()
    with jax.enable_x64(case.x64):
        return jax.jit(case.f, **({'keep_unused': True} | case.jit)).lower(*arrays).as_text(), jax.tree.leaves(arrays)


def written_out(text):
    """As XLA hands it to Shardy, which has no rules for CHLO's ops: without those that can be written with others."""
    return shardy.weft(text, '--chlo-legalize-to-stablehlo')[0] if ' chlo.' in text else text


class Sharded(op_programs.Program):
    def attr(self, text):
        return ir.Attribute.parse('#sdy.sharding' + text)

    def of(self, type):
        """A sharding of a value of that type, or None for a token."""
        return self.sharding(type.rank) if isinstance(type, ir.RankedTensorType) else None

    def signature(self, f, names, types, chance):
        """The function's attributes of its arguments or of its results, with shardings on some."""
        old = [dict((a.name, a.attr) for a in d) for d in f.attributes[names]] if names in f.attributes else [{} for _ in types]
        for d, t in zip(old, types):
            if self.r.random() < chance and (s := self.of(t)):
                d['sdy.sharding'] = self.attr(s)
        f.attributes[names] = ir.ArrayAttr.get([ir.DictAttr.get(d) for d in old])

    def shard(self, op):
        """Of all results, as Shardy's imports leave it on any op."""
        shardings = [self.of(v.type) for v in op.results]
        if shardings and None not in shardings:
            op.attributes['sdy.sharding'] = ir.Attribute.parse('#sdy.sharding_per_value<[%s]>' % ', '.join(shardings))

    def constrain(self, op):
        """One of the results after the op; half the time those that read it read the constrained one."""
        value = self.r.choice(list(op.results))
        if not (s := self.of(value.type)):
            return
        readers = [(u.owner, u.operand_number) for u in value.uses]
        after = list(op.operation.block.operations)
        at = after.index(op)
        with ir.InsertionPoint(after[at + 1]) if at + 1 < len(after) else ir.InsertionPoint(op.operation.block):
            new = sdy.ShardingConstraintOp(value, self.attr(s))
        if self.r.random() < 0.5:
            for reader, i in readers:
                reader.operands[i] = new.result

    def ops(self, region):
        for block in region:
            for op in block:
                for inner in op.regions:
                    yield from self.ops(inner)
                yield op

    def with_meshes(self, text):
        """The module is printed first, that its first line be its head."""
        head, body = ir.Module.parse(text).operation.get_asm().split('{\n', 1)
        return '%s{\n%s\n%s' % (head, self.mesh_text(), body)

    def program(self, text):
        with shardy.shared_context(), ir.Location.unknown():
            module = ir.Module.parse(self.with_meshes(text))
            functions = [f for f in module.body if isinstance(f, func.FuncOp)]
            # At calls the Shardy of jaxlib 0.10.2 takes a value that is not reduced for one that is.
            self.unreducible = self.unreducible and len(functions) == 1
            for f in functions:
                main = f.name.value == 'main'
                self.signature(f, 'arg_attrs', f.type.inputs, 0.7 if main else 0.1)
                self.signature(f, 'res_attrs', f.type.results, 0.3 if main else 0.1)
            some = [op for f in functions for op in self.ops(f.regions[0]) if op.results and not op.operation.name.startswith('sdy.')]
            for op in some:
                u = self.r.random() * max(len(some) / ASKED, 5)
                if u < 0.4:
                    self.shard(op)
                elif u < 1 and all(not isinstance(v.owner, ir.Block) for v in op.results):
                    self.constrain(op)
            return module.operation.get_asm()


def testdata():
    return sorted(glob.glob(os.path.join(os.environ.get('WEFT_SHARED', os.path.join(HERE, '../../../shared')), 'stablehlo-testdata', '*.mlir')))


class Partitionable(Sharded):
    """Meshes of the same devices, and nothing that is left as partial sums."""
    def __init__(self, seed):
        super().__init__(seed)
        self.meshes, self.unreducible = [m for m in self.meshes if m != 'device'], False


def drawn(seed, draw, sharded):
    """The first of its texts that is within reach, sharded, and the arguments that came with it."""
    p = sharded(seed)
    while True:
        text, arguments = draw(p.r)
        text = written_out(text)
        if any(re.search(words, text) for words in OUT_OF_REACH):
            continue
        try:
            return p.program(text), arguments
        except ir.MLIRError:    # what it prints of some ops without dimensions it does not read again
            pass


def jax_function(r):
    return lowered(r.choice(cases()))


def text(r):
    return texts.draw_program(r.randrange(1 << 30))[1].text, None


def data(r):
    with open(r.choice(testdata())) as f:
        return f.read(), None


KINDS = {'jax': jax_function, 'texts': text, 'testdata': data}


def maker(kind):
    return lambda seed: drawn(seed, KINDS[kind], Sharded)[0]


if __name__ == '__main__':
    print(maker(sys.argv[1])(int(sys.argv[2])))
