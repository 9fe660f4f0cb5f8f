"""Ops of many attributes for random sharded programs: windows, convolutions, look-ups, sorts, reductions of several tensors,
factorisations, collectives, custom calls, rules of the user's. See op_programs.py, whose Program takes these in."""

F32 = 'tensor<f32>'
TARGETS = ['sdy_testonly', 'tpu_custom_call', 'xla_python_cpu_callback', 'xla.debug.Log', 'annotate_device_placement', 'Cholesky', 'CompactWyHelper',
           'InspectSharding', 'InvertDiagBlocksLowerTriangular', 'InvertDiagBlocksUpperTriangular', 'LayoutConstraint', 'mhlo.erf', 'MoveToDevice',
           'MoveToHost', 'X64SplitHigh', 'X64SplitLow', 'X64Combine', 'xla.megascale.provide_metadata', '_SPMDInternalOp_RotateRight',
           '_SPMDInternalOp_MultiRotate', '_SPMDInternalOp_Wrap', 'unheard_of']
UNARY = ['abs', 'cbrt', 'ceil', 'cosine', 'exponential', 'exponential_minus_one', 'floor', 'log', 'log_plus_one', 'logistic', 'negate',
         'round_nearest_afz', 'round_nearest_even', 'rsqrt', 'sign', 'sine', 'sqrt', 'tan', 'tanh']
BINARY = ['add', 'atan2', 'divide', 'maximum', 'minimum', 'multiply', 'power', 'remainder', 'subtract']


def text_of(shape, element='f32'):
    return 'tensor<%s>' % ''.join(['%dx' % d for d in shape] + [element])


def ints(v):
    return 'array<i64%s>' % (': ' + ', '.join(map(str, v)) if v else '')


def dense(rows):
    if not rows:
        return 'dense<> : tensor<0x2xi64>'
    return 'dense<[%s]> : tensor<%dx%dxi64>' % (', '.join('[%s]' % ', '.join(map(str, r)) for r in rows), len(rows), len(rows[0]))


def body(op, element='f32'):
    t = 'tensor<%s>' % element
    return '({\n    ^bb0(%%l: %s, %%r: %s):\n      %%s = stablehlo.%s %%l, %%r : %s\n      stablehlo.return %%s : %s\n    })' % (t, t, op, t, t)


class WideOps:
    """Methods that each append one op, or a few, of some of the values; see Program.put and Program.pick."""

    def scalar_of(self, values):
        """A scalar of the program's, or a constant."""
        found = self.pick(values, lambda t: not t)
        return found[0] if found and self.r.random() < 0.5 else self.scalar('0.0')

    def typed(self, x, s, to):
        """x as elements of another type."""
        out = self.name()
        self.line('%s = stablehlo.convert %s : (%s) -> %s', out, x, text_of(s), text_of(s, to))
        return out

    def back(self, values, x, s, element):
        self.put(values, s, 'stablehlo.convert %s : (%s) -> %s', x, text_of(s, element), text_of(s))

    def wide_unary(self, values):
        x, s = self.pick(values)
        self.put(values, s, 'stablehlo.%s %s%s : %s', self.r.choice(UNARY), x, self.on_result(s), text_of(s))

    def wide_binary(self, values):
        x, s = self.pick(values)
        y, _ = self.pick(values, lambda t: t == s)
        self.put(values, s, 'stablehlo.%s %s, %s%s : %s', self.r.choice(BINARY), x, y, self.on_result(s), text_of(s))

    def integers(self, values):
        x, s = self.pick(values)
        y, _ = self.pick(values, lambda t: t == s)
        a, b = self.typed(x, s, 'i32'), self.typed(y, s, 'i32')
        out = self.name()
        kind = self.r.choice(['and', 'or', 'xor', 'shift_left', 'shift_right_arithmetic', 'shift_right_logical', 'not', 'popcnt', 'count_leading_zeros'])
        both = kind not in ('not', 'popcnt', 'count_leading_zeros')
        self.line('%s = stablehlo.%s %s%s : %s', out, kind, a, ', ' + b if both else '', text_of(s, 'i32'))
        self.back(values, out, s, 'i32')

    def select(self, values):
        x, s = self.pick(values)
        y, _ = self.pick(values, lambda t: t == s)
        z, _ = self.pick(values, lambda t: t == s)
        c = self.name()
        if self.r.random() < 0.3:
            t, a = (), self.scalar_of(values)
            b = a
        else:
            t, a, b = s, y, z
        self.line('%s = stablehlo.compare LT, %s, %s : (%s, %s) -> %s', c, a, b, text_of(t), text_of(t), text_of(t, 'i1'))
        self.put(values, s, 'stablehlo.select %s, %s, %s : %s, %s', c, x, y, text_of(t, 'i1'), text_of(s))

    def clamp(self, values):
        x, s = self.pick(values)
        bounds = []
        for _ in range(2):
            if self.r.random() < 0.4:
                bounds.append((self.scalar_of(values), ()))
            else:
                bounds.append(self.pick(values, lambda t: t == s))
        self.put(values, s, 'stablehlo.clamp %s, %s, %s : (%s, %s, %s) -> %s', bounds[0][0], x, bounds[1][0], text_of(bounds[0][1]), text_of(s),
                 text_of(bounds[1][1]), text_of(s))

    def complex(self, values):
        x, s = self.pick(values)
        y, _ = self.pick(values, lambda t: t == s)
        c = self.name()
        self.line('%s = stablehlo.complex %s, %s : %s', c, x, y, text_of(s, 'complex<f32>'))
        self.put(values, s, 'stablehlo.%s %s : (%s) -> %s', self.r.choice(['real', 'imag']), c, text_of(s, 'complex<f32>'), text_of(s))

    def bitcast(self, values):
        x, s = self.pick(values)
        c, t = self.name(), s + (4,)
        self.line('%s = stablehlo.bitcast_convert %s : (%s) -> %s', c, x, text_of(s), text_of(t, 'ui8'))
        if self.r.random() < 0.5:
            self.put(values, s, 'stablehlo.bitcast_convert %s : (%s) -> %s', c, text_of(t, 'ui8'), text_of(s))
        else:
            self.back(values, c, t, 'ui8')

    def precision(self, values):
        x, s = self.pick(values)
        self.put(values, s, 'stablehlo.reduce_precision %s, format = e5m10 : %s', x, text_of(s))

    def iota(self, values):
        s = self.shape()
        if s:
            self.put(values, s, 'stablehlo.iota dim = %d : %s', self.r.randrange(len(s)), text_of(s))

    # Reductions and windows.

    def reduce_two(self, values):
        """Largest and where it is, say: two tensors into two."""
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        y, _ = self.pick(values, lambda t: t == s)
        dims = [d for d in range(len(s)) if self.r.random() < 0.5]
        to = tuple(k for d, k in enumerate(s) if d not in dims)
        z, out = self.scalar('0.0'), self.name()
        self.line('%s:2 = "stablehlo.reduce"(%s, %s, %s, %s) <{dimensions = %s}> ({\n    ^bb0(%%a: %s, %%b: %s, %%c: %s, %%d: %s):\n'
                  '      %%e = stablehlo.maximum %%a, %%c : %s\n      %%f = stablehlo.add %%b, %%d : %s\n      stablehlo.return %%e, %%f : %s, %s\n'
                  '    }) : (%s, %s, %s, %s) -> (%s, %s)', out, x, y, z, z, ints(dims), F32, F32, F32, F32, F32, F32, F32, F32, text_of(s), text_of(s),
                  F32, F32, text_of(to), text_of(to))
        values += [(out + '#0', to), (out + '#1', to)]

    def window(self, s):
        """Sizes, strides, dilations, padding of a window over s, and how many times it fits."""
        r = self.r
        w = [r.choice([1, 1, 2, 3]) if d > 1 else 1 for d in s]
        stride = [r.choice([1, 1, k, 2]) for k in w]
        inside = [r.choice([1, 1, 1, 2]) for _ in s]
        base = [r.choice([1, 1, 1, 1, 2]) for _ in s]
        pad = [(r.choice([0, 0, 1]), r.choice([0, 0, 1])) for _ in s]
        reach = [(k - 1) * d + 1 for k, d in zip(w, inside)]
        size = [(d - 1) * b + 1 + p[0] + p[1] for d, b, p in zip(s, base, pad)]
        to = tuple((d - k) // t + 1 if d >= k else 0 for d, k, t in zip(size, reach, stride))
        return w, stride, base, inside, pad, to

    def reduce_window(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        n = self.r.choice([1, 1, 2])
        w, stride, base, inside, pad, to = self.window(s)
        if 0 in to:
            return
        xs = [x] + [self.pick(values, lambda t: t == s)[0] for _ in range(n - 1)]
        z, out, names = self.scalar('0.0'), self.name(), ['%%a%d' % i for i in range(2 * n)]
        self.line('%s%s = "stablehlo.reduce_window"(%s) <{window_dimensions = %s, window_strides = %s, base_dilations = %s, window_dilations = %s, '
                  'padding = %s}> ({\n    ^bb0(%s):\n%s      stablehlo.return %s : %s\n    }) : (%s) -> (%s)', out, ':%d' % n if n > 1 else '',
                  ', '.join(xs + [z] * n), ints(w), ints(stride), ints(base), ints(inside), dense(pad), ', '.join('%s: %s' % (a, F32) for a in names),
                  ''.join('      %%s%d = stablehlo.add %s, %s : %s\n' % (i, names[i], names[n + i], F32) for i in range(n)),
                  ', '.join('%%s%d' % i for i in range(n)), ', '.join([F32] * n), ', '.join([text_of(s)] * n + [F32] * n), ', '.join([text_of(to)] * n))
        values += [('%s#%d' % (out, i) if n > 1 else out, to) for i in range(n)]

    def select_and_scatter(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        w = [self.r.choice([1, 1, 2, 3]) if d > 2 else 1 for d in s]
        stride = [self.r.choice([1, k]) for k in w]
        to = tuple((d - k) // t + 1 for d, k, t in zip(s, w, stride))
        source = self.operand(values, to)
        self.put(values, s, '"stablehlo.select_and_scatter"(%s, %s, %s) <{window_dimensions = %s, window_strides = %s}> ({\n'
                 '    ^bb0(%%l: tensor<f32>, %%r: tensor<f32>):\n      %%c = stablehlo.compare GE, %%l, %%r : (tensor<f32>, tensor<f32>) -> tensor<i1>\n'
                 '      stablehlo.return %%c : tensor<i1>\n    }, %s : (%s, %s, tensor<f32>) -> %s', x, source, self.scalar('0.0'), ints(w), ints(stride),
                 body('add')[1:], text_of(s), text_of(to), text_of(s))

    def sort_many(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        y, _ = self.pick(values, lambda t: t == s)
        out = self.name()
        self.line('%s:2 = "stablehlo.sort"(%s, %s) <{dimension = %d : i64, is_stable = %s}> ({\n    ^bb0(%%l: tensor<f32>, %%r: tensor<f32>, '
                  '%%p: tensor<f32>, %%q: tensor<f32>):\n      %%c = stablehlo.compare LT, %%l, %%r : (tensor<f32>, tensor<f32>) -> tensor<i1>\n'
                  '      stablehlo.return %%c : tensor<i1>\n    }) : (%s, %s) -> (%s, %s)', out, x, y, self.r.randrange(len(s)),
                  self.r.choice(['true', 'false']), text_of(s), text_of(s), text_of(s), text_of(s))
        values += [(out + '#0', s), (out + '#1', s)]

    # Products.

    def dot_many(self, values):
        """With any number of batching and contracting dimensions."""
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        r = self.r
        order = r.sample(range(len(s)), len(s))
        batch, contract = [], []
        for d in order:
            u = r.random()
            if u < 0.3:
                batch.append(d)
            elif u < 0.65:
                contract.append(d)
        free = [r.choice(self.SIZES) for _ in range(r.choice([0, 1, 1, 2]))]
        dims = [('b', d) for d in batch] + [('c', d) for d in contract] + [('f', n) for n in free]
        r.shuffle(dims)
        t = tuple(s[d] if kind != 'f' else d for kind, d in dims)
        to = tuple([s[d] for d in batch] + [n for d, n in enumerate(s) if d not in batch + contract] + [t[i] for i, k in enumerate(dims) if k[0] == 'f'])
        if len(to) > 4:
            return
        y = self.operand(values, t)
        at = {k: i for i, k in enumerate(dims)}
        text = ''
        for kind, name, mine in (('b', 'batching_dims', batch), ('c', 'contracting_dims', contract)):
            if mine or kind == 'c':
                text += ', %s = [%s] x [%s]' % (name, ', '.join(map(str, mine)), ', '.join(str(at[kind, d]) for d in mine))
        self.put(values, to, 'stablehlo.dot_general %s, %s%s : (%s, %s) -> %s', x, y, text, text_of(s), text_of(t), text_of(to))

    def dot_plain(self, values):
        found = self.pick(values, lambda t: len(t) in (1, 2))
        if not found:
            return
        x, s = found
        t = (s[-1],) + tuple(self.r.choice(self.SIZES) for _ in range(self.r.randrange(2)))
        y = self.operand(values, t)
        to = s[:-1] + t[1:]
        self.put(values, to, 'stablehlo.dot %s, %s : (%s, %s) -> %s', x, y, text_of(s), text_of(t), text_of(to))

    def convolution(self, values):
        r = self.r
        spatial = r.choice([0, 1, 1, 2])
        groups = r.choice([(1, 1), (1, 1), (2, 1), (4, 1), (1, 2), (1, 4)])
        n, f, o = r.choice([4, 8]), r.choice([4, 8, 16]), r.choice([4, 8, 16])
        if groups[0] > 1 and r.random() < 0.3:
            groups = (f, 1)    # depthwise
            o = f * r.choice([1, 2])
        sizes = [r.choice([4, 8, 12]) for _ in range(spatial)]
        k = [r.choice([1, 2, 3, 4, s]) for s in sizes]
        lhs = {'b': n, 'f': f, **{str(i): d for i, d in enumerate(sizes)}}
        rhs = {'i': f // groups[0], 'o': o, **{str(i): d for i, d in enumerate(k)}}
        stride = [r.choice([1, 1, 2, d]) for d in k]
        pad = [(r.choice([0, 1]), r.choice([0, 1])) for _ in k]
        dil = [(r.choice([1, 1, 1, 2]), r.choice([1, 1, 1, 2])) for _ in k]
        out = [((s - 1) * a + 1 + p[0] + p[1] - ((d - 1) * b + 1)) // t + 1 for s, d, t, p, (a, b) in zip(sizes, k, stride, pad, dil)]
        if any(d < 1 for d in out):
            return
        result = {'b': n // groups[1], 'f': o, **{str(i): d for i, d in enumerate(out)}}
        spelled = [r.sample(sorted(d), len(d)) for d in (lhs, rhs, result)]
        x, y = (self.operand(values, tuple(d[c] for c in names)) for d, names in zip((lhs, rhs), spelled))
        to = tuple(result[c] for c in spelled[2])
        dims = '[%s]x[%s]->[%s]' % tuple(', '.join(names) for names in spelled)
        window = ', '.join(['stride = %s' % stride, 'pad = %s' % [list(p) for p in pad], 'lhs_dilate = %s' % [d[0] for d in dil],
                            'rhs_dilate = %s' % [d[1] for d in dil]])
        self.put(values, to, 'stablehlo.convolution(%s, %s) dim_numbers = %s, window = {%s} {batch_group_count = %d : i64, feature_group_count = %d : i64} '
                 ': (%s, %s) -> %s', x, y, dims, window if spatial else '', groups[1], groups[0], text_of([lhs[c] for c in spelled[0]]),
                 text_of([rhs[c] for c in spelled[1]]), text_of(to))

    # Look-ups. Dimensions of the operand are batched with the indices, looked up in and gone (collapsed), or stay as windows.

    def lookup(self, s):
        r = self.r
        batching, collapsed, windows, mapped = [], [], [], []
        for d in range(len(s)):
            u = r.random()
            if u < 0.25:
                batching.append(d)
                continue
            if u < 0.55:
                collapsed.append(d)
            else:
                windows.append(d)
            if u < 0.7:
                mapped.append(d)
        r.shuffle(mapped)
        extra = [r.choice(self.SIZES) for _ in range(r.choice([0, 1, 1, 2]))]
        shape = [('b', d) for d in batching] + [('n', n) for n in extra]
        r.shuffle(shape)
        at = {k: i for i, k in enumerate(shape) if k[0] == 'b'}
        index_batching = [at['b', d] for d in batching]
        batch = [s[d] if kind == 'b' else d for kind, d in shape]
        vector = r.randrange(len(batch) + 1) if len(mapped) != 1 or r.random() < 0.7 else len(batch)
        indices = list(batch)
        if len(mapped) != 1 or vector < len(batch) or r.random() < 0.6:
            indices.insert(vector, len(mapped))
            index_batching = [d + (d >= vector) for d in index_batching]
        slices = [1 if d in batching + collapsed else (r.choice([s[d], s[d], max(1, s[d] // 2), 1]) if d in mapped or r.random() < 0.2 else s[d])
                  for d in range(len(s))]
        offset = sorted(r.sample(range(len(batch) + len(windows)), len(windows)))
        to, b, w = [], iter(batch), iter(windows)
        for d in range(len(batch) + len(windows)):
            to.append(slices[next(w)] if d in offset else next(b))
        return batching, collapsed, mapped, indices, index_batching, vector, slices, offset, tuple(to)

    def gather(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        batching, collapsed, mapped, indices, index_batching, vector, slices, offset, to = self.lookup(s)
        if len(to) > 4:
            return
        i = self.index_operand(indices)
        numbers = ['offset_dims = %s' % offset, 'collapsed_slice_dims = %s' % collapsed, 'operand_batching_dims = %s' % batching,
                   'start_indices_batching_dims = %s' % index_batching, 'start_index_map = %s' % mapped, 'index_vector_dim = %d' % vector]
        self.put(values, to, '"stablehlo.gather"(%s, %s) <{dimension_numbers = #stablehlo.gather<%s>, slice_sizes = %s, indices_are_sorted = false}> : '
                 '(%s, %s) -> %s', x, i, ', '.join(numbers), ints(slices), text_of(s), text_of(indices, 'i32'), text_of(to))

    def scatter(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        batching, collapsed, mapped, indices, index_batching, vector, _, offset, to = self.lookup(s)
        if len(to) > 4:
            return
        n = self.r.choice([1, 1, 1, 2])
        i = self.index_operand(indices)
        xs = [x] + [self.pick(values, lambda t: t == s)[0] for _ in range(n - 1)]
        us = [self.operand(values, to) for _ in range(n)]
        numbers = ['update_window_dims = %s' % offset, 'inserted_window_dims = %s' % collapsed, 'input_batching_dims = %s' % batching,
                   'scatter_indices_batching_dims = %s' % index_batching, 'scatter_dims_to_operand_dims = %s' % mapped, 'index_vector_dim = %d' % vector]
        names, out = ['%%a%d' % k for k in range(2 * n)], self.name()
        self.line('%s%s = "stablehlo.scatter"(%s) <{scatter_dimension_numbers = #stablehlo.scatter<%s>, unique_indices = %s}> ({\n    ^bb0(%s):\n%s'
                  '      stablehlo.return %s : %s\n    }) : (%s) -> (%s)', out, ':%d' % n if n > 1 else '', ', '.join(xs + [i] + us), ', '.join(numbers),
                  self.r.choice(['true', 'false']), ', '.join('%s: %s' % (a, F32) for a in names),
                  ''.join('      %%s%d = stablehlo.%s %s, %s : %s\n' % (k, self.r.choice(['add', 'maximum']), names[k], names[n + k], F32) for k in range(n)),
                  ', '.join('%%s%d' % k for k in range(n)), ', '.join([F32] * n),
                  ', '.join([text_of(s)] * n + [text_of(indices, 'i32')] + [text_of(to)] * n), ', '.join([text_of(s)] * n))
        values += [('%s#%d' % (out, k) if n > 1 else out, s) for k in range(n)]

    def index_operand(self, shape):
        """Mostly an argument; sometimes an iota, sometimes joined with one."""
        u = self.r.random()
        if u < 0.7 or not shape:
            return self.argument(tuple(shape), 'i32')
        out = self.name()
        self.line('%s = stablehlo.iota dim = %d : %s', out, self.r.randrange(len(shape)), text_of(shape, 'i32'))
        d = self.r.randrange(len(shape))
        if u < 0.85 or shape[d] < 2:
            return out
        half = list(shape)
        half[d] = 1
        rest = list(shape)
        rest[d] = shape[d] - 1
        one, both = self.name(), self.name()
        self.line('%s = stablehlo.iota dim = %d : %s', one, self.r.randrange(len(shape)), text_of(half, 'i32'))
        self.line('%s = stablehlo.concatenate %s, %s, dim = %d : (%s, %s) -> %s', both, one, self.argument(tuple(rest), 'i32'), d, text_of(half, 'i32'),
                  text_of(rest, 'i32'), text_of(shape, 'i32'))
        return both

    # Matrices.

    def square(self, values):
        found = self.pick(values, lambda t: len(t) > 1 and t[-1] == t[-2])
        if found and self.r.random() < 0.7:
            return found
        n = self.r.choice([2, 4, 8])
        s = tuple(self.r.choice(self.SIZES) for _ in range(self.r.randrange(2))) + (n, n)
        return self.operand(values, s), s

    def cholesky(self, values):
        x, s = self.square(values)
        self.put(values, s, 'stablehlo.cholesky %s, lower = %s : %s', x, self.r.choice(['true', 'false']), text_of(s))

    def triangular_solve(self, values):
        x, s = self.square(values)
        left, k = self.r.random() < 0.5, self.r.choice(self.SIZES)
        t = s[:-2] + ((s[-1], k) if left else (k, s[-1]))
        y = self.operand(values, t)
        self.put(values, t, '"stablehlo.triangular_solve"(%s, %s) <{left_side = %s, lower = true, transpose_a = #stablehlo<transpose %s>, '
                 'unit_diagonal = false}> : (%s, %s) -> %s', x, y, 'true' if left else 'false', self.r.choice(['NO_TRANSPOSE', 'TRANSPOSE']), text_of(s),
                 text_of(t), text_of(t))

    def fft(self, values):
        found = self.pick(values, lambda t: t and t[-1] > 1)
        if not found:
            return
        x, s = found
        n = self.r.randrange(1, min(3, len(s)) + 1)
        c, d = self.name(), self.name()
        if self.r.random() < 0.5:
            t = s[:-1] + (s[-1] // 2 + 1,)
            self.line('%s = stablehlo.fft %s, type = RFFT, length = %s : (%s) -> %s', d, x, list(s[-n:]), text_of(s), text_of(t, 'complex<f32>'))
        else:
            t = s
            self.line('%s = stablehlo.convert %s : (%s) -> %s', c, x, text_of(s), text_of(s, 'complex<f32>'))
            self.line('%s = stablehlo.fft %s, type = %s, length = %s : (%s) -> %s', d, c, self.r.choice(['FFT', 'IFFT']), list(s[-n:]),
                      text_of(s, 'complex<f32>'), text_of(t, 'complex<f32>'))
        self.put(values, t, 'stablehlo.real %s : (%s) -> %s', d, text_of(t, 'complex<f32>'), text_of(t))

    def random_bits(self, values):
        s = self.shape()
        state, out = self.argument((2,), 'ui64'), self.name()
        self.line('%s:2 = stablehlo.rng_bit_generator %s, algorithm = %s : (tensor<2xui64>) -> (tensor<2xui64>, %s)', out, state,
                  self.r.choice(['DEFAULT', 'THREE_FRY']), text_of(s, 'ui32'))
        self.back(values, out + '#1', s, 'ui32')

    def batch_norm(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        d = self.r.randrange(len(s))
        v = [self.operand(values, (s[d],)) for _ in range(4)]
        self.put(values, s, '"stablehlo.batch_norm_inference"(%s) <{epsilon = 1.0e-3 : f32, feature_index = %d : i64}> : (%s) -> %s', ', '.join([x] + v), d,
                 ', '.join([text_of(s)] + [text_of((s[d],))] * 4), text_of(s))

    # Collectives of devices within the program.

    def collective(self, values):
        found = self.pick(values, lambda t: t and 0 not in t)   # MLIR's verifier refuses empty dimensions; see docs/shardy-differences.md
        if not found:
            return
        x, s = found
        r = self.r
        n, d = r.choice([2, 4]), r.randrange(len(s))
        groups = 'replica_groups = dense<[%s]> : tensor<1x%dxi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>' % (
            list(range(n)), n)
        kind = r.choice(['all_gather', 'all_to_all', 'reduce_scatter', 'all_reduce', 'collective_permute', 'collective_broadcast'])
        to = list(s)
        if kind == 'all_gather':
            to[d] *= n
            text = '"stablehlo.all_gather"(%%s) <{all_gather_dim = %d : i64, %s, use_global_device_ids}>' % (d, groups)
        elif kind == 'all_to_all':
            e = r.randrange(len(s))
            if s[d] % n:
                return
            to[d] //= n
            to[e] *= n
            text = '"stablehlo.all_to_all"(%%s) <{split_dimension = %d : i64, concat_dimension = %d : i64, split_count = %d : i64, %s}>' % (d, e, n, groups)
        elif kind == 'reduce_scatter':
            if s[d] % n:
                return
            to[d] //= n
            text = '"stablehlo.reduce_scatter"(%%s) <{scatter_dimension = %d : i64, %s, use_global_device_ids}> %s' % (d, groups, body('add').replace('%', '%%'))
        elif kind == 'all_reduce':
            text = '"stablehlo.all_reduce"(%%s) <{%s, use_global_device_ids}> %s' % (groups, body('add').replace('%', '%%'))
        elif kind == 'collective_permute':
            text = '"stablehlo.collective_permute"(%s) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}>'
        else:
            text = '"stablehlo.collective_broadcast"(%%s) <{%s}>' % groups
        self.put(values, tuple(to), '%s : (%s) -> %s', text % x, text_of(s), text_of(to))

    # Custom calls.

    def target(self, values):
        """A call of one operand, or two of one shape, and a result like them."""
        x, s = self.pick(values)
        xs = [x] + ([self.pick(values, lambda t: t == s)[0]] if self.r.random() < 0.3 else [])
        attrs = (['has_side_effect = true'] if self.r.random() < 0.2 else [])
        self.put(values, s, 'stablehlo.custom_call @%s(%s)%s : (%s) -> %s', self.r.choice(TARGETS), ', '.join(xs), ' {%s}' % ', '.join(attrs) if attrs else '',
                 ', '.join([text_of(s)] * len(xs)), text_of(s))

    def top_k(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        out = self.name()
        k = self.r.choice([1, 2, s[-1]]) if s[-1] > 1 else 1
        if self.r.random() < 0.5:
            t = s[:-1] + (k,)
            self.line('%s:2 = stablehlo.custom_call @mhlo.topk(%s) {mhlo.attributes = {k = %d : i64, largest = true}, mhlo.version = 1 : i64} : '
                      '(%s) -> (%s, %s)', out, x, k, text_of(s), text_of(t), text_of(t, 'i32'))
        else:
            d = self.r.randrange(len(s))
            t = s[:d] + (min(k, s[d]),) + s[d + 1:]
            i = self.argument(s, 'i32')
            self.line('%s:2 = stablehlo.custom_call @%s(%s, %s, %s, %s) {mhlo.backend_config = {reduction_dim = %d : i64}} : (%s, %s, %s, tensor<i32>) -> '
                      '(%s, %s)', out, self.r.choice(['ApproxTopK', 'PartialReduce']), x, i, self.scalar('0.0'), self.scalar('0', 'i32'), d, text_of(s),
                      text_of(s, 'i32'), F32, text_of(t), text_of(t, 'i32'))
        values.append((out + '#0', t))

    def factorisation(self, values):
        x, s = self.square(values)
        out = self.name()
        kind = self.r.choice(['Eigh', 'Qr', 'QrDecompositionBlock', 'ProductOfElementaryHouseholderReflectors'])
        t = s[:-1]
        if kind.startswith('Product'):
            self.put(values, s, 'stablehlo.custom_call @%s(%s, %s) : (%s, %s) -> %s', kind, x, self.operand(values, t), text_of(s), text_of(t), text_of(s))
            return
        self.line('%s:2 = stablehlo.custom_call @%s(%s) : (%s) -> (%s, %s)', out, kind, x, text_of(s), text_of(s), text_of(t))
        values += [(out + '#0', s), (out + '#1', t)]

    def ruled(self, values):
        """A call with a rule of the user's: dimensions made of several factors, factors of each kind, some in one tensor only."""
        r = self.r
        n = r.randrange(1, 7)
        letters = 'ijklmnop'[:n]
        size = {c: r.choice([2, 2, 3, 4, 8]) for c in letters}

        def tensor():
            mine = r.sample(letters, r.randrange(1, n + 1))
            dims = []
            for c in mine:
                if dims and r.random() < 0.3:
                    dims[-1].append(c)
                else:
                    dims.append([c])
            return dims[:4]
        ins, outs = [tensor() for _ in range(r.randrange(1, 4))], [tensor() for _ in range(r.randrange(1, 3))]

        def factors(tensors):
            return {c for t in tensors for d in t for c in d}
        order = []
        for c in (c for t in ins + outs for d in t for c in d):
            if c not in order:
                order.append(c)
        renamed = dict(zip(order, 'ijklmnop'))    # letters come in the order in which they are read
        sized = {renamed[c]: size[c] for c in order}
        ins, outs = ([[[renamed[c] for c in d] for d in t] for t in ts] for ts in (ins, outs))
        kinds = {}
        for c in sorted(sized):
            allowed = ['', '', 'need_replication', 'permutation'] + (['reduction', 'reduction'] if c not in factors(outs) else [])
            kinds.setdefault(r.choice(allowed), []).append(c)
        blocked = [c for c in sorted(sized) if r.random() < 0.15]

        def shape(t):
            out = []
            for d in t:
                k = 1
                for c in d:
                    k *= sized[c]
                out.append(k)
            return tuple(out)

        def spell(ts):
            return '(%s)' % ', '.join('[%s]' % ', '.join(''.join(d) for d in t) for t in ts)
        special = [(k, kinds[k]) for k in ('reduction', 'need_replication', 'permutation') if k in kinds] + ([('blocked_propagation', blocked)] if blocked else [])
        rule = '%s->%s {%s}%s' % (spell(ins), spell(outs), ', '.join('%s=%d' % p for p in sorted(sized.items())),
                                  ''.join(' %s={%s}' % (k, ', '.join(v)) for k, v in special))
        xs, out = [self.operand(values, shape(t)) for t in ins], self.name()
        types = [text_of(shape(t)) for t in outs]
        self.line('%s%s = stablehlo.custom_call @%s(%s) {sdy.sharding_rule = #sdy.op_sharding_rule<%s, custom>} : (%s) -> %s', out,
                  ':%d' % len(outs) if len(outs) > 1 else '', r.choice(['mine', 'tpu_custom_call']), ', '.join(xs), rule,
                  ', '.join(text_of(shape(t)) for t in ins), '(%s)' % ', '.join(types) if len(types) > 1 else types[0])
        values += [('%s#%d' % (out, i) if len(outs) > 1 else out, shape(t)) for i, t in enumerate(outs)]


WIDE = ['wide_unary', 'wide_binary', 'integers', 'select', 'clamp', 'complex', 'bitcast', 'precision', 'iota', 'reduce_two', 'reduce_window',
        'reduce_window', 'select_and_scatter', 'sort_many', 'dot_many', 'dot_many', 'dot_plain', 'convolution', 'convolution', 'gather', 'gather',
        'scatter', 'scatter', 'cholesky', 'triangular_solve', 'fft', 'random_bits', 'batch_norm', 'collective', 'target', 'top_k', 'factorisation',
        'ruled', 'ruled']
