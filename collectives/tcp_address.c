/* tcp_address: a process's own addresses, and the order in which to try those of another; see tcp.h. */
#include "collectives/tcp.h"

#include "base/entropy.h"
#include "collectives/world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_listed(const char *list, const char *name) {
    size_t n;
    for (const char *p = list; p && *p; p += n + (p[n] == ',')) {
        n = strcspn(p, ",");
        if (n == strlen(name) && !strncmp(p, name, n)) return true;
    }
    return false;
}

static bool any_listed(const char *list, const struct ifaddrs *all) {
    for (const struct ifaddrs *a = all; a; a = a->ifa_next)
        if (is_listed(list, a->ifa_name)) return true;
    return false;
}

static uint32_t speed_of(const char *name) {
    char path[64 + IF_NAMESIZE], text[16] = "";
    snprintf(path, sizeof path, "/sys/class/net/%s/speed", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    long mbit_s = n > 0 ? strtol(text, NULL, 10) : 0;
    return mbit_s > 0 ? (uint32_t)mbit_s : 0; /* an interface that is down, or virtual, has -1 */
}

static uint8_t bits_set(const uint8_t *mask, int bytes) {
    int n = 0;
    while (n < 8 * bytes && mask[n / 8] >> (7 - n % 8) & 1) n++;
    return (uint8_t)n;
}

/* Whether others can use the address: not without a cable, not loopback, nor link-local addresses, which need the
 * interface's number. */
static bool read_address(const struct ifaddrs *a, weft_tcp_address *out) {
    if (!a->ifa_addr || !a->ifa_netmask || !(a->ifa_flags & IFF_UP) || !(a->ifa_flags & IFF_RUNNING) ||
        (a->ifa_flags & IFF_LOOPBACK))
        return false;
    *out = (weft_tcp_address){ .mbit_s = speed_of(a->ifa_name) };
    if (a->ifa_addr->sa_family == AF_INET) {
        out->family = 4;
        memcpy(out->bytes, &((const struct sockaddr_in *)(const void *)a->ifa_addr)->sin_addr, 4);
        out->prefix =
            bits_set((const uint8_t *)&((const struct sockaddr_in *)(const void *)a->ifa_netmask)->sin_addr, 4);
        return true;
    }
    if (a->ifa_addr->sa_family != AF_INET6) return false;
    const struct in6_addr *at = &((const struct sockaddr_in6 *)(const void *)a->ifa_addr)->sin6_addr;
    out->family = 6;
    memcpy(out->bytes, at, 16);
    out->prefix =
        bits_set((const uint8_t *)&((const struct sockaddr_in6 *)(const void *)a->ifa_netmask)->sin6_addr, 16);
    return !IN6_IS_ADDR_LINKLOCAL(at);
}

static int of_family(const weft_tcp_card *c, int family) {
    int n = 0;
    for (int i = 0; i < c->count; i++) n += c->at[i].family == family;
    return n;
}

/* If there is no room, replaces the slowest address of a family with several, so that both families
 * stay. */
static void add_address(weft_tcp_card *mine, const weft_tcp_address *at) {
    int slowest = -1;
    if (mine->count < WEFT_TCP_ADDRESSES) {
        mine->at[mine->count++] = *at;
        return;
    }
    bool is_first = of_family(mine, at->family) == 0;
    for (int i = 0; i < mine->count; i++) {
        const weft_tcp_address *x = &mine->at[i];
        if (x->family != at->family && of_family(mine, x->family) == 1) continue;
        if (slowest < 0 || x->mbit_s <= mine->at[slowest].mbit_s) slowest = i;
    }
    if (slowest >= 0 && (is_first || at->mbit_s > mine->at[slowest].mbit_s)) mine->at[slowest] = *at;
}

weft_status weft_tcp_addresses(weft_tcp_card *mine, char *why, size_t room) {
    struct ifaddrs *all;
    const char *names = getenv("WEFT_TCP_INTERFACES"), *others = getenv("UCX_NET_DEVICES");
    if (getifaddrs(&all) != 0) {
        snprintf(why, room, "this machine's addresses cannot be read: %s", strerror(errno));
        return WEFT_ERR_IO;
    }
    bool strict = names && *names;
    if (!strict) names = any_listed(others, all) ? others : NULL;
    mine->count = 0;
    for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
        weft_tcp_address at;
        if ((!names || is_listed(names, a->ifa_name)) && read_address(a, &at)) add_address(mine, &at);
    }
    freeifaddrs(all);
    mine->host = weft_host_id(NULL);
    if (weft_random(mine->token, sizeof mine->token) != WEFT_OK) {
        snprintf(why, room, "the system has no random numbers: %s", strerror(errno));
        return WEFT_ERR_IO;
    }
    if (!strict || mine->count) return WEFT_OK;
    snprintf(why, room, "WEFT_TCP_INTERFACES=%s: no interface of such a name has an address", names);
    return WEFT_ERR_IO;
}

/* --- addresses of others ------------------------------------------------------------------------------------------ */

static bool same_network(const weft_tcp_address *a, const weft_tcp_address *b) {
    if (a->family != b->family || a->prefix != b->prefix) return false;
    for (int i = 0; i < a->prefix; i++)
        if ((a->bytes[i / 8] ^ b->bytes[i / 8]) >> (7 - i % 8) & 1) return false;
    return true;
}

typedef struct way {
    int is_near;
    uint32_t mbit_s;
    const weft_tcp_address *at;
} way;

static way way_to(const weft_tcp_card *mine, const weft_tcp_address *theirs) {
    way w = { 0, 0, theirs };
    for (int i = 0; i < mine->count; i++) {
        const weft_tcp_address *a = &mine->at[i];
        if (!same_network(a, theirs)) continue;
        w.is_near = 1;
        uint32_t both = a->mbit_s < theirs->mbit_s ? a->mbit_s : theirs->mbit_s;
        if (both > w.mbit_s) w.mbit_s = both;
    }
    return w;
}

static bool is_better(const way *a, const way *b) {
    return a->is_near != b->is_near ? a->is_near > b->is_near : a->mbit_s > b->mbit_s;
}

static struct sockaddr_in6 socket_address(const weft_tcp_address *a, uint16_t port) {
    struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = port };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = port };
    if (a->family == 6) memcpy(&to.sin6_addr, a->bytes, 16);
    else memcpy(&four.sin_addr, a->bytes, 4), memcpy(&to, &four, sizeof four);
    return to;
}

static bool has_address(const weft_tcp_card *c, const weft_tcp_address *a) {
    for (int i = 0; i < c->count; i++)
        if (c->at[i].family == a->family && !memcmp(c->at[i].bytes, a->bytes, sizeof a->bytes)) return true;
    return false;
}

int weft_tcp_ways(const weft_tcp_card *mine, const weft_tcp_card *theirs, struct sockaddr_in6 *out) {
    way ways[WEFT_TCP_ADDRESSES];
    int n = 0, count = 0;
    for (int i = 0, at; i < theirs->count && i < WEFT_TCP_ADDRESSES; i++) {
        /* a bridge with the same address on all machines: it leads to this one */
        if (mine->host != theirs->host && has_address(mine, &theirs->at[i])) continue;
        way w = way_to(mine, &theirs->at[i]);
        for (at = count++; at > 0 && is_better(&w, &ways[at - 1]); at--) ways[at] = ways[at - 1];
        ways[at] = w;
    }
    if (mine->host == theirs->host)
        out[n++] = socket_address(&(weft_tcp_address){ .family = 4, .bytes = { 127, 0, 0, 1 } }, theirs->port);
    for (int i = 0; i < count; i++) out[n++] = socket_address(ways[i].at, theirs->port);
    return n;
}

socklen_t weft_tcp_length(const struct sockaddr_in6 *a) {
    return a->sin6_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof *a;
}

bool weft_tcp_meets_itself(int fd) {
    struct sockaddr_in6 here = { 0 }, there = { 0 };
    socklen_t n = sizeof here, m = sizeof there;
    return getsockname(fd, (struct sockaddr *)(void *)&here, &n) == 0 &&
           getpeername(fd, (struct sockaddr *)(void *)&there, &m) == 0 && n == m && memcmp(&here, &there, n) == 0;
}
