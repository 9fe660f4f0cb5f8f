/* world.h: how a world is made: what world.c and the start-up of several processes share. */
#ifndef WEFT_COLLECTIVES_WORLD_H
#define WEFT_COLLECTIVES_WORLD_H

#include "collectives/comm.h"

/* What each process says of itself at start. */
typedef struct weft_process_card {
    int32_t local;           /* ranks */
    int32_t node;            /* the lowest process number on its node */
    uint64_t cpus[16];       /* that it may use: bits */
    uint64_t forced;         /* a hash of the algorithms that it forces, which all have to agree on */
} weft_process_card;

/* Lays the ranks over processes and nodes as the cards say. The world's memory is not made yet. */
weft_status weft_world_lay_out(weft_context *cx, const weft_world_options *opt, const weft_process_card *cards, int process,
                               int processes, weft_world **out);
/* Makes the node's memory with this transport; node: the processes of this node, NULL for one. No diagnostic: see transport.h. */
weft_status weft_world_open(weft_world *w, const weft_transport *memory, const weft_bootstrap *node);
/* Reports why that failed, and returns st. */
weft_status weft_world_not_opened(weft_context *cx, const weft_world *w, weft_status st);
/* This process's card but for the node. */
weft_process_card weft_world_card(const weft_world_options *opt);

/* select.c: reads weft_world_options.algorithms, or WEFT_ALGORITHMS of the environment. *out is drawn from cx's allocator, also when
 * the text is reported as wrong. */
weft_status weft_rules_read(weft_context *cx, const char *text, weft_rule **out, size_t *count);
/* The text: the option's, else the environment's; may be NULL. */
const char *weft_rules_text(const weft_world_options *opt);

/* A world whose processes find each other through b; all on one node. For starters other than MPI. */
weft_status weft_world_create_node(weft_context *cx, const weft_world_options *opt, const weft_bootstrap *b, weft_world **out);

#endif
