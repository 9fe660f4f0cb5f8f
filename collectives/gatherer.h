/* gatherer.h: a world over processes that can give each other bytes before there is one: through a framework's store of
 * keys and values, or as ranks of another world.
 */
#ifndef WEFT_COLLECTIVES_GATHERER_H
#define WEFT_COLLECTIVES_GATHERER_H

#include <weft/coll.h>

typedef struct weft_gatherer {
    int process, processes;      /* of the new world */
    /* all[processes * bytes] gets every process's mine[bytes]. All processes call it in the same order, with the same
     * number of bytes. A failure is not reported: *why says it, in a text that lives until the next call. */
    weft_status (*gather)(void *user, const void *mine, size_t bytes, void *all, const char **why);
    void *user;
} weft_gatherer;

/* Collective over the processes. Their messages are authenticated by a secret that process 0 draws and all gather. g is
 * used during the call only. */
weft_status weft_world_create_gatherer(weft_context *cx, const weft_world_options *opt, const weft_gatherer *g,
                                       weft_world **out);

#endif
