/* differ.c: see differ.h. */
#include "runtime/differ.h"

void weft_program_line_end(weft_program_line *l) {
    weft_buf_free(&l->text);
    weft_buf_free(&l->place);
}

/* What stands in a location's brackets, which begin at i, and after them. Names are quoted, and may hold brackets. */
static weft_str in_brackets(weft_str s, size_t i, size_t *behind) {
    int depth = 0;
    bool quoted = false;
    size_t first = i + 1;
    for (; i < s.n; i++) {
        if (quoted && s.p[i] == '\\') i++;
        else if (s.p[i] == '"') quoted = !quoted;
        else if (!quoted && s.p[i] == '(') depth++;
        else if (!quoted && s.p[i] == ')' && --depth == 0) break;
    }
    if (i > s.n) i = s.n;
    *behind = i < s.n ? i + 1 : s.n;
    return (weft_str){ s.p + first, i > first ? i - first : 0 };
}

/* Takes the next line of *s apart. What stands in quotes is no location. */
static void take_line(weft_str *s, weft_program_line *l) {
    static const char mark[] = " loc(";
    bool quoted = false;
    const char *end = s->n ? memchr(s->p, '\n', s->n) : NULL;
    weft_str line = { s->p, end ? (size_t)(end - s->p) : s->n }, place = { 0 };
    size_t i = 0, behind;
    l->text.n = l->place.n = 0;
    while (i < line.n && line.p[i] == ' ') i++;
    while (i < line.n) {
        if (!quoted && line.n - i >= sizeof mark && !memcmp(line.p + i, mark, sizeof mark - 1)) {
            place = in_brackets(line, i + sizeof mark - 2, &behind);
            i = behind;
            continue;
        }
        if (quoted && line.p[i] == '\\' && i + 1 < line.n) weft_buf_putc(&l->text, line.p[i++]);
        else if (line.p[i] == '"') quoted = !quoted;
        weft_buf_putc(&l->text, line.p[i++]);
    }
    weft_buf_str(&l->place, place);
    *s = end ? (weft_str){ end + 1, s->n - line.n - 1 } : (weft_str){ s->p + s->n, 0 };
}

bool weft_programs_differ(const weft_allocator *alloc, weft_str a, weft_str b, weft_program_line *of_a,
                          weft_program_line *of_b) {
    weft_program_line *lines[] = { of_a, of_b };
    for (int i = 0; i < 2; i++) {
        weft_buf_init(&lines[i]->text, alloc);
        weft_buf_init(&lines[i]->place, alloc);
    }
    while (a.n || b.n) {
        take_line(&a, of_a);
        take_line(&b, of_b);
        if (of_a->text.failed || of_b->text.failed) return false;
        if (of_a->text.n != of_b->text.n || (of_a->text.n && memcmp(of_a->text.p, of_b->text.p, of_a->text.n)))
            return true;
    }
    return false;
}
