/* port.h: a TCP port that was free just now, on the loopback. */
#ifndef WEFT_TESTS_SUPPORT_PORT_H
#define WEFT_TESTS_SUPPORT_PORT_H

#include <check.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

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

#endif
