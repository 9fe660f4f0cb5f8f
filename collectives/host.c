/* host.c: which node this process is on; see world.h.
 *
 * Memory is shared through /proc/PID, so a node is a machine (its boot has a number of its own) and a PID namespace. A
 * network namespace counts as a host too: a user that gives processes networks of their own wants them to be
 * distinguished.
 */
#include "collectives/world.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t mix(uint64_t h, const char *p, size_t n) { /* FNV-1a, and a mark between texts */
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)p[i]) * 1099511628211u;
    return (h ^ 0x100) * 1099511628211u;
}

static uint64_t mix_file(uint64_t h, const char *path, bool *found) {
    char text[128];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0) close(fd);
    *found = n > 0;
    return n > 0 ? mix(h, text, (size_t)n) : h;
}

static uint64_t mix_link(uint64_t h, const char *path) {
    char text[128];
    ssize_t n = readlink(path, text, sizeof text); /* "pid:[4026531836]" */
    return n > 0 ? mix(h, text, (size_t)n) : h;
}

/* Linux reports each processor's package. */
static int package_of_cpu(int cpu) {
    char path[80], text[16] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    return n > 0 && text[0] >= '0' && text[0] <= '9' ? atoi(text) : -1;
}

int weft_package_of_cpus(const uint64_t *cpus, int words) {
    int package = -1;
    bool first = true;
    for (int cpu = 0; cpu < 64 * words; cpu++) {
        if (!(cpus[cpu / 64] >> cpu % 64 & 1)) continue;
        int p = package_of_cpu(cpu);
        if (p < 0 || (!first && p != package)) return -1;
        package = p;
        first = false;
    }
    return package;
}

uint64_t weft_machine_id(void) {
    bool booted;
    uint64_t h = mix_file(14695981039346656037u, "/proc/sys/kernel/random/boot_id", &booted);
    if (booted) return h;
    char host[256] = "";
    (void)gethostname(host, sizeof host - 1);
    return mix(h, host, strlen(host));
}

uint64_t weft_host_id(const char *name) {
    uint64_t h = mix_link(weft_machine_id(), "/proc/self/ns/pid");
    return name && *name ? mix(h, name, strlen(name)) : mix_link(h, "/proc/self/ns/net");
}

bool weft_has_rdma(void) {
    DIR *d = opendir("/sys/class/infiniband");
    bool found = false;
    for (const struct dirent *e; d && !found && (e = readdir(d));) found = e->d_name[0] != '.';
    if (d) closedir(d);
    return found;
}
