/* buffer.h: a global array on a client's devices.
 *
 * Each device holds its shard, as the layout says. A buffer is made of host data or by an execution, and is never
 * written again. It is counted by references; the last release gives its memory back to the devices, after the commands
 * that were given before. An execution that a buffer is donated to takes its memory: from then on the buffer is dead,
 * for all holders of references, and its use is refused.
 */
#ifndef WEFT_RUNTIME_BUFFER_H
#define WEFT_RUNTIME_BUFFER_H

#include "runtime/host_array.h"
#include "runtime/client.h"
#include "runtime/fill.h"
#include "runtime/layout.h"

typedef struct weft_buffer weft_buffer;

typedef enum weft_buffer_state {
    WEFT_BUFFER_LIVE,      /* it has its data, or will once the execution that makes it is done */
    WEFT_BUFFER_DONATED,   /* its memory is another's */
    WEFT_BUFFER_FAILED     /* the execution that was to make it failed */
} weft_buffer_state;

/* The client's own copy of a layout, one for all that are equal; NULL when memory is out. */
const weft_layout *weft_client_layout(weft_client *c, const weft_layout *l);

/* This process's devices take their shards of a whole array, which has the layout's global type. The array is the
 * caller's again when the call returns. l is copied. */
weft_status weft_buffer_put(weft_client *c, const weft_layout *l, const weft_host_array *global, weft_buffer **out);
/* Values that depend on nothing but the fill, the number `stream` and the element's index in the global array. */
weft_status weft_buffer_fill(weft_client *c, const weft_layout *l, const weft_fill *fill, uint32_t stream,
                             weft_buffer **out);

weft_status weft_buffer_zeros(weft_client *c, const weft_layout *l, weft_buffer **out);

/* Memory of the caller's as a device's part of an array; back(owner) is called once, by any thread, when neither the
 * buffer nor an execution that the buffer was donated to needs it any more. */
typedef struct weft_lent_shard {
    void *at;                     /* local dimensions, row-major, aligned as WEFT_BUFFER_ALIGN (exec/step.h) */
    void (*back)(void *owner);
    void *owner;
} weft_lent_shard;
/* A buffer of lent parts, one per device of this process. Where it fails back is not called. */
weft_status weft_buffer_lend(weft_client *c, const weft_layout *l, const weft_lent_shard *shards, weft_buffer **out);

weft_buffer *weft_buffer_retain(weft_buffer *b);  /* returns b */
void weft_buffer_release(weft_buffer *b);         /* NULL is fine */
const weft_layout *weft_buffer_layout(const weft_buffer *b); /* the client's: it lives as long as that */
weft_buffer_state weft_buffer_state_of(weft_buffer *b);

/* The whole array into global->data on process 0, whose type is filled in on all; data of the others is not used. */
weft_status weft_buffer_get(weft_buffer *b, weft_host_array *global);
/* The same in every process. */
weft_status weft_buffer_get_everywhere(weft_buffer *b, weft_host_array *global);
/* The part of a device of this process, in place, after all commands were waited for: local dimensions, row-major.
 * NULL: another process's device, or the data is not there. It may be written where no command is under way. */
void *weft_buffer_shard(weft_buffer *b, int64_t device);
/* The same, by the number of the device among this process's, without a wait: the caller knows that the execution that
 * makes b is done. Any thread may call it. */
void *weft_buffer_shard_done(const weft_buffer *b, int index);
/* A buffer of the same array that lies as l says; b stays. Where that is how b lies, *out is b, retained; else the
 * devices exchange pieces (exchange.c). */
weft_status weft_buffer_move(weft_buffer *b, const weft_layout *l, weft_buffer **out);

#endif
