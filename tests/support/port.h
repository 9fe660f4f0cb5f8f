/* port.h: a TCP port that was free just now, on the loopback; and a network namespace of a test's own, in which the
 * test chooses the ports of callers. */
#ifndef WEFT_TESTS_SUPPORT_PORT_H
#define WEFT_TESTS_SUPPORT_PORT_H

#include <check.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define WEFT_TEST_PORTS "/proc/sys/net/ipv4/ip_local_port_range"

static inline int weft_test_free_port(void) {
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    close(fd);
    return ntohs(a.sin_port);
}

/* Gives the calling thread a network with only a loopback. Returns the descriptor that restores the old one, or -1,
 * reported: namespaces are not available. */
static inline int weft_test_leave_network(void) {
    struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
    int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), fd = -1;
    bool left = home >= 0 && unshare(CLONE_NEWNET) == 0;
    bool up = left && (fd = socket(AF_INET, SOCK_DGRAM, 0)) >= 0 && ioctl(fd, SIOCSIFFLAGS, &lo) == 0 &&
              access(WEFT_TEST_PORTS, W_OK) == 0;
    if (fd >= 0) close(fd);
    if (up) return home;
    printf("skipped: 1 (no network namespaces here)\n");
    if (left) ck_assert_int_eq(setns(home, CLONE_NEWNET), 0);
    if (home >= 0) close(home);
    return -1;
}

static inline void weft_test_return_to_network(int home) {
    ck_assert_int_eq(setns(home, CLONE_NEWNET), 0);
    close(home);
}

/* In such a network: callers get this port from now on. */
static inline void weft_test_call_from(int port) {
    FILE *f = fopen(WEFT_TEST_PORTS, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "%d %d\n", port, port);
    ck_assert_int_eq(fclose(f), 0);
}

#endif
