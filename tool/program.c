/* program: what `run` and `dryrun` do alike with their FILE. */
#include "tool/program.h"

weft_status tool_module_read(tool *t, const char *path, weft_module **out) {
    if (!strcmp(path, "-") && t->launch.processes > 1)
        return weft_report(t->cx, WEFT_D_usage, NULL, "standard input reaches one process only; give %d processes a file", t->launch.processes);
    weft_status st = tool_input_read(t, path);
    if (st != WEFT_OK) return st;
    return weft_read_text(t->cx, (weft_str){ t->input.text, t->input.n }, t->input.name, 0, out);
}

/* The axes of all meshes, each once, as "x=SIZE,y=SIZE"; how many there are. */
static size_t every_axis(const weft_module *m, int64_t size, char *buf, size_t room) {
    size_t n = 0, count = 0;
    buf[0] = 0;
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        for (uint32_t a = 0; mesh && a < mesh->mesh.axis_count; a++) {
            char one[256];
            int length = snprintf(one, sizeof one, "%s=%lld", mesh->mesh.axes[a].name->text, (long long)size);
            const char *at = strstr(buf, one);
            bool known = at && (at == buf || at[-1] == ',') && (at[length] == ',' || !at[length]);
            if (known || length >= (int)sizeof one || n + (size_t)length + 2 > room) continue;
            n += (size_t)snprintf(buf + n, room - n, "%s%s", count ? "," : "", one);
            count++;
        }
    }
    return count;
}

weft_status tool_mesh_choose(tool *t, const weft_module *m, const char *mesh, int64_t devices, char *buf, size_t room, const char **out) {
    int64_t own = weft_module_devices(m);
    *out = mesh;
    if (devices == 0 || mesh || devices == own) return WEFT_OK;
    size_t axes = every_axis(m, devices, buf, room);
    if (axes == 0) return WEFT_OK;
    if ( devices != 1 && axes != 1)
        return weft_report(t->cx, WEFT_D_usage, NULL, "the program is for %lld devices, not %lld; --mesh gives its axes other sizes", (long long)own,
                           (long long)devices);
    *out = buf;
    return WEFT_OK;
}
