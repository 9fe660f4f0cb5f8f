! Collectives from Fortran by both modules: in place, with a type of Fortran's, of a part of the processes, and nonblocking.
subroutine by_f08(rank, size, good)
    use mpi_f08
    integer, intent(in) :: rank, size
    logical, intent(inout) :: good
    real(8) :: x(1000)
    type(MPI_Comm) :: half
    type(MPI_Request) :: q(2)
    integer :: n
    x = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, x, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    good = good .and. all(x == size * (size + 1) / 2)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
    call MPI_Comm_size(half, n)
    x = mod(rank, 2)
    call MPI_Allreduce(MPI_IN_PLACE, x, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, half)
    good = good .and. all(x == n * mod(rank, 2))
    x = rank
    call MPI_Ibcast(x, 1000, MPI_DOUBLE_PRECISION, n - 1, half, q(1))
    call MPI_Ibarrier(half, q(2))
    call MPI_Waitall(2, q, MPI_STATUSES_IGNORE)
    good = good .and. all(x == 2 * (n - 1) + mod(rank, 2))
    call MPI_Comm_free(half)
end subroutine

program fortran
    use mpi
    integer :: rank, size, e, q, n(500)
    integer, allocatable :: all_n(:)
    logical :: good
    call MPI_Init(e)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
    call MPI_Comm_size(MPI_COMM_WORLD, size, e)
    allocate(all_n(500 * size))
    n = rank
    call MPI_Allgather(n, 500, MPI_INTEGER, all_n, 500, MPI_INTEGER, MPI_COMM_WORLD, e)
    good = e == MPI_SUCCESS .and. all_n(500 * size) == size - 1
    call MPI_Bcast(n, 500, MPI_INTEGER, size - 1, MPI_COMM_WORLD, e)
    good = good .and. all(n == size - 1)
    call MPI_Iallreduce(MPI_IN_PLACE, n, 500, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, q, e)
    call MPI_Wait(q, MPI_STATUS_IGNORE, e)
    good = good .and. e == MPI_SUCCESS .and. all(n == size * (size - 1))
    call by_f08(rank, size, good)
    call MPI_Allreduce(MPI_IN_PLACE, good, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, e)
    if (rank == 0 .and. good) print '(a)', 'all the same'
    call MPI_Finalize(e)
end program
