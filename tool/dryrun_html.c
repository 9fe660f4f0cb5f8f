/* dryrun_html.c: the report as one HTML file that needs no other: figures, drawings, mesh and program.
 *
 * Drawings are SVG. Whatever comes from the program, a file or a machine's text is escaped; the file has no links, and
 * its one script finds lines of the program and zooms the timeline.
 */
#include "tool/json_text.h"
#include "tool/dryrun_events.h"

#include <math.h>
#include "pipeline/dryrun/annotate.h"
#include "pipeline/dryrun/arguments.h"

enum { WIDTH = 1100, ROW = 22, MOST_DRAWN = 20000, MOST_PLACES = 400, MOST_ARGUMENTS = 400 };

typedef struct page {
    tool *t;
    const weft_dry_report *r;
    const dryrun_events *e;
    weft_buf b;
} page;

/* ---- text ---- */

static void escape(weft_buf *b, const char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)p[i];
        if (c == '<') weft_buf_puts(b, "&lt;");
        else if (c == '>') weft_buf_puts(b, "&gt;");
        else if (c == '&') weft_buf_puts(b, "&amp;");
        else if (c == '"') weft_buf_puts(b, "&quot;");
        else if (c == '\'') weft_buf_puts(b, "&#39;");
        else if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f) weft_buf_putc(b, '?');
        else weft_buf_putc(b, (char)c);
    }
}

/* Text that may not be UTF-8. */
static void put_text(page *x, weft_str s) {
    char *clean = weft_arena_alloc(&x->t->cx->arena, s.n + 1, 1);
    if (!clean) x->b.failed = true;
    else escape(&x->b, clean, weft_utf8_copy(clean, s.n + 1, s));
}

static void put_place(page *x, const weft_loc *loc) {
    const char *text = weft_loc_text(&x->t->cx->arena, loc);
    put_text(x, weft_str_from(text ? text : ""));
}

static void put_time(page *x, double s) {
    if (s >= 1) weft_buf_printf(&x->b, "%.4g s", s);
    else if (s >= 1e-3) weft_buf_printf(&x->b, "%.4g ms", 1e3 * s);
    else weft_buf_printf(&x->b, "%.4g &micro;s", 1e6 * s);
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>weft dryrun</title>\n<style>\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:1.5em auto;max-width:1140px;padding:0 1em;color:#1b1f24}\n"
    "h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em;border-bottom:1px solid #d0d7de}\n"
    "table{border-collapse:collapse}td,th{padding:.15em .8em .15em 0;text-align:left;vertical-align:top}\n"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}pre{font:12px/1.4 ui-monospace,monospace;white-space:pre;\n"
    "overflow:auto;max-height:40em;border:1px solid #d0d7de;padding:.5em}svg{border:1px solid #d0d7de;background:#fff}\n"
    ".good{color:#116329}.bad{color:#a40e26;font-weight:600}mark{background:#fff3a8}.cell{display:inline-block;\n"
    "min-width:1.6em;border:1px solid #8c959f;margin:1px;padding:0 .3em;text-align:center;font-size:12px}\n"
    "text{font:11px system-ui,sans-serif}\n</style></head><body>\n";

static const char script[] =
    "<script>\n"
    "(function(){var q=document.getElementById('q'),p=document.getElementById('program'),n=document.getElementById('found');\n"
    "var lines=p.textContent.split('\\n');q.addEventListener('input',function(){var s=q.value,out=[],k=0;\n"
    "while(p.firstChild)p.removeChild(p.firstChild);lines.forEach(function(l,i){if(s&&l.indexOf(s)<0)return;k++;\n"
    "p.appendChild(document.createTextNode((s?(i+1)+': ':'')+l+'\\n'))});n.textContent=s?k+' lines':''});\n"
    "var t=document.getElementById('timeline');if(!t)return;var v=t.viewBox.baseVal,w=v.width;\n"
    "t.addEventListener('wheel',function(e){e.preventDefault();var r=t.getBoundingClientRect(),\n"
    "at=v.x+v.width*(e.clientX-r.left)/r.width,f=e.deltaY>0?1.25:.8,n=Math.min(w,Math.max(w/5000,v.width*f));\n"
    "v.x=Math.max(0,Math.min(w-n,at-(at-v.x)*n/v.width));v.width=n},{passive:false})})();\n</script>\n";

/* ---- figures ---- */

static void row_bytes(page *x, const char *what, double bytes) {
    weft_buf_printf(&x->b, "<tr><td>%s</td><td class=\"n\">", what);
    weft_buf_bytes(&x->b, bytes);
    weft_buf_puts(&x->b, "</td></tr>\n");
}

static void row_time(page *x, const char *what, double s) {
    weft_buf_printf(&x->b, "<tr><td>%s</td><td class=\"n\">", what);
    put_time(x, s);
    weft_buf_puts(&x->b, "</td></tr>\n");
}

static void put_verdict(page *x) {
    const double have = x->r->order.machine.memory_bytes;
    const bool fits = weft_dry_margin(x->r) >= 0;
    if (have <= 0) return;
    weft_buf_printf(&x->b, "<p class=\"%s\">%s: each device needs ", fits ? "good" : "bad",
                    fits ? "fits" : "does not fit");
    weft_buf_bytes(&x->b, (double)weft_plan_peak_bytes(x->r->plan));
    weft_buf_puts(&x->b, " of ");
    weft_buf_bytes(&x->b, have);
    weft_buf_puts(&x->b, "</p>\n");
}

static void put_figures(page *x) {
    const weft_dry_report *r = x->r;
    weft_buf_puts(&x->b, "<h1>Dry run on ");
    put_text(x, weft_str_from(r->order.machine.name));
    weft_buf_printf(&x->b, ", %lld devices</h1>\n<p>All figures are for one device and one step.</p>\n", (long long)r->devices);
    put_verdict(x);
    weft_buf_puts(&x->b, "<table>\n");
    row_time(x, "step", r->estimate.step_s);
    row_time(x, "computing", r->estimate.compute_s);
    row_time(x, "in collectives", r->estimate.collective_s);
    row_time(x, "of both at once", r->estimate.hidden_s);
    row_bytes(x, "bytes on the wire", (double)r->estimate.wire_bytes);
    row_bytes(x, "peak memory", (double)weft_plan_peak_bytes(r->plan));
    row_bytes(x, "arguments", (double)r->plan->argument_bytes);
    row_bytes(x, "results", (double)r->plan->result_bytes);
    row_bytes(x, "shared by both", (double)r->plan->alias_bytes);
    row_bytes(x, "temporaries", (double)r->plan->temp_bytes);
    weft_buf_printf(&x->b, "<tr><td>arithmetic</td><td class=\"n\">%.4g flop</td></tr>\n", r->estimate.flops);
    if (r->is_vendor)
        weft_buf_printf(&x->b, "<tr><td>MFU, HFU</td><td class=\"n\">%.1f%%, %.1f%%</td></tr>\n", 100 * weft_dry_mfu(&r->timeline),
                        100 * weft_dry_hfu(&r->timeline));
    weft_buf_puts(&x->b, "</table>\n");
}

static void put_collectives(page *x) {
    const weft_dry_report *r = x->r;
    weft_buf_puts(&x->b, "<h2>Collectives</h2>\n<table><tr><th>collective</th><th>axes</th><th>count</th><th>on the wire</th>"
                         "<th>place</th></tr>\n");
    for (size_t i = 0; i < r->row_count && i < MOST_PLACES; i++) {
        const weft_dry_row *c = &r->rows[i];
        weft_buf_printf(&x->b, "<tr><td>%s</td><td>", weft_coll_kind_name(c->kind));
        put_text(x, c->axes);
        weft_buf_printf(&x->b, "</td><td class=\"n\">%lld</td><td class=\"n\">", (long long)c->count);
        weft_buf_bytes(&x->b, (double)c->wire_bytes);
        weft_buf_puts(&x->b, "</td><td>");
        put_text(x, weft_str_from(c->place));
        weft_buf_puts(&x->b, "</td></tr>\n");
    }
    weft_buf_puts(&x->b, "</table>\n");
    if (r->row_count > MOST_PLACES) weft_buf_printf(&x->b, "<p>and %zu more</p>\n", r->row_count - MOST_PLACES);
}

/* ---- timeline ---- */

static const char *colour_of(const dryrun_event *e) {
    static const char *const colours[] = { "#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d",
                                           "#bab0ac" };
    uint32_t hash = 0;
    if (e->category == DRYRUN_LOOP) return "#d0d7de";
    for (const char *p = e->name; *p; p++) hash = 31 * hash + (unsigned char)*p;
    return colours[hash % WEFT_COUNT(colours)];
}

static double end_of(const page *x) {
    double s = x->r->estimate.step_s;
    for (size_t i = 0; i < x->e->n; i++)
        if (x->e->v[i].end_s > s) s = x->e->v[i].end_s;
    return s > 0 ? s : 1;
}

static void put_event(page *x, const dryrun_event *e, double scale) {
    const double from = scale * e->start_s, width = scale * (e->end_s - e->start_s);
    weft_buf_printf(&x->b, "<rect x=\"%.4f\" y=\"%u\" width=\"%.4f\" height=\"%d\" fill=\"%s\"><title>%s ", from,
                    e->track * ROW + 2, width, ROW - 4, colour_of(e), e->name);
    put_time(x, e->end_s - e->start_s);
    if (e->category == DRYRUN_LOOP) weft_buf_printf(&x->b, " (%lld)", (long long)e->iterations);
    weft_buf_putc(&x->b, ' ');
    put_place(x, e->loc);
    weft_buf_puts(&x->b, "</title></rect>\n");
}

/* The shortest events are left out where there are too many. */
static void put_timeline(page *x) {
    const double end_s = end_of(x), scale = WIDTH / end_s;
    double least = 0;
    size_t drawn = x->e->n, left_out = 0;
    for (least = 0; drawn > MOST_DRAWN; least = least > 0 ? 2 * least : end_s / 1e6) {
        drawn = 0;
        for (size_t i = 0; i < x->e->n; i++) drawn += x->e->v[i].end_s - x->e->v[i].start_s >= least;
        if (least > end_s) break;
    }
    if (least > 0) least /= 2;
    weft_buf_printf(&x->b, "<h2>Timeline</h2>\n<p>0 to ");
    put_time(x, end_s);
    weft_buf_printf(&x->b, "; the wheel zooms.</p>\n<svg id=\"timeline\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
                           "preserveAspectRatio=\"none\">\n", WIDTH, x->e->track_count * ROW, WIDTH,
                    x->e->track_count * ROW);
    for (size_t i = 0; i < x->e->n; i++)
        if (x->e->v[i].end_s - x->e->v[i].start_s >= least) put_event(x, &x->e->v[i], scale);
        else left_out++;
    weft_buf_puts(&x->b, "</svg>\n<p>Rows, from above: ");
    for (uint32_t i = 0; i < x->e->track_count; i++) {
        weft_buf_puts(&x->b, i ? ", " : "");
        put_text(x, weft_str_from(x->e->track[i]));
    }
    weft_buf_puts(&x->b, ".");
    if (left_out) weft_buf_printf(&x->b, " %zu short events are left out.", left_out);
    weft_buf_puts(&x->b, "</p>\n");
}

/* ---- memory ---- */

static void put_memory(page *x) {
    const weft_dry_report *r = x->r;
    const double end_s = end_of(x), peak = (double)weft_plan_peak_bytes(r->plan);
    const double have = r->order.machine.memory_bytes, top = 1.05 * (have > 0 && have < 2 * peak && have > peak
                                                                     ? have : peak);
    const int height = 180;
    double y = height;
    if (top <= 0) return;
    weft_buf_puts(&x->b, "<h2>Memory</h2>\n<p>Peak: ");
    weft_buf_bytes(&x->b, peak);
    weft_buf_printf(&x->b, "</p>\n<svg id=\"memory\" width=\"%d\" height=\"%d\"><path fill=\"#4c78a833\" stroke=\"#4c78a8\" d=\"M0 %d",
                    WIDTH, height, height);
    for (size_t i = 0; i < x->e->memory_count; i++) {
        const double at = WIDTH * x->e->memory[i].at_s / end_s;
        weft_buf_printf(&x->b, " L%.2f %.2f", at, y);
        y = height * (1 - x->e->memory[i].bytes / top);
        weft_buf_printf(&x->b, " L%.2f %.2f", at, y);
    }
    weft_buf_printf(&x->b, " L%d %.2f L%d %d Z\"/>\n", WIDTH, y, WIDTH, height);
    if (have > 0 && have <= top)
        weft_buf_printf(&x->b, "<line x1=\"0\" x2=\"%d\" y1=\"%.2f\" y2=\"%.2f\" stroke=\"#a40e26\" stroke-dasharray=\"4\"/>\n", WIDTH,
                        height * (1 - have / top), height * (1 - have / top));
    weft_buf_puts(&x->b, "</svg>\n");
}

/* ---- roofline ---- */

/* Kernels by arithmetic per byte and rate, both as logarithms, under the machine's two limits. */
static void put_roofline(page *x) {
    const weft_machine *m = &x->r->order.machine;
    const double rate = m->flops_per_s, band = m->bytes_per_s;
    const int width = 700, height = 360;
    const double x0 = -3, x1 = 5, y1 = log10(rate > 0 ? rate : 1) + 1.5, y0 = y1 - 7;
    if (rate <= 0 || band <= 0) return;
#define AT_X(v) (width * ((v) - x0) / (x1 - x0))
#define AT_Y(v) (height * (1 - ((v) - y0) / (y1 - y0)))
    weft_buf_printf(&x->b, "<h2>Roofline</h2>\n<p>Each kernel by flop per byte (across, 10<sup>-3</sup> to 10<sup>5</sup>) and flop per "
                           "second (up); lines: bandwidth, and %.3g flop/s.</p>\n<svg id=\"roofline\" width=\"%d\" height=\"%d\">\n", rate,
                    width, height);
    const double ridge = log10(rate / band);
    weft_buf_printf(&x->b, "<polyline fill=\"none\" stroke=\"#57606a\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", AT_X(x0),
                    AT_Y(x0 + log10(band)), AT_X(ridge), AT_Y(log10(rate)), AT_X(x1), AT_Y(log10(rate)));
    size_t n = 0;
    for (size_t i = 0; i < x->e->n && n < MOST_DRAWN / 4; i++) {
        const dryrun_event *e = &x->e->v[i];
        const double s = e->end_s - e->start_s;
        if (e->category != DRYRUN_KERNEL || e->flops <= 0 || e->bytes <= 0 || s <= 0) continue;
        /* what is beyond a border is drawn at it */
        const double across = fmin(fmax(log10(e->flops / e->bytes), x0), x1);
        const double up = fmin(fmax(log10(e->flops / s), y0), y1);
        n++;
        weft_buf_printf(&x->b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" fill-opacity=\".5\"><title>%s ", AT_X(across),
                        AT_Y(up), colour_of(e), e->name);
        put_place(x, e->loc);
        weft_buf_puts(&x->b, "</title></circle>\n");
    }
    weft_buf_puts(&x->b, "</svg>\n");
#undef AT_X
#undef AT_Y
}

/* ---- mesh ---- */

static void put_axes(page *x, const weft_axis_refs *axes) {
    for (uint32_t i = 0; i < axes->n; i++) {
        weft_buf_puts(&x->b, i ? " &times; " : "");
        put_text(x, weft_name_str(axes->v[i].name));
        if (axes->v[i].size)
            weft_buf_printf(&x->b, ":(%lld)%lld", (long long)axes->v[i].pre_size, (long long)axes->v[i].size);
    }
}

/* A cell for each dimension: its size on a device, and the axes that split it. */
static void put_argument(page *x, uint32_t i) {
    const weft_io *io = &x->r->program->args[i];
    const weft_exec_value *local = &x->r->program->exec->args[i];
    weft_buf b;
    weft_buf_init(&b, &x->t->cx->alloc);
    weft_argument_print(&b, weft_module_main(x->r->m), i);
    weft_buf_puts(&x->b, "<tr><td>");
    put_text(x, (weft_str){ b.p ? b.p : "", b.n });
    weft_buf_puts(&x->b, "</td><td>");
    for (uint32_t d = 0; d < io->global->rank && weft_type_is_tensor(io->global); d++) {
        const weft_axis_refs none = { NULL, 0 }, *axes = io->sharding ? &io->sharding->sharding.dims[d].axes : &none;
        weft_buf_printf(&x->b, "<span class=\"cell\"%s>%lld", axes->n ? " style=\"background:#ddf4ff\"" : "",
                        (long long)io->global->dims[d]);
        if (axes->n) {
            weft_buf_puts(&x->b, " / ");
            put_axes(x, axes);
        }
        weft_buf_puts(&x->b, "</span>");
    }
    weft_buf_puts(&x->b, "</td><td class=\"n\">");
    weft_buf_bytes(&x->b, (double)local->bytes);
    weft_buf_puts(&x->b, "</td></tr>\n");
    weft_buf_free(&b);
}

/* Devices as a grid: the last axis across, the others down. */
static void put_grid(page *x, const weft_mesh_attr *mesh) {
    const int64_t across = mesh->axis_count ? mesh->axes[mesh->axis_count - 1].size : 1;
    int64_t all = 1;
    for (uint32_t i = 0; i < mesh->axis_count; i++) all *= mesh->axes[i].size;
    weft_buf_puts(&x->b, "<p>");
    for (uint32_t i = 0; i < mesh->axis_count; i++) {
        weft_buf_puts(&x->b, i ? ", " : "");
        put_text(x, weft_name_str(mesh->axes[i].name));
        weft_buf_printf(&x->b, " = %lld", (long long)mesh->axes[i].size);
    }
    weft_buf_puts(&x->b, "</p>\n<div>");
    for (int64_t i = 0; i < all && i < 512 && across <= 64; i++) {
        weft_buf_printf(&x->b, "<span class=\"cell\">%lld</span>",
                        (long long)(mesh->device_ids.n ? mesh->device_ids.v[i] : i));
        if ((i + 1) % across == 0) weft_buf_puts(&x->b, "<br>");
    }
    weft_buf_puts(&x->b, "</div>\n");
}

static void put_mesh(page *x) {
    const uint32_t n = x->r->program->exec->arg_count;
    weft_buf_puts(&x->b, "<h2>Mesh and arguments</h2>\n");
    WEFT_EACH_OP(op, weft_module_body(x->r->m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (mesh) put_grid(x, &mesh->mesh);
    }
    weft_buf_puts(&x->b, "<table><tr><th>argument</th><th>dimensions / axes</th><th>on a device</th></tr>\n");
    for (uint32_t i = 0; i < n && i < MOST_ARGUMENTS; i++) put_argument(x, i);
    weft_buf_puts(&x->b, "</table>\n");
    if (n > MOST_ARGUMENTS) weft_buf_printf(&x->b, "<p>and %u more</p>\n", n - MOST_ARGUMENTS);
}

/* ---- program ---- */

/* With the shardings of all values, as propagation leaves them. */
static weft_status put_program(page *x) {
    weft_context *cx = x->t->cx;
    weft_module *m = NULL;
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    const uint32_t was = weft_warnings_silence(cx, WEFT_EVERY_WARNING);
    weft_status st = weft_module_clone(x->r->m, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-propagate"), WEFT_PIPELINE_TAKE, &m);
    (void)weft_warnings_silence(cx, was);
    if (st == WEFT_OK) st = weft_print_module(m, 0, &text);
    weft_buf_puts(&x->b, "<h2>Program</h2>\n<p><input id=\"q\" placeholder=\"find lines\" size=\"40\"> <span id=\"found\"></span></p>\n"
                         "<pre id=\"program\">");
    if (st == WEFT_OK) put_text(x, (weft_str){ text.p ? text.p : "", text.n });
    weft_buf_puts(&x->b, "</pre>\n");
    weft_buf_free(&text);
    weft_module_free(m);
    return st;
}

weft_status dryrun_write_html(tool *t, const weft_dry_report *r, const char *path) {
    dryrun_events events;
    page x = { .t = t, .r = r, .e = &events };
    weft_status st = dryrun_events_of(t, r, &events);
    if (st != WEFT_OK) return st;
    weft_buf_init(&x.b, &t->cx->alloc);
    weft_buf_puts(&x.b, head);
    put_figures(&x);
    put_timeline(&x);
    put_memory(&x);
    put_roofline(&x);
    put_collectives(&x);
    put_mesh(&x);
    st = put_program(&x);
    weft_buf_puts(&x.b, script);
    weft_buf_puts(&x.b, "</body></html>\n");
    if (st == WEFT_OK && x.b.failed) st = weft_oom();
    if (st == WEFT_OK) st = tool_output_write(t, path, x.b.p, x.b.n);
    weft_buf_free(&x.b);
    return st;
}
