#!/usr/bin/env python3
"""Do the tests notice? Changes the code at single points, drawn by a seed over the rooms, and runs the suites against each change.

    tests/mutation/mutate.py [--count 100] [--seed 1] [--rooms ir,mlir] [--jobs 2] [--work DIR] [--least 0.95] [--only K] [--go-on]

Needs Python with PyPI's libclang (`pip install libclang`), and what a build needs. It copies the source to --work, compiles all mutants into one
program (sites.py), and then, for each mutant, in an order drawn by the seed so that the first are a sample of all, it runs the suites that reach its
code: the room's own first and the others after them, the short ones first, until one fails. A suite runs once without any mutant before its first
turn: that says whether it passes (it is left out otherwise), how long it takes and which mutants' code it reaches. Prints a line for each mutant and ends with

    mutants: K killed, S survived, E equivalent, N never reached: P% of those that change something are killed

A run takes hours. --work/state.json keeps what it found, and --go-on, with the same options and source, goes on where one ended.

tests/mutation/equivalent.txt lists mutants that change nothing that anybody could notice, with the reason: `KEY  # reason`, KEY as printed.
Exit status 1 when fewer than --least are killed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time

import sites

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
SOURCES = subprocess.run(["git", "ls-files", "*/*.c"], cwd=TOP, capture_output=True, text=True).stdout.split()
ROOMS = sorted({name.split("/")[0] for name in SOURCES} - {"tests", "bench", "examples"})
# A room's suites that lie in another's folder.
NEAR = dict.fromkeys(("legalize", "propagate", "partitioner"), ("tests/pipeline/test_passes.sh",))
# Suites in Python that are the only ones to look closely at a room's results.
PYTEST = {"propagate": ["tests/propagate/test_against_shardy.py"], "sharding": ["tests/propagate/test_against_shardy.py"],
          "partitioner": ["tests/partitioner/test_meshes.py", "tests/partitioner/test_partition.py", "tests/partitioner/test_shard_map.py"],
          "mlir": ["tests/mlir/test_roundtrip.py", "tests/mlir/test_bytecode.py"], "runtime": ["tests/runtime/test_collectives.py", "tests/partitioner/test_ragged.py"],
          "pipeline": ["tests/tool/test_auto.py", "tests/tool/test_report.py", "tests/tool/test_sizes.py", "tests/tool/test_strategy.py"], "tool": ["tests/tool/test_report.py", "tests/tool/test_profile.py"],
          "capi": ["tests/capi/test_checkpoint.py", "tests/capi/test_tokenizer.py", "tests/jax/test_optimizers.py"], "differentiate": ["tests/differentiate/test_jax.py"],
          "pjrt": ["tests/pjrt/test_functions.py", "tests/pjrt/test_conform.py", "tests/pjrt/test_jobs.py"]}
# What a build with mutants cannot pass: it looks at the sources or at the library's symbols.
NOT_THESE = ("tests/style/",)


def run(command, **how):
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=True, **how)


def flags_of(build):
    packages = [p for p in ("hwloc", "jansson", "ompi-c", "ucx") if subprocess.run(["pkg-config", "--exists", p]).returncode == 0]
    cflags = subprocess.run(["pkg-config", "--cflags", *packages], capture_output=True, text=True).stdout.split()
    llvm = subprocess.run(["llvm-config-19", "--includedir"], capture_output=True, text=True).stdout.strip()
    clang = subprocess.run(["clang-19", "-print-resource-dir"], capture_output=True, text=True).stdout.strip()
    return ["-std=c17", "-D_GNU_SOURCE", "-DNDEBUG", "-DHAVE_CONFIG_H", f"-I{build}", *cflags, f"-isystem{llvm}", f"-isystem{clang}/include"]


def draw(build, rooms, count, seed):
    """count sites, as many of each room as its lines are of all; none overlaps another."""
    rng = random.Random(seed)
    files = {r: sorted(f for f in SOURCES if f.startswith(r + "/") and (TOP / f).is_file()) for r in rooms}
    lines = {r: sum(len((TOP / f).read_bytes().splitlines()) for f in files[r]) for r in rooms}
    flags = [*flags_of(build), f"-I{TOP}", f"-I{TOP}/include"]
    chosen = []
    for room in rooms:
        share = max(1, round(count * lines[room] / sum(lines.values())))
        taken = {}
        for _ in range(50 * share):
            if sum(map(len, taken.values())) == share or len(chosen) + sum(map(len, taken.values())) == count:
                break
            file = rng.choices(files[room], [max(1, (TOP / f).stat().st_size) for f in files[room]])[0]
            found = sites.find(file, str(TOP), flags)
            if not found:
                continue
            kind = rng.choice(sorted({s.kind for s in found}))
            s = rng.choice([s for s in found if s.kind == kind])
            if all(s.end <= t.start or t.end <= s.start for t in taken.get(file, [])):
                taken.setdefault(file, []).append(s)
        chosen += [s for f in sorted(taken) for s in taken[f]]
    return chosen


def configure(source, build, work, args, *options):
    build.mkdir()
    with open(work / "build.log", "a") as log:
        if not (source / "configure").exists():
            run(["autoreconf", "-fi"], cwd=source, stdout=log, stderr=log)
        run(["../configure", f"CC={args.cc}", "CFLAGS=-O1 -w", "--enable-debug-build", "--disable-werror", *options], cwd=build, stdout=log, stderr=log)


def compile_all(build, work, args):
    with open(work / "build.log", "a") as log:
        run(["make", f"-j{args.jobs + 1}", "all"], cwd=build, stdout=log, stderr=log)
        run(["make", f"-j{args.jobs + 1}", "check", "TESTS="], cwd=build, stdout=log, stderr=log)


class State:
    """What a run has found, in a file that is replaced at each step: suites with their seconds and reach, verdicts by mutant and build."""
    def __init__(self, work, args):
        self.path, self.lock = work / "state.json", threading.Lock()
        drawn = [args.count, args.seed, args.rooms, hashlib.sha256(b"".join((TOP / f).read_bytes() for f in SOURCES if (TOP / f).is_file())).hexdigest()]
        kept = json.loads(self.path.read_text()) if args.go_on and self.path.exists() else {}
        self.goes_on = kept.get("drawn") == drawn
        if args.go_on and not self.goes_on:
            raise SystemExit(f"{self.path} is of no run with these options and this source")
        self.all = kept if self.goes_on else {"drawn": drawn, "suites": {}, "verdicts": {}}

    def kept(self, part, name):
        return self.all[part].get(name)

    def keep(self, part, name, what):
        with self.lock:
            self.all[part][name] = what
            self.save()

    def save(self):
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(self.all))
        fresh.replace(self.path)


def prepare(work, args, state):
    """The source with all mutants, built; the sites by number, from 1."""
    source, build = work / "source", work / "source" / "build"
    if state.goes_on:
        compile_all(build, work, args)
        return source, build, draw(build, args.rooms, args.count, args.seed)
    if source.exists():
        shutil.rmtree(source)
    names = run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, names):
        if (TOP / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, source / name)
    (work / "build.log").unlink(missing_ok=True)
    configure(source, build, work, args)
    chosen = draw(build, args.rooms, args.count, args.seed)
    for path in sorted({s.path for s in chosen}):
        here = [(s, k) for k, s in enumerate(chosen, 1) if s.path == path]
        (source / path).write_bytes(sites.rewrite((source / path).read_bytes(), *zip(*here)))
    state.save()
    compile_all(build, work, args)
    return source, build, chosen


class Suites:
    def __init__(self, source, build, args):
        self.source, self.build, self.args, self.seconds, self.slower = source, build, args, {}, 1
        self.reach = {}    # of each suite the numbers of the mutants whose code it reaches
        text = subprocess.run(["make", "-s", "-f", "Makefile", "-f", "-", "print-tests"], cwd=build, input="print-tests: ; @echo $(TESTS)\n",
                              text=True, capture_output=True, check=True).stdout
        self.names = [t for t in text.split() if not t.startswith(NOT_THESE)]
        launcher = subprocess.run(["sh", "-c", '. "$0" && env -0', str(source / "tests/support/launcher.sh")], capture_output=True, text=True, check=True)
        self.env = {**dict(v.split("=", 1) for v in launcher.stdout.split("\0") if "=" in v), "top_srcdir": str(source), "top_builddir": str(build),
                    "WEFT": str(build / "weft"), "WEFT_TUNE": "none", "ASAN_OPTIONS": "detect_leaks=0",
                    "WEFT_SHARED": os.environ.get("WEFT_SHARED", str(TOP.parent / "shared"))}

    def passes(self, name, mutant, limit, reached=None):
        if name.endswith(".py"):
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(self.source / name)]
        else:
            command = [str((self.source if name.endswith(".sh") else self.build) / name)]
        env = {**self.env, "WEFT_MUTANT": str(mutant), "WEFT_MUTANT_REACHED": str(reached or "")}
        p = subprocess.Popen(command, cwd=self.build, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True)
        try:
            return p.wait(limit) in (0, 77)
        except subprocess.TimeoutExpired:
            return False
        finally:
            # cases are process groups of their own (Check), all in this suite's session
            subprocess.run(["pkill", "-KILL", "-s", str(p.pid)])
            p.wait()

    def sanitized(self, work):
        """The same suites in a build with sanitizers, which ./check has, too."""
        build = self.source / "build-sanitized"
        if not (build / "Makefile").exists():
            configure(self.source, build, work, self.args, "--enable-sanitizers")
        compile_all(build, work, self.args)
        other = Suites(self.source, build, self.args)
        other.names = [n for n in self.reach if not n.endswith(".py")]
        other.seconds, other.slower, other.reach, other.locks = self.seconds, 5, self.reach, self.locks
        return other

    def list(self, count, work, state):
        """Which suites there are; each is measured when a mutant first needs it, so that the first verdicts come early."""
        python = sorted({t for r in self.args.rooms for t in PYTEST.get(r, [])}) if self.args.python else []
        self.names, self.count, self.work, self.state = self.names + python, count, work, state
        self.locks = {name: threading.Lock() for name in self.names}

    def measure(self, name):
        """Runs a suite without any mutant, once: its seconds and its reach are known then, if it passes."""
        with self.locks[name]:
            if name in self.reach:
                return
            found = self.state.kept("suites", name)
            if not found:
                reached = self.work / ("reached." + name.replace("/", "."))
                reached.write_bytes(bytes(self.count + 1))
                begin = time.monotonic()
                well = self.passes(name, 0, 900, reached)
                found = well, time.monotonic() - begin, [k for k, byte in enumerate(reached.read_bytes()) if byte]
                self.state.keep("suites", name, found)
            well, seconds, reach = found
            if not well:
                print(f"left out: {name} fails without any mutant", flush=True)
            self.seconds[name], self.reach[name] = seconds, set(reach) if well else set()

    def killer(self, k, site):
        """The suite that notices mutant k, or None; and how many that reach it were run."""
        room = site.path.split("/")[0]
        near = lambda n: n.startswith(f"tests/{room}/") or n in NEAR.get(room, ()) or n in PYTEST.get(room, ())
        spent, those = 0, 0
        # what is not measured yet comes after what is, in the order of the Makefile
        for name in sorted(self.names, key=lambda n: (not near(n), self.seconds.get(n, math.inf))):
            if self.args.budget and spent > self.args.budget and not near(name):
                break
            self.measure(name)
            if k not in self.reach[name]:
                continue
            those += 1
            spent += self.seconds[name]
            if not self.passes(name, k, self.args.patience + 8 * self.slower * self.seconds[name]):
                return name, those
        return None, those


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rooms", type=lambda s: s.split(","), default=ROOMS)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--work", type=pathlib.Path, default=TOP / "build-mutation")
    p.add_argument("--least", type=float, default=0.95)
    p.add_argument("--only", type=int, help="this mutant alone")
    p.add_argument("--budget", type=float, default=0, help="seconds of suites of other rooms a mutant; 0: all")
    p.add_argument("--patience", type=float, default=20, help="seconds that a suite may take beside eight times its time without a mutant")
    p.add_argument("--python", action="store_true", help="suites in Python, too")
    p.add_argument("--cc", default="gcc")
    p.add_argument("--go-on", action="store_true", help="where a run with the same options ended")
    args = p.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    state = State(args.work, args)
    source, build, chosen = prepare(args.work, args, state)
    print(f"{len(chosen)} mutants, seed {args.seed}", flush=True)
    known = dict(line.rstrip("\n").split("  # ", 1) for line in open(HERE / "equivalent.txt") if "  # " in line)
    suites = Suites(source, build, args)
    suites.list(len(chosen), args.work, state)
    count = dict.fromkeys(("killed", "survived", "equivalent", "never reached"), 0)

    def judge(k, suites, build):
        s, name = chosen[k - 1], f"{k} {build}"
        if s.key() in known:
            return k, s, "equivalent", known[s.key()]
        if not state.kept("verdicts", name):
            begin = time.monotonic()
            by, reached = suites.killer(k, s)
            verdict = "killed" if by else "survived" if reached else "never reached"
            state.keep("verdicts", name, (verdict, f"{by or f'{reached} suites reach it'}, {time.monotonic() - begin:.0f} s"))
        return k, s, *state.kept("verdicts", name)

    def judge_all(numbers, suites, build):
        alive = []
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for k, s, verdict, why in pool.map(lambda k: judge(k, suites, build), numbers):
                if verdict == "survived":
                    alive.append(k)
                count[verdict] += 1
                print(f"{k:4} {verdict:14} {s.path}:{s.line} {s.key().split(' ', 1)[1]}  ({why.strip()})", flush=True)
        return alive

    order = list(range(1, len(chosen) + 1))
    random.Random(args.seed).shuffle(order)
    survivors = judge_all([args.only] if args.only else order, suites, "plain")
    if survivors:
        print("the survivors once more, with sanitizers", flush=True)
        count["survived"] -= len(survivors)
        judge_all(survivors, suites.sanitized(args.work), "sanitized")
    alive = count["survived"] + count["never reached"]
    share = count["killed"] / max(1, count["killed"] + alive)
    print("mutants: " + ", ".join(f"{n} {what}" for what, n in count.items()) + f": {100 * share:.1f}% of those that change something are killed")
    return share < args.least


if __name__ == "__main__":
    sys.exit(main())
