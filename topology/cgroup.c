/* cgroup.c: see cgroup.h. The files are those of the kernel's documentation: cgroup-v2.rst (cpu.max, memory.max),
 * cgroup-v1/memory.rst (memory.limit_in_bytes) and scheduler/sched-bwc.rst (cpu.cfs_quota_us, cpu.cfs_period_us). */
#include "topology/cgroup.h"

#include <stdio.h>
#include <string.h>

const weft_cgroups weft_cgroups_here = { "/sys/fs/cgroup", "/proc/self/cgroup" };

enum { ROOM = 4096 };
#define NO_LIMIT 0x1p62 /* cgroup 1 writes the largest number of full pages if there is no limit */

/* A limit of the group with this folder; 0: none, or no such file. */
typedef double (*limit_of)(const char *folder);

/* The numbers at the beginning of a file, at most n; returns their count. A limit that is not set is a word. */
static int numbers(const char *folder, const char *name, double *v, int n) {
    char path[ROOM + 64];
    int got = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    while (f && got < n && fscanf(f, "%lf", &v[got]) == 1) got++;
    if (f) fclose(f);
    return got;
}

static double cores_of(const char *folder) {
    double v[2] = { 0, 0 };
    if (numbers(folder, "cpu.max", v, 2) != 2)
        if (!numbers(folder, "cpu.cfs_quota_us", &v[0], 1) || !numbers(folder, "cpu.cfs_period_us", &v[1], 1)) return 0;
    return v[0] > 0 && v[1] > 0 ? v[0] / v[1] : 0;
}

static double memory_of(const char *folder) {
    double v = 0;
    if (!numbers(folder, "memory.max", &v, 1)) (void)numbers(folder, "memory.limit_in_bytes", &v, 1);
    return v > 0 && v < NO_LIMIT ? v : 0;
}

static double less(double a, double b) { return a <= 0 || (b > 0 && b < a) ? b : a; }

/* The least limit of the group at mount + path and its parents, up to the mount itself. */
static double least_up(const char *mount, const char *path, limit_of limit) {
    char folder[ROOM];
    double least = limit(mount);
    const size_t top = strlen(mount), rest = strlen(path);
    if (top + rest >= sizeof folder) return least;
    memcpy(folder, mount, top);
    memcpy(folder + top, path, rest + 1);
    for (size_t n = top + rest; n > top; folder[n] = '\0') {
        least = less(least, limit(folder));
        while (n > top && folder[--n] != '/') {}
    }
    return least;
}

/* Whether word is one of a list with commas. */
static int is_among(const char *list, const char *word) {
    const size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ',')) return 1;
    return 0;
}

/* The least limit over the groups of this process. controller: its name in cgroup 1, a folder of the
 * root there. */
static double least_of(const weft_cgroups *c, const char *controller, limit_of limit) {
    char line[ROOM], mount[ROOM];
    snprintf(mount, sizeof mount, "%s/%s", c->root, controller);
    double least = less(limit(c->root), limit(mount));
    FILE *f = fopen(c->self, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        list++;
        if (!*list) {
            least = less(least, least_up(c->root, path, limit));
            snprintf(mount, sizeof mount, "%s/unified", c->root); /* if cgroup 1 has the root */
        } else if (is_among(list, controller)) {
            snprintf(mount, sizeof mount, "%s/%s", c->root, controller);
        } else {
            continue;
        }
        least = less(least, least_up(mount, path, limit));
    }
    if (f) fclose(f);
    return least;
}

double weft_cgroup_cores(const weft_cgroups *c) { return least_of(c, "cpu", cores_of); }
int weft_cgroup_room(int cores, double granted) {
    const int most = cores > 1 ? cores : 1;
    return granted > 0 && granted < most ? (granted > 1 ? (int)granted : 1) : most;
}

double weft_cgroup_memory(const weft_cgroups *c) { return least_of(c, "memory", memory_of); }
