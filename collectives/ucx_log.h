/* ucx_log: what UCX would print on the user's terminal while Weft calls it is kept instead, for Weft's own diagnostics.
 * Calls of UCX by others in the same process (an MPI library's) stay as they are; and all is printed where the user has
 * set UCX_LOG_LEVEL.
 */
#ifndef WEFT_COLLECTIVES_UCX_LOG_H
#define WEFT_COLLECTIVES_UCX_LOG_H

/* Before the first call of UCX; any number of times, from any thread. */
void weft_ucx_log_start(void);
/* Around this thread's calls of UCX; they nest. */
void weft_ucx_log_hold(void);
void weft_ucx_log_release(void);
/* The last error that this thread was told since it first held, without a line's end; "": none. Valid until the
 * thread's next call of UCX. */
const char *weft_ucx_log_last(void);

/* ucx_signals.c: gives back the signals that UCX's library has taken; done as the program starts. */
void weft_ucx_give_back_signals(void);

#endif
