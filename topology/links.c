/* links.c: expands links.def. */
#include "topology/links.h"

const weft_links weft_links_default = {
    .at = {
#define LINK(name, latency, bandwidth, about) [WEFT_LINK_##name] = { latency, bandwidth },
#include "topology/links.def"
    },
    .reduce_bytes_per_s = 20e9,
    .copy_bytes_per_s = 12e9,
};

const char *weft_link_name(weft_link_level level) {
    static const char *const names[] = {
#define LINK(name, latency, bandwidth, about) [WEFT_LINK_##name] = #name,
#include "topology/links.def"
    };
    return level < WEFT_LINK_COUNT ? names[level] : "?";
}

const char *weft_link_about(weft_link_level level) {
    static const char *const texts[] = {
#define LINK(name, latency, bandwidth, about) [WEFT_LINK_##name] = about,
#include "topology/links.def"
    };
    return level < WEFT_LINK_COUNT ? texts[level] : "?";
}
