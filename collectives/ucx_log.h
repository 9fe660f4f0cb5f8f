/* ucx_log: keeps the messages that UCX would print on the user's terminal while Weft calls it, for Weft's diagnostics.
 * Calls of UCX by other libraries of the process (an MPI library) are not affected. If the user has set UCX_LOG_LEVEL,
 * everything is printed.
 */
#ifndef WEFT_COLLECTIVES_UCX_LOG_H
#define WEFT_COLLECTIVES_UCX_LOG_H

/* To be called before the first call of UCX; any number of times, from any thread. */
void weft_ucx_log_start(void);
/* Enclose this thread's calls of UCX; they nest. */
void weft_ucx_log_hold(void);
void weft_ucx_log_release(void);
/* The last error that UCX reported to this thread, without a line end; "": none. Valid until the thread's next call of
 * UCX. */
const char *weft_ucx_log_last(void);

/* ucx_signals.c: restores the signal handlers that UCX's library has replaced; called at the program's start. */
void weft_ucx_give_back_signals(void);

#endif
