"""Checkpoints are what Python's safetensors reads and writes: by its package where there is one, else by a reader here."""
import json
import os
import struct
import subprocess

import numpy as np
import pytest

BUILD = os.environ.get('top_builddir', '.')
PROGRAM = os.path.join(BUILD, 'tests/capi/checkpoints')
SHAPES = {'w': (96, 50), 'rows': (37, 3), 'scale': (), 'blocks/1/bias': (128,)}

try:
    from safetensors.numpy import load_file, save_file
except ImportError:
    save_file = None

    def load_file(path):
        with open(path, 'rb') as f:
            header = json.loads(f.read(struct.unpack('<Q', f.read(8))[0]))
            data = f.read()
        header.pop('__metadata__', None)
        return {k: np.frombuffer(data[slice(*v['data_offsets'])], dtype='<f4').reshape(v['shape']) for k, v in header.items()}


def value(a, shape, step):
    i = np.arange(int(np.prod(shape)), dtype=np.int64)
    return ((i * 3 + a) % 1000 + step % 4096).astype(np.float32).reshape(shape)


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize('devices', ['1', '2', '4'])
def test_python_reads_what_weft_saves(tmp_path, devices):
    done = run('save', str(tmp_path), devices, '5')
    assert done.returncode == 0, done.stderr
    folder = tmp_path / (tmp_path / 'latest').read_text()
    index = json.loads((folder / 'model.safetensors.index.json').read_text())
    assert set(index['weight_map']) == set(SHAPES)
    assert index['metadata']['total_size'] == sum(4 * int(np.prod(s)) for s in SHAPES.values())
    files = {name: load_file(str(folder / name)) for name in set(index['weight_map'].values())}
    assert len(files) > 1
    for a, (name, shape) in enumerate(SHAPES.items()):
        got = files[index['weight_map'][name]][name]
        assert got.shape == shape and got.dtype == np.float32
        np.testing.assert_array_equal(got, value(a, shape, 5))


@pytest.mark.skipif(save_file is None, reason='no safetensors')
@pytest.mark.parametrize('devices', ['1', '4'])
def test_weft_loads_what_python_saves(tmp_path, devices):
    arrays = {name: value(a, shape, -1 % 4096) for a, (name, shape) in enumerate(SHAPES.items())}  # not one of Weft's: step -1
    save_file(arrays, str(tmp_path / 'model.safetensors'))
    done = run('load', str(tmp_path), devices)
    assert done.returncode == 0 and done.stdout == 'loaded -1\n', done.stderr
