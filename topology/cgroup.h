/* cgroup.h: the time and the memory that the system's control groups allow this process.
 *
 * A process is in one group of cgroup 2 and in one of each hierarchy of cgroup 1; the limits of all groups above it
 * hold too, and the lowest of them counts. A container sees its own group as the root, whatever path the system names,
 * so the root is always read.
 */
#ifndef WEFT_TOPOLOGY_CGROUP_H
#define WEFT_TOPOLOGY_CGROUP_H

/* Where to look for them. Tests make folders of their own. */
typedef struct weft_cgroups {
    const char *root;   /* "/sys/fs/cgroup" */
    const char *self;   /* "/proc/self/cgroup": the lines "0::/group" and "4:cpu,cpuacct:/group" */
} weft_cgroups;
extern const weft_cgroups weft_cgroups_here;

double weft_cgroup_cores(const weft_cgroups *c);   /* time, in cores; 0: no limit */
/* How many of so many cores, at least 1, the time of `granted` cores lets run at once; 0: it has no limit. */
int weft_cgroup_room(int cores, double granted);
double weft_cgroup_memory(const weft_cgroups *c);  /* bytes; 0: no limit */

#endif
