"""Bodies of reductions, scatters and comparators: what may stand in a region."""
import ml_dtypes
import numpy as np

from .draw import INTS, dtype, is_complex, is_float

FOLDS = {'add': np.add, 'multiply': np.multiply, 'maximum': np.maximum, 'minimum': np.minimum, 'and': np.bitwise_and, 'or': np.bitwise_or, 'xor': np.bitwise_xor}


def folded(name, el):
    """NumPy's form of a body; in integers that wrap, which ml_dtypes' narrow ones do not always."""
    if el in ('i2', 'i4', 'ui2', 'ui4'):
        return lambda a, b: FOLDS[name](a.astype(np.int16), b.astype(np.int16)).astype(dtype(el))
    return FOLDS[name]


def associative(p, el):
    """A body over one pair of scalars, the same in every order, and a name for what it does."""
    if el == 'i1':
        names = ('and', 'or', 'xor', 'maximum', 'minimum')
    elif el in INTS:
        names = ('add', 'multiply', 'maximum', 'minimum', 'and', 'or', 'xor')
    elif is_complex(el):
        names = ('add',)
    else:
        names = ('add', 'maximum', 'minimum')
    return p.pick(names)


def one(p, el, name, swapped=False):
    def body(v):
        a, b = v[::-1] if swapped else v
        return [p.op('stablehlo.' + name, [a, b], [(el, ())])]
    return p.region([(el, ())] * 2, body)


def arg_max(p, el, index):
    """The larger of two with its index, the first of equals: pairs (value, index)."""
    def body(v):
        a, i, b, j = v
        more = compare(p, 'GT', a, b)
        same = compare(p, 'EQ', a, b)
        first = compare(p, 'LT', i, j)
        left = p.op('stablehlo.or', [more, p.op('stablehlo.and', [same, first], [('i1', ())])], [('i1', ())])
        return [p.op('stablehlo.select', [left, a, b], [(el, ())]), p.op('stablehlo.select', [left, i, j], [(index, ())])]
    return p.region([(el, ()), (index, ())] * 2, body)


def several(p, els, names):
    """Each operand with a body of its own, in one region."""
    def body(v):
        n = len(els)
        return [p.op('stablehlo.' + names[k], [v[k], v[n + k]], [(els[k], ())]) for k in range(n)]
    return p.region([(el, ()) for el in els] * 2, body)


def compare(p, direction, a, b, kind=None):
    attrs = 'comparison_direction = #stablehlo<comparison_direction %s>' % direction
    if kind:
        attrs += ', compare_type = #stablehlo<comparison_type %s>' % kind
    return p.op('stablehlo.compare', [a, b], [('i1', a.shape)], attrs)


def identity(name, el):
    """What changes nothing, written as a constant."""
    if name in ('add', 'or', 'xor'):
        return 0
    if name == 'multiply':
        return 1
    if name == 'and':
        return 1 if el == 'i1' else -1 if el[0] == 'i' else int(ml_dtypes.iinfo(dtype(el)).max)
    low = name == 'maximum'
    if el == 'i1':
        return 0 if low else 1
    info = ml_dtypes.finfo(dtype(el)) if is_float(el) else ml_dtypes.iinfo(dtype(el))
    if is_float(el) and np.isinf(np.float32(np.inf).astype(dtype(el)).astype(np.float32)):
        return -np.inf if low else np.inf
    return float(info.min if low else info.max) if is_float(el) else int(info.min if low else info.max)
