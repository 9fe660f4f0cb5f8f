/* tcp_queue: the size of the system's send buffer of a connection; see tcp.h.
 *
 * By default the system buffers some megabytes of a long message, which have left the caches when they are read again:
 * 32 MiB each way between two cores took 13.0 ms, and 10.2 with a quarter of a megabyte (veth, Linux 6.18, Zen 1). The
 * buffer must hold the data in flight: the rate times the round-trip time, as the system has measured them. It gets
 * four times that, since the system cannot have measured a rate above what the buffer allows: so the bound grows until
 * something else is slower. For long round trips the system decides.
 */
#include "collectives/tcp.h"

#include <linux/tcp.h>
#include <stddef.h>
#include <sys/socket.h>

#define LEAST WEFT_TCP_QUEUE_LEAST
#define MOST WEFT_TCP_QUEUE_MOST
#define WARM ((uint64_t)4 << 20) /* before it has sent so much the system's figures are poor */

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72          /* Linux 5.14 */
#endif

size_t weft_tcp_queue_wanted(uint64_t bytes_s, uint32_t rtt_us, uint64_t sent) {
    double four = 4 * (double)bytes_s * rtt_us / 1e6;
    if (!bytes_s || !rtt_us || sent < WARM) return 0;
    return four >= (double)MOST ? MOST : four > (double)LEAST ? (size_t)four : LEAST;
}

void weft_tcp_bound_queue(weft_tcp_peer *q) {
    struct tcp_info i = { 0 };
    socklen_t n = sizeof i;
    if (getsockopt(q->fd, IPPROTO_TCP, TCP_INFO, &i, &n) != 0 ||
        n < offsetof(struct tcp_info, tcpi_delivery_rate) + sizeof i.tcpi_delivery_rate)
        return;
    size_t bytes = weft_tcp_queue_wanted(i.tcpi_delivery_rate, i.tcpi_min_rtt, i.tcpi_bytes_acked);
    bool is_near = q->queue_bytes && bytes <= 2 * q->queue_bytes && 2 * bytes >= q->queue_bytes;
    if (!bytes || is_near || (bytes == MOST && !q->queue_bytes)) return;
    /* A bound ends the system's own growth, and has a lower maximum: if it could not be removed again, none is
     * set. */
    /* half: the system doubles it, to count its own overhead */
    int half = (int)(bytes / 2), locks, got;
    socklen_t of_locks = sizeof locks, of_got = sizeof got;
    if (getsockopt(q->fd, SOL_SOCKET, SO_BUF_LOCK, &locks, &of_locks) != 0 ||
        setsockopt(q->fd, SOL_SOCKET, SO_SNDBUF, &half, sizeof half) != 0)
        return;
    locks = 0;
    if (bytes == MOST)
        q->queue_bytes = setsockopt(q->fd, SOL_SOCKET, SO_BUF_LOCK, &locks, sizeof locks) == 0 ? 0 : q->queue_bytes;
    else q->queue_bytes = getsockopt(q->fd, SOL_SOCKET, SO_SNDBUF, &got, &of_got) == 0 && got > 0 ? (size_t)got : bytes;
}
