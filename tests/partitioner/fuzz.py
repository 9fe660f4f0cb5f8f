"""Random programs: partitioned equals global, both run by XLA.

    python fuzz.py FIRST_SEED COUNT [sub-axes] [uneven] [no-index] [mixed] [OPS]

Needs the programs tests/propagate/random_programs and weft under top_builddir. Prints one line per seed that differs, fails to
partition or fails to compile, and how many were right.

Seed 1202 of `mixed uneven` differs by XLA's fault (jaxlib 0.10): on the CPU it takes a constant index of ui8 for a
signed one. With tensor<8x8xi32> %a,

    %c = stablehlo.constant dense<232> : tensor<ui8>
    %0 = "stablehlo.gather"(%a, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1],
                                       start_index_map = [1]>, slice_sizes = array<i64: 8, 1>}>

gives column 0; where the same 232 is computed from an argument, column 7, to which StableHLO's clamp leads and which Weft gives.

Seed 910046 differs by XLA's fault too: stablehlo.reduce of tensor<2x8xi32> along dimension 1 with the body (a and b)
and 0 has a result of shape () there, instead of (2).
"""
import os
import subprocess
import sys

import spmd

TOP = os.environ.get('top_builddir', os.getcwd())
WEFT = os.environ.get('WEFT', os.path.join(TOP, 'weft'))
RANDOM = os.environ.get('WEFT_RANDOM', os.path.join(TOP, 'tests/propagate/random_programs'))
DEVICES = 8
os.environ['JAX_ENABLE_X64'] = '1'  # else JAX hands numbers of 64 bits over as 32
NUMPY = {'f32': 'float32', 'i32': 'int32', 'i1': 'bool', 'i64': 'int64', 'i8': 'int8', 'ui8': 'uint8', 'i16': 'int16', 'ui16': 'uint16', 'ui32': 'uint32', 'ui64': 'uint64'}
NARROW = {'f16': 'float16', 'bf16': 'bfloat16', 'f8E4M3FN': 'float8_e4m3fn', 'f8E5M2': 'float8_e5m2'}


def programs(seed, count, options):
    text = subprocess.run([RANDOM, str(seed), str(count)] + options, check=True, capture_output=True, text=True).stdout
    for part in text.split('// ----- ')[1:]:
        number, program = part.split('\n', 1)
        yield int(number), program


def inputs_for(text, seed):
    import re
    import numpy as np
    rng = np.random.default_rng(seed)
    line = next(l for l in text.split('\n') if 'func.func public @main' in l or 'func.func @main' in l)
    out = []
    for shape, dtype in re.findall(r'%\w+: tensor<((?:\d+x)*)(complex<f32>|\w+)>', line.split(') -> ')[0]):
        dims = [int(d) for d in shape.split('x')[:-1]]
        if dtype == 'f32':
            x = rng.uniform(-1, 1, dims).astype('float32')
        elif dtype in NARROW:
            import ml_dtypes
            x = rng.uniform(-1, 1, dims).astype(getattr(ml_dtypes, NARROW[dtype], NARROW[dtype]))
        elif dtype == 'complex<f32>':
            x = (rng.uniform(-1, 1, dims) + 1j * rng.uniform(-1, 1, dims)).astype('complex64')
        else:
            x = rng.integers(0 if dtype[0] == 'u' else -3, 40, dims).astype(NUMPY[dtype])
        out.append(np.asarray(x))
    return out


def global_results(text, inputs):
    """The program on one device, its shardings dropped."""
    import jax
    from jax._src.lib import xla_client as xc
    from jaxlib.mlir import ir
    device = jax.devices('cpu')[0]
    plain = strip(text)
    exe = device.client.compile_and_load(plain, xc.DeviceList((device,)), xc.CompileOptions())
    import numpy as np
    out = exe.execute_sharded([jax.device_put(x, device) for x in inputs])
    return [np.asarray(p[0]) for p in out.disassemble_into_single_device_arrays()]


def strip(text):
    """No mesh, no shardings, and constraints replaced by what they constrain."""
    import re
    text = re.sub(r'^\s*sdy\.mesh .*\n', '', text, flags=re.M)
    alias = dict(re.findall(r'(%\w+) = sdy\.sharding_constraint (%\w+(?:#\d+)?)', text))
    text = re.sub(r'^\s*%\w+ = sdy\.sharding_constraint .*\n', '', text, flags=re.M)

    def root(name):
        while name in alias:
            name = alias[name]
        return name
    text = re.sub(r'%\w+(?:#\d+)?', lambda m: root(m.group(0)), text)
    text = re.sub(r' \{sdy\.sharding = #sdy\.sharding<@\w+, \[[^\]]*\](?:, \w+=\{[^}]*\})*>\}', '', text)
    return text


def without_padding(joined, shape):
    """What is joined from pieces of one size, as long as the program says: a result may stay split unevenly."""
    if joined.ndim == len(shape) and all(0 <= n - m < DEVICES for n, m in zip(joined.shape, shape)):
        return joined[tuple(slice(m) for m in shape)]
    return joined


def agree(got, want):
    """Whole numbers are equal, others nearly."""
    import numpy as np
    if got.dtype.kind in 'iub':
        return np.array_equal(got, want)
    wide = np.complex64 if got.dtype.kind == 'c' else np.float32
    return np.allclose(got.astype(wide), want.astype(wide), rtol=1e-4, atol=1e-4, equal_nan=True)


def check(text, seed, highest=None):
    """highest: of integers, which are not below 0 then."""
    import numpy as np
    p = subprocess.run([WEFT, 'opt', '--weft-partition', '-'], input=text, capture_output=True, text=True)
    if p.returncode:
        return 'partition: ' + p.stderr.strip().split('\n')[0]
    inputs = inputs_for(text, seed)
    if highest is not None:
        inputs = [x.clip(0, highest) if x.dtype.kind in 'iu' else x for x in inputs]
    want = global_results(text, inputs)
    got = spmd.run(p.stdout, inputs)
    for i, (g, w) in enumerate(zip(got, want)):
        g = without_padding(g, w.shape)
        if g.shape != w.shape or not agree(g, w):
            return 'output %d differs' % i
    return None


def main(argv):
    seed, count, options = int(argv[1]), int(argv[2]), argv[3:]
    spmd.want_devices(DEVICES)
    right = 0
    for number, text in programs(seed, count, options):
        try:
            why = check(text, number)
        except Exception as e:  # what XLA or the harness could not do
            why = '%s: %s' % (type(e).__name__, str(e).split('\n')[0][:200])
        if why:
            print('seed %d: %s' % (number, why), flush=True)
        right += why is None
    print('%d of %d right' % (right, count))
    return right != count


if __name__ == '__main__':
    sys.exit(main(sys.argv))
