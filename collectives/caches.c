/* caches.c: how much of a call the caches hold; see stream.h. sysconf's figure cannot be used: on AMD's processors it
 * is that of the whole chip. */
#include "collectives/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVELS 10
#define UNKNOWN_BYTES ((size_t)4 << 20)

/* The text of a file of that index; "" if there is none. */
static void read_text(const char *folder, int index, const char *name, char *text, size_t room) {
    char path[256];
    int n = snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    int fd = n < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t got = fd < 0 ? -1 : read(fd, text, room - 1);
    if (fd >= 0) close(fd);
    text[got > 0 ? got : 0] = 0;
}

static size_t bytes_of(const char *text) { /* "32768K" */
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    return (size_t)n << (*end == 'K' ? 10 : *end == 'M' ? 20 : 0);
}

static int bits_of(const char *mask) { /* "0000ff00,000000ff" */
    int bits = 0;
    for (; *mask && *mask != '\n'; mask++) {
        char digit[2] = { *mask, 0 };
        bits += __builtin_popcountl(strtoul(digit, NULL, 16));
    }
    return bits;
}

weft_last_cache weft_last_cache_in(const char *folder) {
    weft_last_cache last = { 0 };
    char level[16], type[32], size[32], shared[1024];
    for (int i = 0, highest = 0; i < LEVELS; i++) {
        read_text(folder, i, "level", level, sizeof level);
        read_text(folder, i, "type", type, sizeof type);
        read_text(folder, i, "size", size, sizeof size);
        read_text(folder, i, "shared_cpu_map", shared, sizeof shared);
        if (atoi(level) <= highest || !strncmp(type, "Instruction", 11) || !bytes_of(size) || !bits_of(shared))
            continue;
        highest = atoi(level);
        last = (weft_last_cache){ bytes_of(size), bits_of(shared) };
    }
    return last;
}

size_t weft_cached_bytes(weft_last_cache last, int cpus, int ranks) {
    if (last.bytes == 0 || cpus < 1 || ranks < 1) return UNKNOWN_BYTES;
    int near = last.cpus < cpus ? last.cpus : cpus;
    /* As many ranks as fit there; if ranks share processors, all of those. */
    size_t on_it = ranks <= cpus ? (size_t)(ranks < near ? ranks : near)
                                 : ((size_t)ranks * (size_t)near + (size_t)cpus - 1) / (size_t)cpus;
    size_t share = last.bytes / 4 / on_it;
    return share > WEFT_TURN_BYTES ? share : WEFT_TURN_BYTES;
}
