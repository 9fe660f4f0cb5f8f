/* dryrun_vendor_text.c: what takes the time and the memory of a vendor's machine, for a terminal of 80 columns. */
#include "tool/dryrun.h"

enum { MOST = 10 };

/* "1.234 s", "56.7 ms", "890 us" */
static void print_time(double s) {
    if (s >= 1) printf("%8.3f s ", s);
    else if (s >= 1e-3) printf("%8.2f ms", 1e3 * s);
    else printf("%8.1f us", 1e6 * s);
}

static void print_line(const char *what, double s, double of) {
    printf("  %-22s ", what);
    print_time(s);
    printf("  %5.1f%%\n", of > 0 ? 100 * s / of : 0);
}

static void print_classes(const weft_timeline *t) {
    printf("\nwhat takes the time of a step\n");
    for (int i = 0; i < WEFT_KERNEL_CLASSES; i++)
        if (t->class_s[i] > 0) print_line(weft_kernel_class_name((weft_kernel_class)i), t->class_s[i], t->step_s);
    print_line("collectives alone", t->exposed_s, t->step_s);
    if (t->product_flops > 0)
        printf("  MFU %.1f%%, HFU %.1f%% of the data sheet's rate\n", 100 * weft_dry_mfu(t), 100 * weft_dry_hfu(t));
}

/* The last characters of a long text. */
static const char *tail_of(const char *text, size_t room, const char **dots) {
    const size_t n = strlen(text);
    *dots = n > room ? "..." : "";
    return n > room ? text + n - room + 3 : text;
}

static void print_places(const weft_dry_report *r) {
    printf("\nthe slowest lines of the program, collectives beside kernels too\n");
    for (size_t i = 0; i < r->place_count && i < MOST; i++) {
        const weft_dry_place *p = &r->places[i];
        const char *dots, *tail = tail_of(p->place, 34, &dots);
        printf("  ");
        print_time(p->time_s);
        printf("  %-15s %6lld x  %s%s\n", p->what, (long long)p->count, dots, tail);
    }
}

static void print_memory(tool *t, const weft_dry_report *r) {
    if (!r->memory.live_count) return;
    printf("\nthe largest temporaries when they are most\n");
    for (size_t i = 0; i < r->memory.live_count && i < MOST; i++) {
        const weft_task_buffer *v = &r->memory.live[i];
        weft_buf bytes, place;
        weft_buf_init(&bytes, &t->cx->alloc);
        weft_buf_init(&place, &t->cx->alloc);
        weft_buf_bytes(&bytes, v->bytes);
        weft_loc_print(&place, v->loc);
        if (!bytes.failed && !place.failed) {
            const char *dots, *tail = tail_of(place.p ? place.p : "", 40, &dots);
            const char *what = v->value->def ? v->value->def->name->text : "argument";
            printf("  %10s  %-22.22s %s%s\n", bytes.p, what, dots, tail);
        }
        weft_buf_free(&bytes);
        weft_buf_free(&place);
    }
}

void dryrun_print_vendor(tool *t, const weft_dry_report *r) {
    printf("%-26s %16s       (kernels as %s's compiler fuses them; attention %s)\n", "", "", r->order.machine.name,
           weft_attention_name(r->how.attention));
    print_classes(&r->timeline);
    print_places(r);
    print_memory(t, r);
    putchar('\n');
}
