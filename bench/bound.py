"""The bound of a step, by numbers of the tool alone: the time of its products' flops at the rate that `weft tune` has measured on this
machine, and after it that of the bytes which its other steps touch (generated code, library calls, what collectives send) at the memory's
bandwidth. The work is what `weft run --profile` counted of device 0; all devices do as much at once, on equal shares of the cores. What a
cache holds moves faster than memory: a step may take less than the bound says."""
import os, re, sys, tempfile
import machine

UNITS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
QUANTITY = r"([-+.0-9e]+)([kMGTP]?)"


def table():
    """The path of the table to go by, or None."""
    path = os.environ.get("WEFT_TUNE")
    return None if path in (None, "", "none") else path


def rates(weft, dtype="f32"):
    """(flop/s of a core, bytes/s of one core, bytes/s of all): of the table that WEFT_TUNE names, else measured now."""
    path = table()
    if path:
        return read_rates(open(path).read(), path, dtype)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tune")
        machine.run([weft, "tune"], env=os.environ | {"WEFT_TUNE": path})
        return read_rates(open(path).read(), path, dtype)


def read_rates(text, name, dtype="f32"):
    product = re.search(rf"^product {dtype} {QUANTITY}flop/s", text, re.M)
    memory = re.search(rf"^memory {QUANTITY}B/s(?: {QUANTITY}B/s)?", text, re.M)
    if not product or not memory:
        sys.exit(f"{name} has no rates of products of {dtype} and of memory: 'weft tune' measures them")
    core = float(memory[1]) * UNITS[memory[2]]
    return float(product[1]) * UNITS[product[2]], core, float(memory[3]) * UNITS[memory[4]] if memory[3] else core


def read_work(text):
    """(flops of products, bytes of all else) of a step of one device, from what `weft run --profile` prints."""
    found = re.search(r"^products of libraries, in loops too: (\S+) flop in a step; all else: (\S+) bytes", text, re.M)
    if not found: sys.exit(f"no profile:\n{text[-2000:]}")
    return float(found[1]), float(found[2])


def bound(rates, work, devices, cores):
    """(seconds of the products, seconds of the rest) of a step on so many devices of these cores."""
    flops_per_s, core, node = rates
    flops, moved = work
    used = devices * max(cores // devices, 1)
    return devices * flops / (min(used, cores) * flops_per_s), devices * moved / min(min(used, cores) * core, node)
