"""A process that runs programs one after another, so that Weft starts once and a crash costs one case.

As a program it answers pickled requests (text, arrays) on standard input with ('ok', results, compile_s, run_s) or ('error', text).
Its argument names who runs them: weft or xla, each a module with Program and Error.
"""
import importlib
import os
import pickle
import select
import signal
import subprocess
import sys
import time

import binding as weft

RUNNERS = {'weft': 'binding', 'xla': 'xla'}    # modules
LIMIT_S = float(os.environ.get('WEFT_CASE_TIMEOUT', '120'))     # for one program, compiled and run


class Died(Exception):
    """The process ended, or was ended, before it answered."""


class Worker:
    def __init__(self, runner='weft'):
        self.runner, self.process = runner, None

    def send(self, text, arrays):
        """Starts a program; what it gave is had with receive()."""
        if not self.process:
            self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), self.runner], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        try:
            self.process.stdin.write(len(data := pickle.dumps((text, arrays))).to_bytes(8, 'little') + data)
        except BrokenPipeError:
            pass     # receive() says why

    def receive(self):
        """Results, seconds to compile, seconds to run. Raises weft.Error or Died."""
        deadline = time.monotonic() + LIMIT_S
        data = self.take(int.from_bytes(self.take(8, deadline), 'little'), deadline)
        kind, *rest = pickle.loads(data)
        if kind == 'error':
            raise weft.Error(*rest)
        return rest

    def take(self, n, deadline):
        data = b''
        while len(data) < n:
            ready = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]
            more = os.read(self.process.stdout.fileno(), n - len(data)) if ready else b''
            if not more:
                raise Died(self.end(late=not ready))
            data += more
        return data

    def end(self, late=False):
        p, self.process = self.process, None
        if not p:
            return ''
        if late:
            p.kill()
        p.stdin.close()
        p.stdout.close()
        code = p.wait()
        if late:
            return 'no answer within %g s' % LIMIT_S
        return '%s crashed: %s' % (self.runner, signal.Signals(-code).name if code < 0 else 'exit status %d' % code)


def answer(runner, text, arrays):
    try:
        start = time.perf_counter()
        program = runner.Program(text)
        compiled = time.perf_counter()
        results = program(*arrays)
        end = time.perf_counter()
        program.close()
        return 'ok', results, compiled - start, end - compiled
    except runner.Error as e:
        return 'error', str(e)


def serve(runner, requests, answers):
    while len(head := requests.read(8)) == 8:
        data = pickle.dumps(answer(runner, *pickle.loads(requests.read(int.from_bytes(head, 'little')))))
        answers.write(len(data).to_bytes(8, 'little') + data)
        answers.flush()


if __name__ == '__main__':
    serve(importlib.import_module(RUNNERS[sys.argv[1]]), sys.stdin.buffer, os.fdopen(os.dup(1), 'wb'))
