/* wire.h: what the processes of a world tell each other when it is made and as calls begin (cards), and what of it is
 * believed.
 *
 * Who sends a card has proved that it belongs to the job where the job has a key (door.h); a card may still be another
 * release's, or a broken process's. So each field is checked here, once, before anything is computed with it: a number
 * that is used as an index, a length or a count is in its range afterwards, an enumerator is one, a text has an end.
 *
 * What ranks of one node write into the memory that they share is not checked: they could change it after the check.
 */
#ifndef WEFT_COLLECTIVES_WIRE_H
#define WEFT_COLLECTIVES_WIRE_H

#include "collectives/tcp.h"
#include "collectives/world.h"

/* How a process has fared in a step of the start. */
typedef struct weft_step_card {
    int32_t status, reach;
    char why[WEFT_REASON_BYTES];
} weft_step_card;

/* for one number of ranks and nodes: more than weft tune makes, up to 12 for each of 13 collectives and reductions */
#define WEFT_TUNED_RULES 192

/* What a process has measured: tuned.c. */
typedef struct weft_tuned_card {
    int32_t status;          /* of its reading: what fails anywhere fails everywhere */
    int32_t there, count;    /* 1: links and rules are set */
    weft_locality locality;
    weft_links links;
    weft_alg_rule rules[WEFT_TUNED_RULES];
} weft_tuned_card;

/* What a rank calls, to those on other nodes: messages.c. */
typedef struct weft_call_card {
    uint64_t sig, pair;      /* pair: of the counts that only these two have to agree on */
    weft_call_note note;     /* without the site, which means nothing on another node */
    weft_site_note site;
} weft_call_card;

#define WEFT_ADDRESS_MOST (1u << 20) /* bytes of a transport's address: UCX's are some hundreds for each adapter */

/* The cards of all processes; *ranks: how many they have in all. WEFT_ERR_USAGE or WEFT_ERR_IO, reported, for one that
 * is wrong or does not agree with process 0's. */
weft_status weft_process_cards_check(weft_context *cx, const weft_process_card *cards, int processes, int *ranks);
bool weft_memory_card_is_sound(const weft_memory_card *c, int of_node); /* of_node: with the node's segment */
bool weft_step_card_is_sound(const weft_step_card *c);
bool weft_tcp_card_is_sound(const weft_tcp_card *c);
bool weft_tuned_card_is_sound(const weft_tuned_card *c);
bool weft_call_card_is_sound(const weft_call_card *c, int ranks);
/* Whether the memory that a node's first process made is of this node. */
bool weft_node_is_sound(const weft_node *n, int processes, int ranks);
/* weft_status as a number that came. */
bool weft_status_is_sound(int32_t status);

#endif
