/* cmd_compile: `weft compile`: a program as a file that `weft run` runs without a compiler. */
#include "tool/program_cache.h"

typedef struct compile_settings {
    tool_build_settings build;
    const char *out;
} compile_settings;

static const tool_option options[] = {
    { "o", "FILE", TOOL_TEXT, offsetof(compile_settings, out), "the compiled program; by default FILE's name with .weft for its suffix, in the current folder" },
    { "cpu", "NAME", TOOL_TEXT, offsetof(compile_settings, build.cpu), "the processor to compile for (x86-64-v3, znver4, ...; default: this one)" },
    TOOL_BUILD_OPTIONS(compile_settings, build),
    TOOL_COMPILING_OPTIONS(compile_settings, build.compiling),
};

static weft_status write_program(tool *t, const tool_built *b, const char *path) {
    weft_port_names names;
    weft_buf bytes;
    weft_buf_init(&bytes, &t->cx->alloc);
    weft_status st = weft_module_port_names(b->m, &t->cx->arena, &names);
    if (st == WEFT_OK) st = weft_built_program_write(b->p, &names, &bytes);
    if (st == WEFT_OK) st = tool_output_write(t, path, bytes.p, bytes.n);
    if (st == WEFT_ERR_MEMORY) (void)weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    weft_buf_free(&bytes);
    return st;
}

static tool_exit compile(tool *t, const void *settings, char *const *arguments, size_t count) {
    const compile_settings *s = settings;
    const char *out = s->out ? s->out : tool_name_beside(t, arguments[0], ".weft");
    tool_built b = { .m = NULL };
    (void)count;
    if (!s->out && !strcmp(arguments[0], "-"))
        return tool_usage(t, "standard input has no name: give the output's with -o");
    if (s->build.cpu && strchr(s->build.cpu, ','))
        return tool_usage(t, "--cpu takes a name such as x86-64-v3, not '%s'", s->build.cpu);
    if (t->launch.process > 0) return TOOL_DONE; /* all would write one file */
    weft_status st = out ? tool_input_read(t, arguments[0]) : weft_oom();
    weft_cache *cache = NULL;
    if (st == WEFT_OK) st = tool_cache_open(t, &cache);
    if (st == WEFT_OK) st = tool_build(t, &s->build, &(tool_build_request){ .cache = cache }, &b);
    if (st == WEFT_OK) st = write_program(t, &b, out);
    tool_built_free(&b);
    return tool_exit_of(st);
}

const tool_command tool_cmd_compile = {
    .name = "compile",
    .arguments = "FILE|-",
    .summary = "compile a program into a file that runs without a compiler",
    .description =
        "Partitions the program over its mesh and compiles it, as 'weft run' does, and writes the result to a file. 'weft run' runs that\n"
        "file with any data and in any launch for as many devices, without LLVM in the process and within milliseconds.\n\n"
        "The file has machine code for one processor, --cpu or this one, and is refused on a processor that lacks what it needs. Only\n"
        "the build of Weft that wrote a file reads it, since it has the state of that build's kernels. Run files that you trust: a\n"
        "file's hash finds damage, not malice.",
    .examples = "weft compile program.mlir                           # program.weft\n"
                "weft compile program.mlir --mesh data=8 --cpu x86-64-v3 -o program-8.weft\n"
                "mpirun -n 8 weft run program-8.weft --repeat 10",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(compile_settings),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = compile,
};
