/* machine_open.c: machines by name: NAME.machine in the folders of descriptions. */
#include "topology/machine.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/context.h"
#include "base/file_read.h"
#include "base/nearest.h"
#include "topology/datadir.h"

#define SUFFIX ".machine"
#define BLANKS " \t\n" /* in a description, */
#define PATHS "/."     /* and in a path: */
#define NO_NAME BLANKS PATHS ":"
#define MOST_BYTES (1 << 20) /* of a description */

/* Folder i of the search path, into path; false after the last. Beside the running program: a relocated installation
 * (PREFIX/bin), a build folder, and its .libs, which contains libtool's program. */
static bool folder_at(const char *folders, int i, char *path, size_t room) {
    for (const char *p = folders; p && *p; p += strcspn(p, ":"), p += *p == ':') {
        if (i-- > 0) continue;
        snprintf(path, room, "%.*s", (int)strcspn(p, ":"), p);
        return true;
    }
    static const char *const beside[] = { "topology/machines", "../topology/machines", "../share/weft/machines" };
    if (i < (int)WEFT_COUNT(beside)) {
        char exe[PATH_MAX];
        ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
        while (n > 0 && exe[n - 1] != '/') n--;
        snprintf(path, room, "%.*s%s", n > 0 ? (int)n : 0, exe, beside[i]);
        return true;
    }
    if (i > (int)WEFT_COUNT(beside)) return false;
    snprintf(path, room, "%s", WEFT_MACHINES_DIR);
    return true;
}

static weft_status read_file(weft_context *cx, FILE *f, const char *path, weft_machine *out) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    char *text = weft_arena_take(&cx->scratch, MOST_BYTES + 1, 1);
    weft_status st = WEFT_OK;
    if (!text) return weft_oom();
    size_t n = fread(text, 1, MOST_BYTES + 1, f);
    if (ferror(f)) st = weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", path, strerror(errno));
    else if (n > MOST_BYTES)
        st = weft_report(cx, WEFT_D_file, NULL, "'%s' is too long for a machine's description", path);
    else st = weft_machine_read(cx, (weft_str){ text, n }, path, out);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

static weft_status no_machine(weft_context *cx, weft_str name, const char *folders) {
    char folder[PATH_MAX], best[256] = "";
    weft_nearest near = weft_nearest_to(name);
    weft_nearest_offer(&near, weft_str_from(weft_machine_default.name));
    for (int i = 0; folder_at(folders, i, folder, sizeof folder); i++) {
        struct dirent **files = NULL;
        const int n = scandir(folder, &files, NULL, alphasort); /* sorted: of equally near ones the first is named */
        for (int k = 0; k < n; k++) {
            const size_t length = strlen(files[k]->d_name);
            const bool is_machine =
                length > strlen(SUFFIX) && !strcmp(files[k]->d_name + length - strlen(SUFFIX), SUFFIX);
            if (is_machine) weft_nearest_offer(&near, (weft_str){ files[k]->d_name, length - strlen(SUFFIX) });
        }
        if (near.best.n && near.best.p != best)
            snprintf(best, sizeof best, "%.*s", WEFT_STR_ARG(near.best)), near.best.p = best;
        for (int k = 0; k < n; k++) free(files[k]);
        free(files);
    }
    weft_status st = weft_report(cx, WEFT_D_usage, NULL,
                                 "there is no machine '%.*s'; a file's name has a '/' or a '.' in it" WEFT_NEAREST,
                                 WEFT_STR_ARG(name), WEFT_NEAREST_ARG(near));
    weft_help(cx, NULL, "'weft topo --list' names the machines");
    return st;
}

static weft_status open_named(weft_context *cx, weft_str name, const char *folders, weft_machine *out) {
    char folder[PATH_MAX], path[PATH_MAX + 256];
    if (weft_str_is(name, weft_machine_default.name)) {
        *out = weft_machine_default;
        return WEFT_OK;
    }
    for (int i = 0; name.n < 200 && folder_at(folders, i, folder, sizeof folder); i++) {
        snprintf(path, sizeof path, "%s/%.*s" SUFFIX, folder, WEFT_STR_ARG(name));
        FILE *f = fopen(path, "r");
        if (!f) continue;
        weft_status st = read_file(cx, f, path, out);
        fclose(f);
        return st;
    }
    return no_machine(cx, name, folders);
}

/* An error in the text is an error in the argument. */
static weft_status open_text(weft_context *cx, const char *text, weft_machine *out) {
    weft_status st = weft_machine_read(cx, weft_str_from(text), WEFT_MACHINE_TEXT, out);
    snprintf(out->name, sizeof out->name, "machine");
    return st == WEFT_ERR_INVALID ? WEFT_ERR_USAGE : st;
}

weft_status weft_machine_open(weft_context *cx, const char *what, const char *folders, weft_machine *out) {
    if (strpbrk(what, BLANKS) && access(what, F_OK) != 0) return open_text(cx, what, out);
    if (strpbrk(what, PATHS)) {
        FILE *f = fopen(what, "r");
        if (!f) return weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be opened: %s", what, strerror(errno));
        weft_status st = read_file(cx, f, what, out);
        fclose(f);
        return st;
    }
    size_t n = strcspn(what, ":");
    weft_status st = open_named(cx, (weft_str){ what, n }, folders, out);
    return st == WEFT_OK && what[n] ? weft_machine_resize(cx, out, weft_str_from(what + n + 1)) : st;
}

/* --- costs -------------------------------------------------------------------------------------------------------- */

weft_status weft_costs_open(weft_context *cx, const char *what, weft_machine *m) {
    char *text;
    size_t n;
    if (strpbrk(what, BLANKS) && access(what, F_OK) != 0) {
        const weft_status st = weft_costs_read(cx, weft_str_from(what), WEFT_COSTS_TEXT, m);
        return st == WEFT_ERR_INVALID ? WEFT_ERR_USAGE : st;
    }
    weft_status st = weft_file_read_whole(cx, what, MOST_BYTES, &text, &n);
    if (st == WEFT_OK) st = weft_costs_read(cx, (weft_str){ text, n }, what, m);
    weft_file_text_free(cx, text, n);
    return st;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

typedef struct found { char name[WEFT_MACHINE_NAME]; } found;

static int by_name(const void *a, const void *b) { return strcmp(((const found *)a)->name, ((const found *)b)->name); }

static weft_status add_folder(weft_context *cx, const char *folder, found **v, size_t *n, size_t *cap) {
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name), suffix = sizeof SUFFIX - 1;
        found f = { "" };
        bool known =
            length <= suffix || length - suffix >= sizeof f.name || strcmp(e->d_name + length - suffix, SUFFIX) != 0;
        if (!known) memcpy(f.name, e->d_name, length - suffix);
        known |= strpbrk(f.name, NO_NAME) != NULL; /* also left-overs of an editor or an archive */
        for (size_t i = 0; i < *n && !known; i++) known = !strcmp((*v)[i].name, f.name);
        if (known) continue;
        if (*n == *cap && !weft_arena_grow(&cx->scratch, (void **)v, cap, *n + 1, sizeof f)) {
            closedir(d);
            return weft_oom();
        }
        (*v)[(*n)++] = f;
    }
    if (d) closedir(d);
    return WEFT_OK;
}

weft_status weft_machine_each(weft_context *cx, const char *folders, weft_machine_visit visit, void *user) {
    char folder[PATH_MAX];
    found *v = NULL;
    size_t n = 0, cap = 0;
    weft_status st = WEFT_OK, first = WEFT_OK;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    for (int i = 0; st == WEFT_OK && folder_at(folders, i, folder, sizeof folder); i++)
        st = add_folder(cx, folder, &v, &n, &cap);
    if (n) qsort(v, n, sizeof *v, by_name);
    for (size_t i = 0; st == WEFT_OK && i < n; i++) {
        weft_machine m;
        const weft_status opened = weft_machine_open(cx, v[i].name, folders, &m);
        if (opened == WEFT_OK) visit(user, v[i].name, m.about);
        else if (opened == WEFT_ERR_MEMORY) st = opened; /* the next ones would fail too */
        else if (first == WEFT_OK) first = opened;
    }
    weft_arena_reset(&cx->scratch, mark);
    return st == WEFT_OK ? first : st;
}
