/* wire.h: the data that the processes of a world exchange when it is made and when calls begin (cards), and its
 * validation.
 *
 * If the job has a key, the sender of a card has proved that it belongs to the job (door.h). A card may still be from
 * another release, or from a broken process. So each field is checked here, once, before it is used: a number that
 * serves as an index, a length or a count is in its range afterwards, an enumerator is valid, a text is terminated.
 *
 * Data that ranks of one node write into their shared memory is not checked: they could change it after the check.
 * What ranks of one node write into the memory that they share is not checked: they could change it after the check.
 */
#ifndef WEFT_COLLECTIVES_WIRE_H
#define WEFT_COLLECTIVES_WIRE_H

#include "collectives/tcp.h"
#include "collectives/world.h"

/* The outcome of a step of the start in a process. */
typedef struct weft_step_card {
    int32_t status, reach;
    char why[WEFT_REASON_BYTES];
} weft_step_card;

/* more than weft tune makes: up to 12 for each of 13 collectives and reductions */
#define WEFT_TUNED_RULES 192

/* The measurements of a process: tuned.c. */
typedef struct weft_tuned_card {
    int32_t status;          /* of reading its file: a failure in one process fails in all */
    int32_t there, count;    /* 1: links and rules are set */
    int64_t stream;          /* weft_tune_stream_of */
    weft_locality locality;
    weft_links links;
    weft_alg_rule rules[WEFT_TUNED_RULES];
} weft_tuned_card;

/* A rank's call, sent to members on other nodes: messages.c. */
typedef struct weft_call_card {
    uint64_t sig, pair;      /* pair: of the counts on which only these two must agree */
    weft_call_note note;     /* without the site, an offset that is valid on one node only */
    weft_site_note site;
} weft_call_card;

#define WEFT_ADDRESS_MOST (1u << 20) /* bytes of a transport's address: UCX's are some hundreds for each adapter */

/* The cards of all processes; *ranks: the number of ranks in all. WEFT_ERR_USAGE or WEFT_ERR_IO, reported, for a card
 * that is invalid or does not agree with process 0's. */
weft_status weft_process_cards_check(weft_context *cx, const weft_process_card *cards, int processes, int *ranks);
bool weft_memory_card_is_sound(const weft_memory_card *c, int of_node); /* of_node: with the node's segment */
bool weft_step_card_is_sound(const weft_step_card *c);
bool weft_tcp_card_is_sound(const weft_tcp_card *c);
bool weft_tuned_card_is_sound(const weft_tuned_card *c);
bool weft_call_card_is_sound(const weft_call_card *c, int ranks);
/* Whether the memory made by a node's first process belongs to this node. */
bool weft_node_is_sound(const weft_node *n, int processes, int ranks);
/* A received number as a weft_status. */
bool weft_status_is_sound(int32_t status);

#endif
