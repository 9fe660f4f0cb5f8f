/* fft_lines.h: transforms of lines, for one type of reals and one instruction set (fft_f32.c, fft_f64.c).
 *
 * The includer defines what this file is made of, and gets FFT(run), FFT(unfold) and FFT(fold)
 * (weft_fft_code):
 *
 *   FFT(name)            the name with type and instruction set
 *   REAL, VECTOR, LANES  a number, as many as are worked on at a time, their count
 *   TARGET               attribute of all functions
 *   SPLAT(x)             x in all lanes
 *   FUSED(a, b, c)       a b + c, in one rounding where the processor has that; LESS(a, b, c) is c - a b
 *   UNZIP, ZIP           between LANES pairs in memory and two vectors. A vector's lane i is pair AT(i)
 *   TURN(rows)           a square of LANES rows, turned
 *
 * A cell is number i of LANES lines. A pass of radix r over lengths n = r m, s cells side by side:
 *   y[r p + i] = w_n^(p i) sum over j of w_r^(i j) x[p + m j].
 * w is the table of the whole length's roots, s of whose entries make one of w_n.
 */
#ifdef FFT

/* At any address of a number: rooms and tables are of numbers. */
typedef VECTOR FFT(loose) __attribute__((aligned(sizeof(REAL)), may_alias));
typedef struct FFT(cell) { FFT(loose) re, im; } FFT(cell);
typedef struct FFT(pass) { int64_t r, m, s; const REAL *w; } FFT(pass);

#define CELL FFT(cell)
#define WITHIN TARGET static inline __attribute__((always_inline))

WITHIN CELL FFT(add)(CELL a, CELL b) { return (CELL){ a.re + b.re, a.im + b.im }; }
WITHIN CELL FFT(sub)(CELL a, CELL b) { return (CELL){ a.re - b.re, a.im - b.im }; }
WITHIN CELL FFT(minus_i)(CELL a) { return (CELL){ a.im, -a.re }; }
/* a + f b */
WITHIN CELL FFT(with)(CELL a, REAL f, CELL b) {
    return (CELL){ FUSED(SPLAT(f), b.re, a.re), FUSED(SPLAT(f), b.im, a.im) };
}
WITHIN CELL FFT(times)(CELL a, VECTOR re, VECTOR im) {
    return (CELL){ LESS(a.im, im, a.re * re), FUSED(a.im, re, a.re * im) };
}
/* a w[k] */
WITHIN CELL FFT(rooted)(CELL a, const REAL *w, int64_t k) {
    return FFT(times)(a, SPLAT(w[2 * k]), SPLAT(w[2 * k + 1]));
}

/* ---- passes: of p >= 1 with roots, of p = 0 without ---- */

WITHIN void FFT(turns2)(const FFT(pass) *a, const CELL *x, CELL *y, int64_t p, bool rooted) {
    const CELL *x0 = x + a->s * p, *x1 = x0 + a->s * a->m;
    CELL *y0 = y + a->s * 2 * p, *y1 = y0 + a->s;
    for (int64_t q = 0; q < a->s; q++) {
        const CELL d = FFT(sub)(x0[q], x1[q]);
        y0[q] = FFT(add)(x0[q], x1[q]);
        y1[q] = rooted ? FFT(rooted)(d, a->w, a->s * p) : d;
    }
}

WITHIN void FFT(turns3)(const FFT(pass) *a, const CELL *x, CELL *y, int64_t p, bool rooted) {
    const REAL half = (REAL)-0.5, sine = (REAL)0.86602540378443864676;
    const CELL *x0 = x + a->s * p, *x1 = x0 + a->s * a->m, *x2 = x1 + a->s * a->m;
    CELL *y0 = y + a->s * 3 * p, *y1 = y0 + a->s, *y2 = y1 + a->s;
    for (int64_t q = 0; q < a->s; q++) {
        const CELL sum = FFT(add)(x1[q], x2[q]), across = FFT(minus_i)(FFT(sub)(x1[q], x2[q])),
                   mid = FFT(with)(x0[q], half, sum), up = FFT(with)(mid, sine, across),
                   down = FFT(with)(mid, -sine, across);
        y0[q] = FFT(add)(x0[q], sum);
        y1[q] = rooted ? FFT(rooted)(up, a->w, a->s * p) : up;
        y2[q] = rooted ? FFT(rooted)(down, a->w, 2 * a->s * p) : down;
    }
}

WITHIN void FFT(turns4)(const FFT(pass) *a, const CELL *x, CELL *y, int64_t p, bool rooted) {
    const int64_t far = a->s * a->m, k = a->s * p;
    const CELL *x0 = x + a->s * p;
    CELL *y0 = y + a->s * 4 * p;
    for (int64_t q = 0; q < a->s; q++) {
        const CELL even = FFT(add)(x0[q], x0[q + 2 * far]), odd = FFT(add)(x0[q + far], x0[q + 3 * far]),
                   low = FFT(sub)(x0[q], x0[q + 2 * far]),
                   across = FFT(minus_i)(FFT(sub)(x0[q + far], x0[q + 3 * far])), y1 = FFT(add)(low, across),
                   y2 = FFT(sub)(even, odd), y3 = FFT(sub)(low, across);
        y0[q] = FFT(add)(even, odd);
        y0[q + a->s] = rooted ? FFT(rooted)(y1, a->w, k) : y1;
        y0[q + 2 * a->s] = rooted ? FFT(rooted)(y2, a->w, 2 * k) : y2;
        y0[q + 3 * a->s] = rooted ? FFT(rooted)(y3, a->w, 3 * k) : y3;
    }
}

/* Two transforms of four: of sums, whose results are even, and of differences, turned by eighths. */
WITHIN void FFT(turns8)(const FFT(pass) *a, const CELL *x, CELL *y, int64_t p, bool rooted) {
    const REAL half = (REAL)0.70710678118654752440; /* its root */
    const int64_t far = a->s * a->m, k = a->s * p;
    for (int64_t q = 0; q < a->s; q++) {
        const CELL *x0 = x + a->s * p + q;
        CELL *y0 = y + a->s * 8 * p + q;
        for (int odd = 0; odd < 2; odd++) {
            CELL v[4];
            for (int j = 0; j < 4; j++)
                v[j] = odd ? FFT(sub)(x0[j * far], x0[(j + 4) * far]) : FFT(add)(x0[j * far], x0[(j + 4) * far]);
            if (odd) {
                const CELL b = v[1], d = v[3];
                v[1] = (CELL){ (b.re + b.im) * SPLAT(half), (b.im - b.re) * SPLAT(half) };
                v[2] = FFT(minus_i)(v[2]);
                v[3] = (CELL){ (d.im - d.re) * SPLAT(half), (d.re + d.im) * SPLAT(-half) };
            }
            const CELL even = FFT(add)(v[0], v[2]), low = FFT(sub)(v[0], v[2]), other = FFT(add)(v[1], v[3]),
                       across = FFT(minus_i)(FFT(sub)(v[1], v[3])), z[4] = { FFT(add)(even, other),
                       FFT(add)(low, across), FFT(sub)(even, other), FFT(sub)(low, across) };
            for (int i = 0; i < 4; i++) {
                const int to = 2 * i + odd;
                y0[to * a->s] = rooted && to ? FFT(rooted)(z[i], a->w, to * k) : z[i];
            }
        }
    }
}

/* Any odd radix: sums of pairs that lie symmetrically, as w_r^(i j) and w_r^(-i j) are conjugates. Long sums are sums
 * of short ones, which are rounded less. */
enum { FFT(SHORT) = 8 };

WITHIN void FFT(turns_any)(const FFT(pass) *a, int64_t r, const CELL *x, CELL *y, int64_t p, bool rooted) {
    const int64_t far = a->s * a->m, h = r / 2, part = a->s * a->m; /* of the table, of a turn's r */
    for (int64_t q = 0; q < a->s; q++) {
        const CELL *x0 = x + a->s * p + q;
        CELL plus[WEFT_FFT_RADIX / 2 + 1], minus[WEFT_FFT_RADIX / 2 + 1], *y0 = y + a->s * r * p + q, first = x0[0];
        for (int64_t j = 1; j <= h; j++) {
            plus[j] = FFT(add)(x0[far * j], x0[far * (r - j)]);
            minus[j] = FFT(minus_i)(FFT(sub)(x0[far * j], x0[far * (r - j)]));
        }
        for (int64_t j = 1; j <= h;) {
            CELL some = plus[j];
            for (int64_t end = j + FFT(SHORT) <= h ? j + FFT(SHORT) : h + 1; ++j < end;) some = FFT(add)(some, plus[j]);
            first = FFT(add)(first, some);
        }
        y0[0] = first;
        for (int64_t i = 1; i <= h; i++) {
            CELL mid = x0[0], turn = { SPLAT(0), SPLAT(0) };
            for (int64_t j = 1, at = i; j <= h;) {
                CELL re = { SPLAT(0), SPLAT(0) }, im = re;
                for (int64_t end = j + FFT(SHORT) <= h ? j + FFT(SHORT) : h + 1; j < end; j++) {
                    re = FFT(with)(re, a->w[2 * part * at], plus[j]);
                    im = FFT(with)(im, -a->w[2 * part * at + 1], minus[j]);
                    at = at + i < r ? at + i : at + i - r;
                }
                mid = FFT(add)(mid, re), turn = FFT(add)(turn, im);
            }
            const CELL up = FFT(add)(mid, turn), down = FFT(sub)(mid, turn);
            y0[a->s * i] = rooted ? FFT(rooted)(up, a->w, a->s * p * i) : up;
            y0[a->s * (r - i)] = rooted ? FFT(rooted)(down, a->w, a->s * p * (r - i)) : down;
        }
    }
}

TARGET static void FFT(pass2)(const FFT(pass) *a, const CELL *x, CELL *y) {
    FFT(turns2)(a, x, y, 0, false);
    for (int64_t p = 1; p < a->m; p++) FFT(turns2)(a, x, y, p, true);
}
TARGET static void FFT(pass3)(const FFT(pass) *a, const CELL *x, CELL *y) {
    FFT(turns3)(a, x, y, 0, false);
    for (int64_t p = 1; p < a->m; p++) FFT(turns3)(a, x, y, p, true);
}
TARGET static void FFT(pass4)(const FFT(pass) *a, const CELL *x, CELL *y) {
    FFT(turns4)(a, x, y, 0, false);
    for (int64_t p = 1; p < a->m; p++) FFT(turns4)(a, x, y, p, true);
}
TARGET static void FFT(pass8)(const FFT(pass) *a, const CELL *x, CELL *y) {
    FFT(turns8)(a, x, y, 0, false);
    for (int64_t p = 1; p < a->m; p++) FFT(turns8)(a, x, y, p, true);
}
TARGET static void FFT(pass5)(const FFT(pass) *a, const CELL *x, CELL *y) {
    FFT(turns_any)(a, 5, x, y, 0, false);
    for (int64_t p = 1; p < a->m; p++) FFT(turns_any)(a, 5, x, y, p, true);
}
TARGET static void FFT(pass_any)(const FFT(pass) *a, const CELL *x, CELL *y) {
    FFT(turns_any)(a, a->r, x, y, 0, false);
    for (int64_t p = 1; p < a->m; p++) FFT(turns_any)(a, a->r, x, y, p, true);
}

/* n cells of x; where they are afterwards: x or work. */
TARGET static CELL *FFT(passes)(int64_t n, const REAL *w, CELL *x, CELL *work) {
    int64_t r[WEFT_FFT_PASSES], left = n, s = 1;
    const int count = weft_fft_radices(n, r);
    for (int i = 0; i < count; i++) {
        const FFT(pass) a = { r[i], left / r[i], s, w };
        if (a.r == 2) FFT(pass2)(&a, x, work);
        else if (a.r == 3) FFT(pass3)(&a, x, work);
        else if (a.r == 4) FFT(pass4)(&a, x, work);
        else if (a.r == 8) FFT(pass8)(&a, x, work);
        else if (a.r == 5) FFT(pass5)(&a, x, work);
        else FFT(pass_any)(&a, x, work);
        CELL *swap = x;
        x = work, work = swap;
        left = a.m;
        s *= a.r;
    }
    return x;
}

/* ---- in and out of cells. Real and imaginary parts are exchanged for the inverse, on both ways ---- */

WITHIN CELL FFT(of_pairs)(const REAL *p, bool inverse) {
    CELL c;
    UNZIP(p, c.re, c.im);
    return inverse ? (CELL){ c.im, c.re } : c;
}
WITHIN void FFT(to_pairs)(REAL *p, CELL c, VECTOR scale, bool inverse) {
    const VECTOR re = c.re * scale, im = c.im * scale;
    if (inverse) ZIP(p, im, re);
    else ZIP(p, re, im);
}

/* `lanes` lines of n numbers. */
TARGET static void FFT(load)(const REAL *p, weft_fft_lie lie, int64_t step, int64_t line, int64_t n, int64_t lanes,
                             bool inverse, CELL *x) {
    int64_t i = 0;
    if (lie == WEFT_FFT_COLUMNS && lanes == LANES)
        for (; i < n; i++) x[i] = FFT(of_pairs)(p + 2 * i * step, inverse);
    else if (lie == WEFT_FFT_ROWS && lanes == LANES)
        for (; i + LANES <= n; i += LANES) {
            VECTOR re[LANES], im[LANES];
            for (int l = 0; l < LANES; l++) {
                const CELL c = FFT(of_pairs)(p + 2 * (l * line + i), inverse);
                re[l] = c.re, im[l] = c.im;
            }
            TURN(re), TURN(im);
            for (int l = 0; l < LANES; l++) x[i + AT(l)] = (CELL){ re[l], im[l] };
        }
    for (; i < n; i++) {
        CELL c = { SPLAT(0), SPLAT(0) };
        for (int64_t l = 0; l < lanes; l++) {
            const REAL *from = p + 2 * (i * step + l * line);
            c.re[l] = from[inverse], c.im[l] = from[!inverse];
        }
        x[i] = c;
    }
}

TARGET static void FFT(store)(REAL *p, weft_fft_lie lie, int64_t step, int64_t line, int64_t n, int64_t lanes,
                              bool inverse, REAL scale, const CELL *x) {
    const VECTOR f = SPLAT(scale);
    int64_t i = 0;
    if (lie == WEFT_FFT_COLUMNS && lanes == LANES)
        for (; i < n; i++) FFT(to_pairs)(p + 2 * i * step, x[i], f, inverse);
    else if (lie == WEFT_FFT_ROWS && lanes == LANES)
        for (; i + LANES <= n; i += LANES) {
            VECTOR re[LANES], im[LANES];
            for (int l = 0; l < LANES; l++) re[l] = x[i + AT(l)].re, im[l] = x[i + AT(l)].im;
            TURN(re), TURN(im);
            for (int l = 0; l < LANES; l++)
                FFT(to_pairs)(p + 2 * (l * line + i), (CELL){ re[l], im[l] }, f, inverse);
        }
    for (; i < n; i++)
        for (int64_t l = 0; l < lanes; l++) {
            REAL *to = p + 2 * (i * step + l * line);
            to[inverse] = x[i].re[l] * scale, to[!inverse] = x[i].im[l] * scale;
        }
}

/* ---- the three ways ---- */

/* A vector's lanes are lines in any order, the same in and out. */
TARGET static void FFT(direct)(const weft_fft_task *t) {
    const int64_t n = t->plan->n;
    CELL *x = t->work, *room = x + n;
    const weft_fft_lie lie = t->in_line == 1 && t->out_line == 1   ? WEFT_FFT_COLUMNS
                             : t->in_step == 1 && t->out_step == 1 ? WEFT_FFT_ROWS
                                                                   : WEFT_FFT_ANYHOW;
    for (int64_t i = 0; i < t->lines; i += LANES) {
        const int64_t lanes = t->lines - i < LANES ? t->lines - i : LANES;
        FFT(load)((const REAL *)t->in + 2 * i * t->in_line, lie, t->in_step, t->in_line, n, lanes, t->inverse, x);
        const CELL *y = FFT(passes)(n, t->table, x, room);
        FFT(store)((REAL *)t->out + 2 * i * t->out_line, lie, t->out_step, t->out_line, n, lanes, t->inverse,
                   (REAL)t->scale, y);
    }
}

static int64_t FFT(groups)(int64_t n) { return (n + LANES - 1) / LANES; }
/* Where group g of n numbers begins: the last one ends with them. */
static int64_t FFT(begin)(int64_t g, int64_t n) { return g * LANES + LANES <= n ? g * LANES : n - LANES; }

/* Part i of the line that comes next is asked for: the columns of a line lie too far apart for the processor to see
 * them coming. A prefetch beyond memory does nothing. */
enum { FFT(CACHE_LINE) = 64 };
#define ASK(line, i, numbers, write) \
    for (int64_t b = 0; b < (numbers) * 2 * (int64_t)sizeof(REAL); b += FFT(CACHE_LINE)) \
    __builtin_prefetch((const char *)(line) + (i) * (numbers) * 2 * (int64_t)sizeof(REAL) + b, write)

/* A line of m = n1 n2 numbers, without gaps. table: roots of n1, of n2, cells of roots of m by column and row. next:
 * how far away the next line is, in numbers. */
TARGET static void FFT(split)(const weft_fft_plan *p, const REAL *table, const REAL *in, REAL *out, bool inverse,
                              REAL scale, CELL *work, int64_t next_in, int64_t next_out) {
    const int64_t n1 = p->n1, n2 = p->n2, most = n1 > n2 ? n1 : n2;
    const REAL *w1 = table, *w2 = w1 + 2 * n1, *twist = w2 + 2 * n2;
    CELL *x = work, *room = x + most, *mid = room + most;
    for (int64_t g = 0; g < FFT(groups)(n2); g++) {
        if (next_in) ASK(in + 2 * next_in, g, n1 * LANES, 0);
        FFT(load)(in + 2 * FFT(begin)(g, n2), WEFT_FFT_COLUMNS, n2, 1, n1, LANES, inverse, x);
        const CELL *y = FFT(passes)(n1, w1, x, room);
        const FFT(loose) *w = (const FFT(loose) *)(const void *)(twist + 2 * LANES * n1 * g);
        for (int64_t i = 0; i < n1; i++) mid[g * n1 + i] = FFT(times)(y[i], w[2 * i], w[2 * i + 1]);
    }
    for (int64_t k = 0; k < FFT(groups)(n1); k++) {
        const int64_t row = FFT(begin)(k, n1);
        if (next_out) ASK(out + 2 * next_out, k, n2 * LANES, 1);
        for (int64_t g = 0; g < FFT(groups)(n2); g++) {
            const CELL *from = mid + g * n1 + row;
            CELL *to = x + FFT(begin)(g, n2);
            VECTOR re[LANES], im[LANES];
            for (int l = 0; l < LANES; l++) re[l] = from[AT(l)].re, im[l] = from[AT(l)].im;
            TURN(re), TURN(im);
            for (int l = 0; l < LANES; l++) to[AT(l)] = (CELL){ re[l], im[l] };
        }
        FFT(store)(out + 2 * row, WEFT_FFT_COLUMNS, n1, 1, n2, LANES, inverse, scale, FFT(passes)(n2, w2, x, room));
    }
}

/* n pairs, a multiple of LANES: x w, exchanged before or after. */
TARGET static void FFT(product)(int64_t n, REAL *x, const REAL *w, REAL scale, bool before, bool after) {
    for (int64_t i = 0; i < 2 * n; i += 2 * LANES) {
        const CELL a = FFT(of_pairs)(x + i, before), b = FFT(of_pairs)(w + i, false);
        FFT(to_pairs)(x + i, FFT(times)(a, b.re, b.im), SPLAT(scale), after);
    }
}

static int64_t FFT(whole)(int64_t n) { return FFT(groups)(n) * LANES; }

/* j k = (j^2 + k^2 - (k - j)^2) / 2. table: the chirp, the transform of what is folded with, the table of m. */
TARGET static void FFT(chirp)(const weft_fft_plan *p, const REAL *table, const REAL *in, REAL *out, bool inverse,
                              REAL scale, REAL *work) {
    const int64_t n = p->n, m = p->m, whole = FFT(whole)(n);
    const REAL *hat = table + 2 * whole, *rest = hat + 2 * m;
    CELL *room = (CELL *)(void *)(work + 2 * m);
    memcpy(work, in, (size_t)n * 2 * sizeof *work);
    memset(work + 2 * n, 0, (size_t)(m - n) * 2 * sizeof *work);
    FFT(product)(whole, work, table, 1, inverse, false);
    FFT(split)(p, rest, work, work, false, 1, room, 0, 0);
    FFT(product)(m, work, hat, 1, false, true); /* to go back */
    FFT(split)(p, rest, work, work, false, 1, room, 0, 0);
    FFT(product)(whole, work, table, scale, true, inverse);
    memcpy(out, work, (size_t)n * 2 * sizeof *work);
}

TARGET static void FFT(line)(const weft_fft_task *t, const REAL *in, REAL *out, REAL *work, int64_t next_in,
                             int64_t next_out) {
    const weft_fft_plan *p = t->plan;
    if (p->way == WEFT_FFT_SPLIT)
        FFT(split)(p, t->table, in, out, t->inverse, (REAL)t->scale, (CELL *)(void *)work, next_in, next_out);
    else FFT(chirp)(p, t->table, in, out, t->inverse, (REAL)t->scale, work);
}

/* Lines whose numbers do not lie one after another: some of them at a time are brought together. */
TARGET static void FFT(scattered)(const weft_fft_task *t) {
    const int64_t n = t->plan->n;
    REAL *const together = (REAL *)t->work + weft_fft_work_size(t->plan, WEFT_FFT_ROWS, 1);
    for (int64_t first = 0; first < t->lines; first += LANES) {
        const int64_t lanes = t->lines - first < LANES ? t->lines - first : LANES;
        const REAL *in = (const REAL *)t->in + 2 * first * t->in_line;
        REAL *out = (REAL *)t->out + 2 * first * t->out_line;
        for (int64_t i = 0; i < n; i++)
            for (int64_t l = 0; l < lanes; l++)
                memcpy(together + 2 * (l * n + i), in + 2 * (i * t->in_step + l * t->in_line), 2 * sizeof *in);
        for (int64_t l = 0; l < lanes; l++)
            FFT(line)(t, together + 2 * l * n, together + 2 * l * n, t->work, 0, 0);
        for (int64_t i = 0; i < n; i++)
            for (int64_t l = 0; l < lanes; l++)
                memcpy(out + 2 * (i * t->out_step + l * t->out_line), together + 2 * (l * n + i), 2 * sizeof *in);
    }
}

TARGET static void FFT(run)(const weft_fft_task *t) {
    if (t->plan->way == WEFT_FFT_DIRECT) FFT(direct)(t);
    else if (t->in_step != 1 || t->out_step != 1) FFT(scattered)(t);
    else
        for (int64_t i = 0; i < t->lines; i++)
            FFT(line)(t, (const REAL *)t->in + 2 * i * t->in_line, (REAL *)t->out + 2 * i * t->out_line, t->work,
                      i + 1 < t->lines ? t->in_line : 0, i + 1 < t->lines ? t->out_line : 0);
}

/* ---- rows of reals, in double precision: the step more than a complex transform has must not cost exactness ---- */

TARGET static void FFT(unfold)(int64_t n, const double *w, void *row) {
    const double half = 0.5;
    REAL *const x = row, first = x[0];
    const int64_t h = n / 2;
    x[0] = first + x[1], x[2 * h] = first - x[1];
    x[1] = x[2 * h + 1] = 0;
    for (int64_t k = 1; 2 * k <= h; k++) {
        REAL *const a = x + 2 * k, *const b = x + 2 * (h - k);
        const double a_re = (double)a[0], a_im = (double)a[1], b_re = (double)b[0], b_im = (double)b[1],
                     even_re = half * (a_re + b_re), even_im = half * (a_im - b_im), odd_re = half * (a_im + b_im),
                     odd_im = half * (b_re - a_re), re = odd_re * w[2 * k] - odd_im * w[2 * k + 1],
                     im = odd_re * w[2 * k + 1] + odd_im * w[2 * k];
        a[0] = (REAL)(even_re + re), a[1] = (REAL)(even_im + im);
        b[0] = (REAL)(even_re - re), b[1] = (REAL)(im - even_im);
    }
}

/* Imaginary parts that a real row cannot have do not count. */
TARGET static void FFT(fold)(int64_t n, const double *w, const void *row, void *to) {
    const REAL *const x = row;
    REAL *const z = to;
    const int64_t h = n / 2;
    z[0] = x[0] + x[2 * h], z[1] = x[0] - x[2 * h];
    for (int64_t k = 1; 2 * k <= h; k++) {
        const REAL *const a = x + 2 * k, *const b = x + 2 * (h - k);
        const double a_re = (double)a[0], a_im = (double)a[1], b_re = (double)b[0], b_im = (double)b[1],
                     even_re = a_re + b_re, even_im = a_im - b_im, re = a_re - b_re, im = a_im + b_im,
                     odd_re = re * w[2 * k] + im * w[2 * k + 1], odd_im = im * w[2 * k] - re * w[2 * k + 1];
        z[2 * k] = (REAL)(even_re - odd_im), z[2 * k + 1] = (REAL)(even_im + odd_re);
        z[2 * (h - k)] = (REAL)(even_re + odd_im), z[2 * (h - k) + 1] = (REAL)(odd_re - even_im);
    }
}

#undef CELL
#undef ASK
#undef WITHIN
#undef FFT
#undef REAL
#undef VECTOR
#undef LANES
#undef TARGET
#undef SPLAT
#undef FUSED
#undef LESS
#undef UNZIP
#undef ZIP
#undef AT
#undef TURN
#endif
