"""The structs of pjrt/api.h against another binding of the same API: sizes, and the offset of each field."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
abi = pytest.importorskip('pypjrt._abi.pjrt_0_114', reason='pypjrt is not there: pip install pypjrt')
CC = os.environ.get('CC', 'cc').split()[0]
pytestmark = pytest.mark.skipif(not shutil.which(CC), reason='no C compiler')

# Fields that later versions of 0.112 on have, at the end.
LATER = {'Device_MemoryStats': ['peak_allocated_bytes', 'peak_allocated_bytes_is_set']}
OTHERS = {'pjrt_named_value': 'PJRT_NamedValue', 'pjrt_program': 'PJRT_Program',
          'pjrt_memory_layout': 'PJRT_Buffer_MemoryLayout', 'pjrt_execute_options': 'PJRT_ExecuteOptions',
          'pjrt_shape_spec': 'PJRT_ShapeSpec', 'pjrt_extension': 'PJRT_Extension_Base',
          'pjrt_error_table': 'PJRT_Error_FunctionTable', 'pjrt_memory_table': 'PJRT_Memory_FunctionTable',
          'pjrt_logical_ids': 'PJRT_LogicalDeviceIds', 'pjrt_shardings_args': 'PJRT_Shardings_PJRT_Executable_OutputShardings_Args',
          'pjrt_shardings_extension': 'PJRT_Shardings_Extension', 'pjrt_version': 'PJRT_Api_Version',
          'pjrt_layouts_extension': 'PJRT_Layouts_Extension', 'pjrt_layout_destroy_args': 'PJRT_Layouts_MemoryLayout_Destroy_Args',
          'pjrt_layout_serialize_args': 'PJRT_Layouts_MemoryLayout_Serialize_Args',
          'pjrt_layout_default_args': 'PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args',
          'pjrt_layout_buffer_args': 'PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args',
          'pjrt_layouts_args': 'PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args'}


def calls():
    """The table's names, each with the names of its fields."""
    text = re.sub(r'/\*.*?\*/', '', (ROOT / 'pjrt/calls.def').read_text(), flags=re.S)
    for name, fields in re.findall(r'^CALL\((\w+), \w+, \w+,(.*?)\)$', text, flags=re.S | re.M):
        named = []
        for field in filter(None, map(str.strip, fields.split(';'))):
            function = re.search(r'\(\*(\w+)\)', field)
            named.append(function.group(1) if function else re.search(r'(\w+)$', field).group(1))
        yield name, named


def ask(tmp_path, questions):
    """The numbers that the compiler gives for C expressions."""
    source = tmp_path / 'ask.c'
    lines = ['#include <stdio.h>', '#include "pjrt/api.h"', 'int main(void) {']
    lines += [f'    printf("%zu\\n", (size_t)({q}));' for q in questions]
    source.write_text('\n'.join(lines + ['}']) + '\n')
    subprocess.run([CC, '-std=c17', f'-I{ROOT}', source, '-o', tmp_path / 'ask'], check=True)
    return list(map(int, subprocess.run([tmp_path / 'ask'], check=True, capture_output=True, text=True).stdout.split()))


def test_every_field_is_where_the_other_binding_has_it(tmp_path):
    questions, expected, what = [], [], []
    for name, fields in calls():
        other = getattr(abi, f'PJRT_{name}_Args')
        theirs = [f for f, *_ in other._fields_ if f not in LATER.get(name, [])]
        assert len(theirs) == len(fields) + 2, name
        for mine, field in zip(fields, theirs[2:]):
            assert mine == field, name
            questions.append(f'offsetof(pjrt_{name}_args, {mine})')
            expected.append(getattr(other, field).offset)
            what.append(f'{name}.{field}')
    assert len(questions) > 400
    got = ask(tmp_path, questions)
    assert [w for w, g, e in zip(what, got, expected) if g != e] == []


def test_the_table_has_the_functions_in_their_order(tmp_path):
    names = [name for name, _ in calls()]
    assert names == [f.removeprefix('PJRT_') for f in abi.FUNCTIONS[:len(names)]]
    got = ask(tmp_path, [f'offsetof(pjrt_api, {n})' for n in names] + ['sizeof(pjrt_api)'])
    assert got == [40 + 8 * i for i in range(len(names) + 1)]


@pytest.mark.parametrize('mine,other', OTHERS.items())
def test_other_structs(tmp_path, mine, other):
    assert ask(tmp_path, [f'sizeof({mine})']) == [ctypes.sizeof(getattr(abi, other))]
