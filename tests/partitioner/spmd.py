"""Runs a partitioned program on virtual CPU devices through XLA, without its partitioner.

    python spmd.py PARTITIONED.mlir DIR

DIR holds in0.npy ... and out0.npy ...; the program's @main says by its sdy.sharding attributes how to cut and join them.
Exit status 1 and one line per output that differs.
"""
import os
import re
import sys

os.environ['JAX_PLATFORMS'] = 'cpu'


def want_devices(n):
    """Without algsimp: it makes an expanded scatter of one index clamp where it should drop."""
    os.environ['XLA_FLAGS'] = ('%s --xla_force_host_platform_device_count=%d --xla_disable_hlo_passes=algsimp' % (os.environ.get('XLA_FLAGS', ''), n)).strip()


def meshes(text):
    """Mesh name -> list of (axis, size)."""
    return {m.group(1): [(a, int(s)) for a, s in re.findall(r'"([^"]+)"=(\d+)', m.group(2))]
            for m in re.finditer(r'sdy\.mesh @(\w+) = <\[([^\]]*)\]', text)}


def order(text, sharding):
    """By device: its place in the mesh of a sharding."""
    ids = sharding and re.search(r'sdy\.mesh @%s = <\[[^\]]*\], device_ids=\[([^\]]*)\]' % sharding[0], text)
    place = {int(d): i for i, d in enumerate(ids.group(1).split(','))} if ids else {}
    return [place.get(d, d) for d in range(device_count(text))]


def device_count(text):
    return max([1] + [int(__import__('math').prod(s for _, s in axes)) for axes in meshes(text).values()])


def boundary(text):
    """(argument dims, result dims): per value a list of dimensions, each a list of (axis, pre, size)."""
    line = next(l for l in text.split('\n') if 'func.func public @main' in l or 'func.func @main' in l)
    args, results = line.split(') -> ', 1)
    sizes = {k: dict(v) for k, v in meshes(text).items()}

    def one(item):
        m = re.search(r'sdy\.sharding = #sdy\.sharding<@(\w+), \[(.*?)\](?:, (?:replicated|unreduced)[^>]*)?>', item)
        if not m:
            return None
        dims = []
        for d in re.findall(r'\{([^}]*)\}', m.group(2)):
            refs = []
            for name, pre, size in re.findall(r'"([^"]+)"(?::\((\d+)\)(\d+))?', d):
                refs.append((name, int(pre or 1), int(size or sizes[m.group(1)][name])))
            dims.append(refs)
        return m.group(1), dims

    def split(s):
        out, depth, last = [], 0, 0
        for i, c in enumerate(s):
            if c in '<({[':
                depth += 1
            elif c in ')}]' or (c == '>' and s[i - 1] != '-'):
                depth -= 1
            elif c == ',' and depth == 0:
                out.append(s[last:i])
                last = i + 1
        out.append(s[last:])
        return [x for x in out if 'tensor<' in x]

    results = results.rsplit('{', 1)[0].strip()
    if results.startswith('('):
        results = results[1:results.rindex(')')]
    return [one(x) for x in split(args.split('@main(', 1)[1])], [one(x) for x in split(results)]


def part_of(sharding, mesh_of, device):
    """Per dimension (number of this device's part, parts)."""
    name, dims = sharding
    axes = mesh_of[name]
    coord, left = {}, device
    for a, s in reversed(axes):
        coord[a], left = left % s, left // s
    size = dict(axes)
    out = []
    for refs in dims:
        number, parts = 0, 1
        for a, pre, s in refs:
            c = coord[a] // (size[a] // (pre * s)) % s
            number, parts = number * s + c, parts * s
        out.append((number, parts))
    return out


def cut(x, sharding, mesh_of, device):
    if sharding is None:
        return x
    index = []
    for n, (number, parts) in zip(x.shape, part_of(sharding, mesh_of, device)):
        step = n // parts
        index.append(slice(number * step, (number + 1) * step))
    return x[tuple(index)]


def join(parts, sharding, mesh_of):
    import numpy as np
    if sharding is None:
        return parts[0]
    shape = [n * p for n, (_, p) in zip(parts[0].shape, part_of(sharding, mesh_of, 0))]
    out = np.empty(shape, parts[0].dtype)
    for d, x in enumerate(parts):
        index = tuple(slice(number * n, (number + 1) * n) for n, (number, _) in zip(x.shape, part_of(sharding, mesh_of, d)))
        out[index] = x
    return out


def run(text, inputs):
    """The outputs as global arrays. Needs as many CPU devices as the program's mesh has."""
    import jax
    import numpy as np
    from jax._src.lib import xla_client as xc
    from jaxlib import lapack
    lapack._lapack.initialize()  # else its custom calls jump to nowhere
    n = device_count(text)
    devices = jax.devices('cpu')[:n]
    client = devices[0].client
    options = xc.CompileOptions()
    options.num_replicas = n
    options.num_partitions = 1
    build = options.executable_build_options
    build.num_replicas = n
    build.num_partitions = 1
    build.use_spmd_partitioning = False
    build.use_shardy_partitioner = False
    build.device_assignment = xc.DeviceAssignment.create(np.arange(n).reshape(n, 1))
    program = as_replicas(text)
    exe = client.compile_and_load(program, xc.DeviceList(tuple(devices)), options)
    mesh_of = meshes(text)
    args, results = boundary(text)
    mesh1 = jax.sharding.Mesh(np.array(devices), ('d',))
    spec = jax.sharding.NamedSharding(mesh1, jax.sharding.PartitionSpec())  # each device its own: nobody checks
    cut_args = []
    for x, s in zip(inputs, args):
        place = order(text, s)
        pieces = [np.ascontiguousarray(cut(x, s, mesh_of, place[d])) for d in range(n)]
        bufs = [jax.device_put(p, dev) for p, dev in zip(pieces, devices)]
        cut_args.append(jax.make_array_from_single_device_arrays(pieces[0].shape, spec, bufs))
    out = exe.execute_sharded(cut_args)
    shards = out.disassemble_into_single_device_arrays()
    return [join([np.asarray(p) for _, p in sorted(zip(order(text, s), parts), key=lambda e: e[0])], s, mesh_of) for parts, s in zip(shards, results)]


def split_gathers(text):
    """One operand per all_gather: XLA's CPU back end mixes up the results of one of several when its dimension is not the first."""
    out, lines, i, names = [], text.split('\n'), 0, set()
    while i < len(lines):
        m = re.match(r'(\s*)%(\w+):\d+ = "stablehlo\.all_gather"\(([^)]*)\)(.*) : \((.*)\) -> \((.*)\)', lines[i])
        if m:
            names.add(m.group(2))
            ins, outs = [re.findall(r'tensor<[^>]*>', m.group(k)) for k in (5, 6)]
            for k, x in enumerate(m.group(3).split(', ')):
                out.append('%s%%r%s_%d = "stablehlo.all_gather"(%s)%s : (%s) -> %s' % (m.group(1), m.group(2), k, x, m.group(4), ins[k], outs[k]))
        else:
            out.append(lines[i])
        i += 1
    return re.sub(r'%(\w+)#(\d+)', lambda m: '%%r%s_%s' % m.groups() if m.group(1) in names else m.group(0), '\n'.join(out))


def as_replicas(text):
    """XLA takes many partitions only with its partitioner on, so devices become replicas: their number is replica_id, and no
    group is of partitions."""
    text = split_gathers(text).replace('stablehlo.partition_id', 'stablehlo.replica_id')
    text = re.sub(r'channel_handle = #stablehlo\.channel_handle<[^>]*>(, )?', '', text)
    text = re.sub(r', use_global_device_ids', '', text)
    return re.sub(r'mhlo\.num_partitions = \d+', 'mhlo.num_partitions = 1', text)


def main(argv):
    import numpy as np
    text = open(argv[1]).read()
    want_devices(device_count(text))
    inputs, expected = [], []
    while os.path.exists('%s/in%d.npy' % (argv[2], len(inputs))):
        inputs.append(np.load('%s/in%d.npy' % (argv[2], len(inputs))))
    while os.path.exists('%s/out%d.npy' % (argv[2], len(expected))):
        expected.append(np.load('%s/out%d.npy' % (argv[2], len(expected))))
    got = run(text, inputs)
    bad = 0
    for i, (g, e) in enumerate(zip(got, expected)):
        if g.shape != e.shape or not np.allclose(g, e, rtol=2e-4, atol=2e-5):
            bad += 1
            print('output %d differs: %s' % (i, 'shape' if g.shape != e.shape else np.abs(g - e).max()))
    return 1 if bad or len(got) != len(expected) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
