"""What every benchmark says about where and how it ran."""
import os, re, shlex, subprocess, sys, tempfile, time

os.environ.setdefault('WEFT_CACHE_DIR', 'none')  # times of compilation are of all of it


def banner():
    model = re.search(r"model name\s*:\s*(.*)", open("/proc/cpuinfo").read())
    memory = int(re.search(r"MemTotal:\s*(\d+)", open("/proc/meminfo").read())[1]) / 2**20
    load = os.getloadavg()[0]
    print(f"machine: {model[1] if model else 'unknown'}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, load {load:.1f} at the start")
    print("command:", shlex.join([os.path.relpath(sys.argv[0])] + sys.argv[1:]))
    sys.stdout.flush()


def run(command, **kw):
    """Runs a command to its end: (wall seconds, peak resident bytes, stdout). Exits with its stderr when it fails."""
    wall, _, memory, out = measure(command, **kw)
    return wall, memory, out


def measure(command, **kw):
    """The same with the seconds of processor time, its own and the system's for it, after those of the wall."""
    start = time.perf_counter()
    log = tempfile.TemporaryFile()
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, **kw)
    out = p.stdout.read()
    _, status, usage = os.wait4(p.pid, 0)
    wall = time.perf_counter() - start
    if status:
        log.seek(0)
        sys.exit(f"{shlex.join(command)}: failed\n{log.read().decode()[-2000:]}{out.decode()[-2000:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out.decode()


def find(name, environment, *places):
    """A path from the environment, else the first of places (relative to the source) that exists."""
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for p in [os.environ.get(environment, "")] + [os.path.join(top, q) for q in places]:
        if p and os.path.exists(p):
            return os.path.abspath(p)
    sys.exit(f"{name} not found: set {environment}")


def weft():
    return find("the tool weft, in a release build,", "WEFT", "weft", "build-release/weft", "build-demo/weft", "build/weft")


def shared():
    return find("the folder of shared programs", "WEFT_SHARED", "../shared")
