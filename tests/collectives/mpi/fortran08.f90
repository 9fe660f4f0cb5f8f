! A program that uses mpi_f08, whose functions no library but MPI's own knows. Prints what is wrong.
program modern
    use mpi_f08
    implicit none
    integer, parameter :: n = 1000
    integer :: rank, ranks, i, wrong
    integer :: x(n), y(n)
    integer, allocatable :: all(:)
    type(MPI_Comm) :: half, twin
    type(MPI_Request) :: q
    type(MPI_Datatype) :: gaps

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    wrong = 0
    x = [(rank + i, i = 1, n)]
    call MPI_Allreduce(x, y, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (y(3) /= ranks * (ranks - 1) / 2 + 3 * ranks) wrong = 1
    call MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (any(x /= y)) wrong = 2
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half)
    call MPI_Comm_dup(MPI_COMM_WORLD, twin)
    call MPI_Barrier(twin)
    call MPI_Ibarrier(twin, q)
    call MPI_Wait(q, MPI_STATUS_IGNORE)
    allocate(all(ranks))
    all = -1
    all(rank + 1) = 7 * rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, twin)
    if (any(all /= [(7 * i, i = 0, ranks - 1)])) wrong = 3
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, gaps)
    call MPI_Type_commit(gaps)
    x = -5
    if (rank == ranks - 1) x = [(i, i = 1, n)]
    call MPI_Bcast(x(2:), 1, gaps, ranks - 1, twin)
    if (x(2) /= 2 .or. x(4) /= 4 .or. (rank /= ranks - 1 .and. x(3) /= -5)) wrong = 4
    call MPI_Type_free(gaps)
    call MPI_Bcast(rank, 1, MPI_INTEGER, 0, half)
    call MPI_Comm_free(half)
    call MPI_Comm_free(twin)
    if (half /= MPI_COMM_NULL .or. twin /= MPI_COMM_NULL) wrong = 5
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    if (rank == 0 .and. wrong == 0) print '(a)', 'all the same'
    if (rank == 0 .and. wrong /= 0) print '(a, i0)', 'wrong: ', wrong
    call MPI_Finalize()
end program
