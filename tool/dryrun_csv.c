/* dryrun_csv.c: lists of the report as CSV (RFC 4180). */
#include "tool/dryrun.h"

/* A field in quotes where it needs them. */
void dryrun_csv_field(const char *text, size_t n) {
    bool quoted = false;
    for (size_t i = 0; i < n; i++) quoted |= text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    if (quoted) putchar('"');
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') putchar('"');
        putchar(text[i]);
    }
    if (quoted) putchar('"');
}

static void print_collectives(const weft_dry_report *r) {
    printf("kind,axes,count,bytes,wire_bytes,at_most,location\n");
    for (size_t i = 0; i < r->row_count; i++) {
        const weft_dry_row *x = &r->rows[i];
        printf("%s,", weft_coll_kind_name(x->kind));
        dryrun_csv_field(x->axes.p, x->axes.n);
        printf(",%lld,%lld,%lld,%d,", (long long)x->count, (long long)x->bytes, (long long)x->wire_bytes, x->at_most);
        dryrun_csv_field(x->place, strlen(x->place));
        putchar('\n');
    }
}

static void print_lines(const weft_dry_report *r) {
    printf("what,time_s,count,location\n");
    for (size_t i = 0; i < r->place_count; i++) {
        const weft_dry_place *x = &r->places[i];
        dryrun_csv_field(x->what, strlen(x->what));
        printf(",%.9g,%lld,", x->time_s, (long long)x->count);
        dryrun_csv_field(x->place, strlen(x->place));
        putchar('\n');
    }
}

weft_status dryrun_print_csv(tool *t, const weft_dry_report *r, const char *what) {
    if (!strcmp(what, "collectives")) print_collectives(r);
    else if (!r->is_vendor)
        return weft_report(t->cx, WEFT_D_usage, NULL, "--csv lines is for a vendor's machine, which '%s' is not",
                           r->order.machine.name);
    else print_lines(r);
    return WEFT_OK;
}
