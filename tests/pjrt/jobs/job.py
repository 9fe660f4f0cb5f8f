"""What the programs of this folder have in common: how a process of a job begins and ends.

JOB_PROCESS, JOB_COUNT and JOB_COORDINATOR are of jax.distributed; without JOB_COORDINATOR the launch brings the
processes together (mpirun, WEFT_RENDEZVOUS).
"""
import os

COORDINATOR = os.environ.get('JOB_COORDINATOR')


def number(*names):
    return int(next(os.environ[n] for n in names if n in os.environ))


PROCESS = number('JOB_PROCESS', 'WEFT_PROCESS', 'OMPI_COMM_WORLD_RANK')
COUNT = number('JOB_COUNT', 'WEFT_PROCESSES', 'OMPI_COMM_WORLD_SIZE')


def begin(**options):
    import jax
    if COORDINATOR:
        jax.distributed.initialize(COORDINATOR, COUNT, PROCESS, **options)
    return jax


def end():
    print('done', flush=True)
