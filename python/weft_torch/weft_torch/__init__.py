"""torch.distributed over Weft's collectives: `import weft_torch`, then `init_process_group("weft")`.

The import registers the backend "weft" for tensors of the processor, and `init_method="weft://"`, by which processes
that mpirun or srun has started find each other. Where the package is installed, `import torch` imports it by itself
(entry point torch.backends). Weft is loaded with the first process group."""

import atexit
import socket
import sys
import weakref

import torch.distributed as _dist

__all__ = ["monitored_barrier", "split_group"]
__version__ = "0.1.0"

_torchs_barrier = getattr(_dist, "monitored_barrier", None)
_torchs_split = getattr(_dist, "split_group", None)
_splits = weakref.WeakKeyDictionary()  # of a group: how often it was split, which all of its ranks do together


def _create(options, _given):
    from . import _C

    return _C.create(
        options.store,
        options.group_rank,
        options.group_size,
        options.timeout.total_seconds(),
        list(options.global_ranks_in_group),
    )


def _meet(url, timeout=None, **_):
    """init_method="weft://": rank 0's store has a port of the system's choice, which MPI tells the others."""
    from datetime import timedelta

    from . import _C

    timeout = timeout or timedelta(minutes=30)
    launch = _C.Launch(timeout.total_seconds())
    rank, size = launch.rank, launch.size
    host = "localhost" if launch.nodes == 1 else socket.getfqdn()
    at = ""
    if rank == 0:
        store = _dist.TCPStore(host, 0, size, True, timeout, wait_for_workers=False)
        at = f"{host} {store.port}"
    host, port = launch.broadcast(at).split()
    del launch
    if rank != 0:
        store = _dist.TCPStore(host, int(port), size, False, timeout)
    yield store, rank, size


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """torch.distributed.monitored_barrier, which torch itself keeps to gloo, for groups over Weft."""
    if group == _dist.GroupMember.NON_GROUP_MEMBER or _dist.get_backend(group) != "weft":
        return _torchs_barrier(group, timeout, wait_all_ranks)
    group = group or _dist.group.WORLD
    if timeout is None:
        return group.monitored_barrier(wait_all_ranks=wait_all_ranks)
    return group.monitored_barrier(timeout, wait_all_ranks)


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, **rest):
    """torch.distributed.split_group, for which torch itself wants an accelerator, for groups over Weft."""
    parent = parent_pg or _dist.group.WORLD
    if parent is None or _dist.get_backend(parent) != "weft":
        return _torchs_split(parent_pg, split_ranks, timeout, pg_options, group_desc, **rest)
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    ranks = [rank for part in split_ranks for rank in part]
    if not all(split_ranks) or len(ranks) != len(set(ranks)):
        raise ValueError("a part of split_ranks is empty, or has a rank that it or another part has, too")
    if min(ranks) < 0 or max(ranks) >= parent.size():
        raise ValueError(f"split_ranks has a rank that the parent group, of {parent.size()} ranks, has not")
    number = _splits[parent] = _splits.get(parent, 0) + 1
    mine = [part for part in split_ranks if parent.rank() in part]
    if not mine:
        return None
    members = [_dist.get_global_rank(parent, rank) for rank in sorted(mine[0])]
    # new_group(use_local_synchronization=True) would name the group by the number of groups that this process is in,
    # which others of the part may not share: they would look for each other under different names.
    c10d = _dist.distributed_c10d
    group, _ = c10d._new_process_group_helper(
        len(members),
        members.index(_dist.get_rank()),
        members,
        "weft",
        c10d._get_default_store(),
        f"{parent.group_name}/split {number} {members[0]}",
        timeout=timeout or c10d._get_default_timeout("weft"),
        group_desc=group_desc,
    )
    c10d._world.pg_group_ranks[group] = {rank: i for i, rank in enumerate(members)}
    return group


def _rest():
    if "weft_torch._C" in sys.modules:
        sys.modules["weft_torch._C"].rest()


def _register():
    if "weft" in _dist.Backend.backend_list:
        return
    _dist.Backend.register_backend("weft", _create, extended_api=True, devices=["cpu"])
    _dist.register_rendezvous_handler("weft", _meet)
    for ours in (monitored_barrier, split_group):
        for where in (_dist, _dist.distributed_c10d):
            if hasattr(where, ours.__name__):
                setattr(where, ours.__name__, ours)
    atexit.register(_rest)


def _autoload():
    """Called by `import torch`."""


if _dist.is_available():
    _register()
