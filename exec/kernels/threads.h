/* threads.h: how many threads OpenMP takes for calls of libraries. A device is one thread, so that they get one.
 *
 * The number is the calling thread's own (OpenMP 5.2, 2.4: the ICV nthreads-var of its data environment). Programs are
 * compiled on the caller's thread, which gets its number back. A pool that is the whole process's, as that of an
 * OpenBLAS built with pthreads, is the user's: it is left alone.
 */
#ifndef WEFT_KERNELS_THREADS_H
#define WEFT_KERNELS_THREADS_H

/* From here on one thread; returns what there was, for weft_threads_give. */
int weft_threads_take_one(void);
void weft_threads_give(int before);

#endif
