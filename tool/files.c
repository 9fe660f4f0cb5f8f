/* files: reads an input as a whole, and writes an output as a whole. An output file is made under another name beside
 * it and renamed when it is complete, so that a failure leaves nothing. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/draft.h"
#include "runtime/program_file.h"
#include "tool/tool.h"

double tool_now_s(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static weft_status read_stream(tool *t, FILE *f, const char *name, tool_text *out) {
    size_t n = 0, cap = 0;
    char *text = NULL;
    for (;;) {
        if (n == cap) {
            size_t more = cap ? 2 * cap : 1 << 16;
            char *p = realloc(text, more);
            if (!p) goto memory;
            text = p;
            cap = more;
        }
        size_t got = fread(text + n, 1, cap - n, f);
        n += got;
        if (got == 0) break;
    }
    if (ferror(f)) {
        free(text);
        return weft_report(t->cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", name, strerror(errno));
    }
    *out = (tool_text){ name, text, n };
    return WEFT_OK;
memory:
    free(text);
    return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory to read '%s'", name);
}

weft_status tool_text_read(tool *t, const char *path, tool_text *out) {
    FILE *f = fopen(path, "rb");
    if (!f) return weft_report(t->cx, WEFT_D_file, NULL, "'%s' cannot be opened: %s", path, strerror(errno));
    weft_status st = read_stream(t, f, path, out);
    fclose(f);
    return st;
}

weft_status tool_input_read(tool *t, const char *path) {
    if (!strcmp(path, "-") && t->launch.processes > 1)
        return weft_report(t->cx, WEFT_D_usage, NULL,
                           "standard input reaches one process only; give %d processes a file", t->launch.processes);
    return strcmp(path, "-") ? tool_text_read(t, path, &t->input) : read_stream(t, stdin, "<stdin>", &t->input);
}

weft_status tool_input_is_text(tool *t) {
    if (!weft_program_file_is(t->input.text, t->input.n)) return WEFT_OK;
    return weft_report(t->cx, WEFT_D_usage, NULL, "'%s' is a compiled program, for 'weft run' only", t->input.name);
}

void tool_input_free(tool *t) {
    free((char *)t->input.text);
    t->input.text = NULL;
    t->input.n = 0;
}

const char *tool_name_beside(tool *t, const char *path, const char *suffix) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const int n = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    const size_t room = (size_t)n + strlen(suffix) + 1;
    char *out = weft_arena_alloc(&t->cx->arena, room, 1);
    if (out) snprintf(out, room, "%.*s%s", n, name, suffix);
    return out;
}

weft_status tool_machine_open(tool *t, const char *what, weft_machine *out) {
    if (!what) {
        *out = weft_machine_default;
        return WEFT_OK;
    }
    t->described = (tool_text){ WEFT_MACHINE_TEXT, what, strlen(what) };
    return weft_machine_open(t->cx, what, t->machines, out);
}

const char *tool_costs(tool *t, const char *asked) {
    const char *costs = asked ? asked : t->costs && *t->costs ? t->costs : NULL;
    if (costs) t->priced = (tool_text){ WEFT_COSTS_TEXT, costs, strlen(costs) };
    return costs;
}

weft_status tool_priced_open(tool *t, const char *topology, const char *costs, weft_machine *out) {
    const weft_status st = tool_machine_open(t, topology, out);
    const char *own = tool_costs(t, costs);
    return st == WEFT_OK && own ? weft_costs_open(t->cx, own, out) : st;
}

static weft_status write_draft(tool *t, const char *path, const char *text, size_t n) {
    weft_draft draft;
    weft_status st = weft_draft_open(&t->cx->alloc, path, &draft);
    if (st != WEFT_OK) return st;
    (void)fwrite(text, 1, n, draft.file); /* the stream remembers failures */
    return weft_draft_close(&draft);
}

static weft_status write_through(const char *path, const char *text, size_t n) {
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(text, 1, n, f) == n;
    if (f) ok = !fclose(f) && ok;
    return ok ? WEFT_OK : WEFT_ERR_IO;
}

weft_status tool_output_check(tool *t, const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = weft_arena_strdup(&t->cx->arena, path, slash ? (size_t)(slash - path) + 1 : 0);
    if (!folder) return weft_oom();
    if (!access(path, F_OK) ? !access(path, W_OK) : !access(slash ? folder : ".", W_OK)) return WEFT_OK;
    return weft_report(t->cx, WEFT_D_file, NULL, "'%s' cannot be written: %s", path, strerror(errno));
}

weft_status tool_output_write(tool *t, const char *path, const char *text, size_t n) {
    if (!path || !strcmp(path, "-")) {
        if (fwrite(text, 1, n, stdout) == n && !fflush(stdout)) return WEFT_OK;
        const int why = errno;
        clearerr(stdout); /* main reports what has not been said yet */
        return weft_report(t->cx, WEFT_D_file, NULL, "standard output cannot be written: %s", strerror(why));
    }
    /* A link is not replaced: its target is written. */
    struct stat is;
    const bool is_link = lstat(path, &is) == 0 && S_ISLNK(is.st_mode);
    weft_status st = is_link ? write_through(path, text, n) : write_draft(t, path, text, n);
    if (st == WEFT_ERR_MEMORY)
        return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory to write '%s'", path);
    return st == WEFT_OK ? st
                         : weft_report(t->cx, WEFT_D_file, NULL, "'%s' cannot be written: %s", path, strerror(errno));
}
