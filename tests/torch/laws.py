"""What each rank of test_laws.py does: every collective through Weft and through gloo, with random sizes and types."""
import datetime
import os
import random

import torch
import torch.distributed as dist

import weft_torch  # noqa: F401

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool]
MOVED = FLOATS + INTEGERS + [torch.complex64, torch.complex128]
OPS = {'SUM': dist.ReduceOp.SUM, 'PRODUCT': dist.ReduceOp.PRODUCT, 'MIN': dist.ReduceOp.MIN,
       'MAX': dist.ReduceOp.MAX, 'BAND': dist.ReduceOp.BAND, 'BOR': dist.ReduceOp.BOR, 'BXOR': dist.ReduceOp.BXOR}


# Gloo has no reductions of these types: it adds them as others, with the same results.
AS = {torch.int16: torch.int32, torch.bool: torch.uint8, torch.bfloat16: torch.float32}


def as_bytes(t):
    return t.contiguous().reshape(-1).view(torch.uint8)


class Law:
    """Two groups of all ranks, and random numbers that all ranks draw alike."""

    def __init__(self, store):
        rank, size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
        dist.init_process_group('gloo', init_method='file://' + store, rank=rank, world_size=size,
                                timeout=datetime.timedelta(seconds=60))
        self.gloo = dist.group.WORLD
        self.weft = dist.new_group(backend='weft', timeout=datetime.timedelta(seconds=60))
        self.rank, self.size = rank, size
        self.random = random.Random(int(os.environ.get('WEFT_SEED', '1')))
        self.checks = 0

    def shape(self, most=4000):
        shapes = [(), (1,), (0,), (3, 0, 2), (5,), (7, 3), (self.random.randrange(1, most),),
                  (self.random.randrange(1, 40), self.random.randrange(1, 60)), (self.random.randrange(1, 200000),)]
        return self.random.choice(shapes)

    def tensor(self, shape, dtype):
        g = torch.Generator().manual_seed(self.random.randrange(1 << 30) * 16 + self.rank)
        if dtype == torch.bool:
            return torch.randint(0, 2, shape, generator=g).bool()
        if dtype.is_complex or dtype.is_floating_point:
            return torch.randn(shape, generator=g, dtype=torch.complex128 if dtype.is_complex else torch.float64).to(dtype)
        info = torch.iinfo(dtype)
        return torch.randint(max(info.min, -1000), min(info.max, 1000), shape, generator=g).to(dtype)

    def root(self):
        return self.random.randrange(self.size)

    def equal(self, weft, gloo, what):
        self.checks += 1
        assert weft.dtype == gloo.dtype and weft.shape == gloo.shape, what
        a, b = weft.detach().contiguous().reshape(-1), gloo.detach().contiguous().reshape(-1)
        assert torch.equal(a.view(torch.uint8), b.view(torch.uint8)), f'{what}: rank {self.rank}: {weft} is not {gloo}'

    def gathered(self, t):
        """Everyone's tensor, by gloo. Bytes: gloo has not all types."""
        out = [torch.empty(t.numel() * t.element_size(), dtype=torch.uint8) for _ in range(self.size)]
        dist.all_gather(out, as_bytes(t), group=self.gloo)
        return [o.view(t.dtype).view(t.shape) for o in out]

    def by_gloo(self, t, op):
        wide = t.to(AS.get(t.dtype, t.dtype), copy=True)
        dist.all_reduce(wide, OPS[op], group=self.gloo)
        return wide.to(t.dtype)

    def near(self, weft, inputs, op, what):
        """weft against the reduction of `inputs` in double precision: each of size - 1 operations, and the last
        rounding, may be wrong by half a unit of the larger of the partial results."""
        self.checks += 1
        if not weft.dtype.is_floating_point:
            wide = torch.stack([i.to(torch.int64) for i in inputs])
        else:
            wide = torch.stack([i.double() for i in inputs])
        exact = {'SUM': wide.sum(0), 'PRODUCT': wide.prod(0), 'MIN': wide.amin(0), 'MAX': wide.amax(0),
                 'AVG': wide.double().mean(0)}[op]
        bound = {'SUM': wide.abs().sum(0), 'PRODUCT': wide.abs().clamp(min=1).prod(0)}.get(op, wide.abs().amax(0))
        eps = torch.finfo(weft.dtype).eps
        wrong = (weft.double() - exact).abs() > (self.size + 1) * eps * bound + torch.finfo(weft.dtype).tiny
        assert not wrong.any(), f'{what}: rank {self.rank}: {weft[wrong]} for {exact[wrong]}'

    def reduced(self, weft, gloo, inputs, op, what):
        """Exact results must be gloo's; sums of floats must be right, whoever adds them in which order."""
        if weft.dtype.is_floating_point and op in ('SUM', 'PRODUCT'):
            self.near(weft, inputs, op, what)
        else:
            self.equal(weft, gloo, what)


def kinds(law):
    """Types and reductions that gloo has."""
    for dtype in FLOATS + INTEGERS:
        for op in OPS:
            if not (dtype.is_floating_point and op.startswith('B')):
                yield dtype, op


def all_reduce(law):
    for dtype, op in kinds(law):
        t = law.tensor(law.shape(), dtype)
        weft, gloo = t.clone(), law.by_gloo(t, op)
        work = dist.all_reduce(weft, OPS[op], group=law.weft, async_op=law.random.random() < 0.5)
        if work:
            work.wait()
        law.reduced(weft, gloo, law.gathered(t), op, f'all_reduce {op} {dtype} {tuple(t.shape)}')


def means(law):
    for dtype in FLOATS:
        t = law.tensor(law.shape(), dtype)
        weft = t.clone()
        dist.all_reduce(weft, dist.ReduceOp.AVG, group=law.weft)
        law.near(weft, law.gathered(t), 'AVG', f'all_reduce AVG {dtype}')
        weft = t.clone()
        dist.all_reduce(weft, dist._make_nccl_premul_sum(0.5), group=law.weft)
        law.near(weft, [x * 0.5 for x in law.gathered(t)], 'SUM', f'all_reduce PREMUL_SUM {dtype}')


def reduce(law):
    for dtype, op in kinds(law):
        t, root = law.tensor(law.shape(), dtype), law.root()
        weft, gloo = t.clone(), law.by_gloo(t, op)
        dist.reduce(weft, root, OPS[op], group=law.weft)
        inputs = law.gathered(t)
        if law.rank == root:
            law.reduced(weft, gloo, inputs, op, f'reduce {op} {dtype} to {root}')
        else:
            law.equal(weft, t, f'reduce {op} {dtype}: another rank than the root')


def reduce_scatter(law):
    for dtype, op in kinds(law):
        shape = law.shape()
        whole = law.tensor((law.size, *shape), dtype)
        inputs = law.gathered(whole)
        mine = [x[law.rank] for x in inputs]
        weft, listed = torch.empty(shape, dtype=dtype), torch.empty(shape, dtype=dtype)
        dist.reduce_scatter_tensor(weft, whole, OPS[op], group=law.weft)
        dist.reduce_scatter(listed, [x.clone() for x in whole], OPS[op], group=law.weft)
        law.equal(listed, weft, f'reduce_scatter of a list {op} {dtype}')
        gloo = law.by_gloo(whole, op)
        law.reduced(weft, gloo[law.rank], mine, op, f'reduce_scatter {op} {dtype}')


def moves(law):
    for dtype in MOVED:
        shape, root = law.shape(), law.root()
        t = law.tensor(shape, dtype)
        everyone = law.gathered(t)
        what = f'{dtype} {tuple(shape)} root {root}'
        weft = t.clone()
        dist.broadcast(weft, root, group=law.weft)
        law.equal(weft, everyone[root], 'broadcast ' + what)
        weft = [torch.zeros(shape, dtype=dtype) for _ in range(law.size)]
        dist.all_gather(weft, t, group=law.weft)
        law.equal(torch.stack(weft), torch.stack(everyone), 'all_gather ' + what)
        whole = torch.zeros((law.size, *shape), dtype=dtype)
        dist.all_gather_into_tensor(whole, t, group=law.weft)
        law.equal(whole, torch.stack(everyone), 'all_gather_into_tensor ' + what)
        weft = [torch.zeros(shape, dtype=dtype) for _ in range(law.size)] if law.rank == root else None
        dist.gather(t, weft, root, group=law.weft)
        if weft:
            law.equal(torch.stack(weft), torch.stack(everyone), 'gather ' + what)
        parts = law.tensor((law.size, *shape), dtype)
        theirs = law.gathered(parts)[root]
        weft = torch.zeros(shape, dtype=dtype)
        dist.scatter(weft, list(parts) if law.rank == root else None, root, group=law.weft)
        law.equal(weft, theirs[law.rank], 'scatter ' + what)


def uneven(law):
    """Blocks of different sizes, as nccl has them and gloo has not."""
    for dtype in (torch.float32, torch.bfloat16, torch.int8):
        counts = [law.random.randrange(5) * law.random.choice([1, 900]) for _ in range(law.size)]
        weft = [torch.zeros(n, dtype=dtype) for n in counts]
        dist.all_gather(weft, law.tensor((counts[law.rank],), dtype), group=law.weft)
        law.equal(weft[law.rank], law.gathered(weft[law.rank])[law.rank] if len(set(counts)) == 1 else weft[law.rank],
                  'all_gather')
        longest = [torch.cat([w, torch.zeros(5000 - len(w), dtype=dtype)]) for w in weft]
        for i, everyone in enumerate(law.gathered(x) for x in longest):
            for x in everyone:
                law.equal(x, longest[i], f'all_gather of {counts} {dtype}')
        mine = torch.zeros(counts[law.rank], dtype=dtype)
        dist.reduce_scatter(mine, [torch.full((n,), 2, dtype=dtype) for n in counts], group=law.weft)
        assert mine.eq(2 * law.size).all(), f'reduce_scatter of {counts}'


def exchanges(law):
    def by_gloo(t, get, give):
        width = t.element_size() * (t.numel() // max(len(t), 1))
        out = torch.zeros(sum(get) * width, dtype=torch.uint8)
        dist.all_to_all_single(out, as_bytes(t), [n * width for n in get], [n * width for n in give], group=law.gloo)
        return out.view(t.dtype).view(sum(get), *t.shape[1:])

    for dtype in MOVED:
        rows = [[law.random.randrange(1, 4) for _ in range(law.size)] for _ in range(law.size)]
        rows[law.random.randrange(law.size)][law.random.randrange(law.size)] = 0
        give, get = rows[law.rank], [row[law.rank] for row in rows]
        row = law.random.choice([(), (3,), (2, 5), (900,)])
        t = law.tensor((sum(give), *row), dtype)
        gloo = by_gloo(t, get, give)
        weft = torch.zeros((sum(get), *row), dtype=dtype)
        dist.all_to_all_single(weft, t, get, give, group=law.weft)
        law.equal(weft, gloo, f'all_to_all_single {dtype} {rows}')
        weft = [torch.zeros((n, *row), dtype=dtype) for n in get]
        dist.all_to_all(weft, [x.clone() for x in t.split(give)], group=law.weft)
        law.equal(torch.cat(weft), gloo, f'all_to_all {dtype} {rows}')
        each = law.random.randrange(3)
        t = law.tensor((law.size * each, *row), dtype)
        weft = torch.zeros_like(t)
        dist.all_to_all_single(weft, t, group=law.weft)
        law.equal(weft, by_gloo(t, [each] * law.size, [each] * law.size) if each else t, f'all_to_all_single, even, {dtype}')


def narrow(law):
    """Floats of 8 bits, which gloo does not have, are moved."""
    for name in ('float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz', 'float8_e5m2fnuz', 'float8_e8m0fnu'):
        dtype = getattr(torch, name)
        bytes_ = law.tensor((33,), torch.uint8)
        everyone = law.gathered(bytes_)
        whole = torch.zeros((law.size, 33), dtype=torch.uint8).view(dtype)
        dist.all_gather_into_tensor(whole, bytes_.view(dtype), group=law.weft)
        law.equal(whole.view(torch.uint8), torch.stack(everyone), name)
        t, root = bytes_.clone().view(dtype), law.root()
        dist.broadcast(t, root, group=law.weft)
        law.equal(t.view(torch.uint8), everyone[root], name)


def strided(law):
    """Tensors whose elements do not follow each other are read and written where they are."""
    for dtype in (torch.float32, torch.int64, torch.complex64):
        base = law.tensor((6, 8), dtype)
        t = base.clone().t()[::2]
        dense = t.contiguous()
        dist.all_reduce(t, group=law.weft)
        dist.all_reduce(dense, group=law.weft)
        law.equal(t.contiguous(), dense, 'all_reduce of a view')
        out = torch.zeros(law.size, 8, 2, dtype=dtype).transpose(1, 2)
        dist.all_gather_into_tensor(out, base[:2], group=law.weft)
        dense = torch.zeros(law.size, 2, 8, dtype=dtype)
        dist.all_gather_into_tensor(dense, base[:2].contiguous(), group=law.weft)
        law.equal(out.contiguous(), dense, 'all_gather into a view')
        outs = list(torch.zeros(8, law.size, dtype=dtype).unbind(1))
        dist.all_gather(outs, base[0], group=law.weft)
        law.equal(outs[0], dense[0, 0], 'all_gather into columns')


def messages(law):
    for dtype in MOVED:
        n = law.random.choice([0, 1, 5, 700, 70000])
        t, to, of = law.tensor((n,), dtype), (law.rank + 1) % law.size, (law.rank - 1) % law.size
        everyone = law.gathered(t)
        got = torch.zeros(n, dtype=dtype)
        works = [dist.isend(t, to, group=law.weft, tag=3), dist.irecv(got, of, group=law.weft, tag=3)]
        for w in works:
            w.wait()
        law.equal(got, everyone[of], f'isend of {n} x {dtype}')
    first, second = torch.zeros(9), torch.zeros(90000)
    if law.rank == 0:  # tags in another order than sent, from a rank that waits for each
        works = [dist.isend(torch.full((90000,), 2.), 1, group=law.weft, tag=2),
                 dist.isend(torch.full((9,), 1.), 1, group=law.weft, tag=1)]
        for w in works:
            w.wait()
    if law.rank == 1:
        dist.recv(first, 0, group=law.weft, tag=1)
        dist.recv(second, 0, group=law.weft, tag=2)
        assert first.eq(1).all() and second.eq(2).all()
    ops = [dist.P2POp(dist.isend, torch.full((5,), float(law.rank)), r, law.weft) for r in range(law.size) if r != law.rank]
    got = {r: torch.zeros(5) for r in range(law.size) if r != law.rank}
    ops += [dist.P2POp(dist.irecv, got[r], r, law.weft) for r in got]
    for w in dist.batch_isend_irecv(ops):
        w.wait()
    assert all(got[r].eq(r).all() for r in got)
    for n in (4, 50000):  # from whoever sends
        if law.rank == 0:
            seen = set()
            for _ in range(law.size - 1):
                t = torch.zeros(n)
                of = dist.recv(t, group=law.weft, tag=n)
                assert t.eq(of).all(), (of, t)
                seen.add(of)
            assert seen == set(range(1, law.size))
        else:
            dist.send(torch.full((n,), float(law.rank)), 0, group=law.weft, tag=n)
    dist.barrier(group=law.weft)
    law.checks += 6


def objects(law):
    mine = {'rank': law.rank, 'text': 'x' * (law.rank * 1000)}
    got = [None] * law.size
    dist.all_gather_object(got, mine, group=law.weft)
    assert [g['rank'] for g in got] == list(range(law.size)) and len(got[-1]['text']) == (law.size - 1) * 1000
    some = [mine if law.rank == 1 else None, 3 if law.rank == 1 else None]
    dist.broadcast_object_list(some, 1, group=law.weft)
    assert some[0]['rank'] == 1 and some[1] == 3
    out = [None] * law.size if law.rank == 0 else None
    dist.gather_object(mine, out, 0, group=law.weft)
    assert law.rank or [o['rank'] for o in out] == list(range(law.size))
    one = [None]
    dist.scatter_object_list(one, list(range(law.size)) if law.rank == 0 else None, 0, group=law.weft)
    assert one == [law.rank]
    law.checks += 4


def coalesced(law):
    tensors = [law.tensor(law.shape(), torch.float32) for _ in range(5)]
    alone = [t.clone() for t in tensors]
    dist.all_reduce_coalesced(tensors, group=law.weft)
    with dist._coalescing_manager(group=law.weft, async_ops=True) as cm:
        for t in alone:
            dist.all_reduce(t, group=law.weft)
    cm.wait()
    for a, b in zip(tensors, alone):
        law.equal(a, b, 'coalesced')
    outs = [torch.zeros(law.size, 4), torch.zeros(law.size, 2, 3)]
    ins = [law.tensor((4,), torch.float32), law.tensor((2, 3), torch.float32)]
    with dist._coalescing_manager(group=law.weft):
        for o, i in zip(outs, ins):
            dist.all_gather_into_tensor(o, i, group=law.weft)
    law.equal(outs[1], torch.stack(law.gathered(ins[1])), 'coalesced all_gather')


def sparse(law):
    i = torch.tensor([[law.rank, 3, law.rank]])
    t = torch.sparse_coo_tensor(i, law.tensor((3, 2), torch.float32), (law.size + 4, 2))
    weft, gloo = t.clone(), t.clone()
    dist.all_reduce(weft, group=law.weft)
    dist.all_reduce(gloo, group=law.gloo)
    assert torch.allclose(weft.to_dense(), gloo.to_dense()), (weft, gloo)
    law.checks += 1


def works(law):
    t = torch.ones(3)
    work = dist.all_reduce(t, group=law.weft, async_op=True)
    seen = work.get_future().then(lambda f: f.value()[0] * 2).wait()
    assert seen.eq(2 * law.size).all() and work.is_completed() and work.wait()
    many = [torch.full((1000,), float(i)) for i in range(50)]
    pending = [dist.all_reduce(m, group=law.weft, async_op=True) for m in many]
    for w in reversed(pending):
        w.wait()
    assert all(m.eq(i * law.size).all() for i, m in enumerate(many))
    # a callback that makes the next call, on whatever thread concludes the first
    u = torch.ones(2)
    chained = dist.all_reduce(t.fill_(1), group=law.weft, async_op=True).get_future().then(
        lambda f: dist.all_reduce(u, group=law.weft, async_op=True).get_future()).wait()
    chained.wait()
    assert u.eq(law.size).all()
    law.checks += 4


def callbacks(law):
    """Callbacks that wait for other calls: for those that they make, to some depth, and for those that are under way."""
    def total(i):
        return i * law.size

    def nested(i, depth):
        def then(_):
            future = nested(i + 1, depth - 1)
            return [future.wait()[0] + 1]

        future = dist.all_reduce(torch.full((3,), float(i)), group=law.weft, async_op=True).get_future()
        return future.then(then) if depth else future

    for depth in range(4):
        for _ in range(5):
            assert nested(2, depth).wait()[0].eq(total(2 + depth) + depth).all()
    for by_work in (False, True):  # a mover runs the callback, or the thread that waits for the call
        for _ in range(10):
            many = [dist.all_reduce(torch.full((law.random.randrange(1, 3000),), float(i)), group=law.weft, async_op=True)
                    for i in range(6)]
            futures = [work.get_future() for work in many]
            chained = futures[0].then(lambda _: sum(f.wait()[0][0].item() for f in futures[1:]))
            if by_work:
                many[0].wait()
            assert chained.wait() == total(15)
    # a callback has the last reference to a group, and with it to a world
    last = dist.new_group(list(range(law.size)), backend='weft')
    future = dist.all_reduce(torch.ones(3), group=last, async_op=True).get_future().then(
        lambda f, kept=[last]: kept.clear())
    dist.destroy_process_group(last)
    del last
    future.wait()
    law.checks += 3


def groups(law):
    """Groups of some ranks, in another order, one after the other and at once, in worlds of their own and of others."""
    for i in range(12):
        ranks = sorted(law.random.sample(range(law.size), law.random.randrange(1, law.size + 1)))
        ends = law.random.random() < 0.5
        g = dist.new_group(ranks, backend='weft', group_desc=f'g{i}', timeout=datetime.timedelta(seconds=60))
        if law.rank in ranks:
            t = torch.ones(4)
            dist.all_reduce(t, group=g)
            assert t.eq(len(ranks)).all()
            if ends:
                dist.destroy_process_group(g)
    law.checks += 1


def splits(law):
    """split_group: parts of a group by its own numbers; a rank of no part gets none, and mistakes are refused."""
    last = law.size - 1
    parts = [[0], list(range(1, last))] if last > 1 else [[0]]
    g = dist.split_group(law.weft, parts, group_desc='a part')
    mine = [part for part in parts if law.rank in part]
    assert (g is None) == (not mine)
    if mine:
        t = torch.full((3,), float(law.rank))
        dist.all_reduce(t, group=g)
        assert t.eq(sum(mine[0])).all() and dist.get_process_group_ranks(g) == mine[0] and g.group_desc == 'a part'
        dist.destroy_process_group(g)
    # parts whose ranks are in different numbers of groups, and parts of a part
    uneven = dist.new_group([last], backend='weft')
    for _ in range(2):
        g = dist.split_group(law.weft, [list(range(law.size))])
        t = torch.ones(2)
        dist.all_reduce(t, group=g)
        assert t.eq(law.size).all()
        half = dist.split_group(g, [[0, last] if last else [0]])
        if half:
            t = torch.ones(2)
            dist.all_reduce(t, group=half)
            assert t.eq(half.size()).all()
    del uneven
    for wrong, why in ((None, 'cannot be None or empty'), ([[0], []], 'is empty'), ([[0, 0]], 'has a rank that it'),
                       ([[law.size]], 'a rank that the parent group')):
        try:
            dist.split_group(law.weft, wrong)
        except ValueError as e:
            assert why in str(e), e
        else:
            raise AssertionError(wrong)
    law.checks += 1


def everything(store):
    law = Law(store)
    for one in (all_reduce, means, reduce, reduce_scatter, moves, uneven, exchanges, narrow, strided, messages, objects,
                coalesced, sparse, works, callbacks, groups, splits):
        try:
            one(law)
        except BaseException as e:
            raise AssertionError(f'{one.__name__} with {law.size} ranks: {e}') from e
    print(law.checks, 'checks')
    dist.destroy_process_group()
