/* device_threads.h: the threads of a client's devices. Private to runtime/. */
#ifndef WEFT_RUNTIME_DEVICE_THREADS_H
#define WEFT_RUNTIME_DEVICE_THREADS_H

#include "runtime/client_impl.h"

void weft_device_threads_init(weft_client *c);         /* the lock and the queue */
weft_status weft_device_threads_start(weft_client *c); /* a thread for each of the world's local ranks */
/* When nothing is under way; also after a start that failed, which began some of them. Ends the lock, too. */
void weft_device_threads_stop(weft_client *c);

#endif
