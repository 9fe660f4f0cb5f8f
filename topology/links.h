/* links.h: link parameters, one line per level of distance (links.def).
 *
 * A message of n bytes over a link costs latency_s + n / bytes_per_s (Hockney's model). Bandwidth is what one rank
 * gets while all ranks of the level are busy. Immutable; a calibrated set replaces the defaults as an input.
 */
#ifndef WEFT_TOPOLOGY_LINKS_H
#define WEFT_TOPOLOGY_LINKS_H

#include "base/status.h"

typedef enum weft_link_level {
#define NAME(name) WEFT_LINK_##name,
#include "topology/links-name.def"
    WEFT_LINK_COUNT
} weft_link_level;

typedef struct weft_link {
    double latency_s, bytes_per_s;
} weft_link;

typedef struct weft_links {
    weft_link at[WEFT_LINK_COUNT];
    double reduce_bytes_per_s; /* operand bytes that one rank adds per second, sources in cache */
    double copy_bytes_per_s;   /* one rank's copies within its own memory */
} weft_links;

extern const weft_links weft_links_default;
const char *weft_link_name(weft_link_level level);  /* as in links.def: "CACHE" */
const char *weft_link_about(weft_link_level level); /* "one last-level cache" */

#endif
