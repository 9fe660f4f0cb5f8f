/* emit_tile.c: loops over the last two variables of a kernel together (kernel_tile.c says where): square tiles of what
 * is read across, chains of prefixes side by side, and a few elements that are woven into each other.
 */
#include "codegen/emit_kernel.h"

enum { BLOCK_ROWS = 32, BLOCK_COLUMNS = 128, CACHE_LINE = 64 };

/* A vector of load x's tile, from number `first` on: the rows that are wanted, then the columns as they were read. */
static LLVMValueRef tile_pointer(cg_emitter *t, const cg_ins *x, LLVMValueRef first) {
    LLVMTypeRef vector = cg_memory_type(t->e, param_type(t, x->param), t->lanes);
    return LLVMBuildGEP2(t->e->b, vector, t->cache[x - t->k->ins], &first, 1, "");
}

/* From the columns in row[] to rows in memory. */
static void turn_in_registers(cg_emitter *t, const cg_ins *x, int64_t rows, int64_t columns) {
    const weft_dtype type = param_type(t, x->param);
    LLVMValueRef row[CG_MAX_LANES], mask = cg_first_lanes(t, rows), base = cg_scalar_index(t, &x->ix, true);
    for (unsigned j = 0; j < t->lanes; j++) {
        LLVMValueRef at = LLVMBuildAdd(t->e->b, base, i64(t, (int64_t)j * x->ix.k[top(t) - 1]), "");
        row[j] = j < columns ? cg_load_contiguous(t, x->param, at, mask)
                             : LLVMConstNull(cg_memory_type(t->e, type, t->lanes));
    }
    cg_turn_tile(t->e, type, t->lanes, row);
    for (int64_t r = 0; r < rows; r++)
        LLVMSetAlignment(LLVMBuildStore(t->e->b, row[r], tile_pointer(t, x, i64(t, r))), element_bytes(t, x->param));
}

/* Asks for the lines of a vector of elements from `at` on. */
static void ask_for(cg_emitter *t, uint32_t param, LLVMValueRef at, bool to_write) {
    for (int64_t i = 0; i < t->lanes; i += CACHE_LINE / element_bytes(t, param)) {
        LLVMValueRef p = cg_element_pointer(t, param, LLVMBuildAdd(t->e->b, at, i64(t, i), ""));
        LLVMTypeRef overload = LLVMTypeOf(p);
        LLVMValueRef args[4] = { p, cg_integer(t->e, 32, 0, to_write), cg_integer(t->e, 32, 0, 3),
                                 cg_integer(t->e, 32, 0, 1) }; /* kept in all caches; data */
        cg_intrinsic(t->e, "llvm.prefetch", &overload, 1, args, 4);
    }
}

/* The columns of x's tile, one after another, after the room for its rows. Each is a line of its own, which no
 * processor sees coming, and a tile takes more instructions than it looks ahead: so the next tile's are asked for. */
static void copy_columns(cg_emitter *t, const cg_ins *x, int64_t rows, int64_t columns) {
    LLVMBuilderRef b = t->e->b;
    const int64_t step = x->ix.k[top(t) - 1];
    LLVMValueRef mask = cg_first_lanes(t, rows), base = cg_scalar_index(t, &x->ix, true);
    cg_loop l = cg_loop_begin(t, 0, columns, 1);
    LLVMValueRef at = LLVMBuildAdd(b, base, LLVMBuildMul(b, l.iv, i64(t, step), ""), ""),
                 to = tile_pointer(t, x, LLVMBuildAdd(b, l.iv, i64(t, t->lanes), ""));
    ask_for(t, x->param, LLVMBuildAdd(b, at, i64(t, t->lanes * step), ""), false);
    LLVMSetAlignment(LLVMBuildStore(b, cg_load_contiguous(t, x->param, at, mask), to), element_bytes(t, x->param));
    cg_loop_end(t, &l);
    if (columns == t->lanes) return;
    l = cg_loop_begin(t, columns, t->lanes, 1);
    LLVMValueRef none = LLVMConstNull(cg_memory_type(t->e, param_type(t, x->param), t->lanes));
    to = tile_pointer(t, x, LLVMBuildAdd(b, l.iv, i64(t, t->lanes), ""));
    LLVMSetAlignment(LLVMBuildStore(b, none, to), element_bytes(t, x->param));
    cg_loop_end(t, &l);
}

/* What load i reads for a tile of `rows` by `columns` elements, from the columns where it lies, into memory of its own
 * by rows. */
static void read_tile(cg_emitter *t, uint32_t i, int64_t rows, int64_t columns) {
    const cg_ins *x = &t->k->ins[i];
    const unsigned size = element_bytes(t, x->param), parts = t->lanes * size / 16;
    LLVMTypeRef vector = cg_memory_type(t->e, param_type(t, x->param), t->lanes);
    if (!t->cache[i]) t->cache[i] = cg_alloca_at_entry(t, LLVMArrayType2(vector, 2 * t->lanes));
    LLVMSetAlignment(t->cache[i], t->e->vector_bytes);
    if (!parts) {
        turn_in_registers(t, x, rows, columns);
        return;
    }
    copy_columns(t, x, rows, columns);
    cg_loop l = cg_loop_begin(t, 0, parts, 1);
    LLVMValueRef at = LLVMBuildMul(t->e->b, l.iv, i64(t, 16), ""),
                 from = LLVMBuildGEP2(t->e->b, cg_int(t->e, 8, 0), tile_pointer(t, x, i64(t, t->lanes)), &at, 1, "");
    cg_turn_columns(t->e, size, t->lanes, from,
                    tile_pointer(t, x, LLVMBuildMul(t->e->b, l.iv, i64(t, 16 / size), "")));
    cg_loop_end(t, &l);
}

/* What a tile writes, before it is read: by then it is there. */
static void ask_for_results(cg_emitter *t) {
    const uint32_t p = top(t) - 2;
    cg_loop l = cg_loop_begin(t, 0, t->lanes, 1);
    for (uint32_t i = 0; i < t->k->store_count; i++) {
        const cg_store *s = &t->k->stores[i];
        LLVMValueRef moved = LLVMBuildMul(t->e->b, l.iv, i64(t, s->ix.k[p]), "");
        ask_for(t, s->param, LLVMBuildAdd(t->e->b, cg_scalar_index(t, &s->ix, true), moved, ""), true);
    }
    cg_loop_end(t, &l);
}

/* ---- tiles of prefixes ---- */

/* What store s writes of param: where it is put by rows, and turned afterwards. */
static LLVMValueRef kept_pointer_of(cg_emitter *t, uint32_t param, LLVMValueRef first) {
    LLVMTypeRef vector = cg_memory_type(t->e, param_type(t, param), t->lanes);
    if (!t->kept_tile[param]) {
        t->kept_tile[param] = cg_alloca_at_entry(t, LLVMArrayType2(vector, 2 * t->lanes));
        LLVMSetAlignment(t->kept_tile[param], t->e->vector_bytes);
    }
    return LLVMBuildGEP2(t->e->b, vector, t->kept_tile[param], &first, 1, "");
}

static void keep_rows(cg_emitter *t, LLVMValueRef row) {
    for (uint32_t i = 0; i < t->k->param_count; i++)
        t->kept_row[i] = row && weft_bits_has(t->k->written, i) ? kept_pointer_of(t, i, row) : NULL;
}

/* Turns what was kept of param. */
static void turn_kept(cg_emitter *t, uint32_t param) {
    const weft_dtype type = param_type(t, param);
    const unsigned size = element_bytes(t, param), parts = t->lanes * size / 16;
    LLVMTypeRef vector = cg_memory_type(t->e, type, t->lanes);
    if (!parts) {
        LLVMValueRef row[CG_MAX_LANES];
        for (unsigned r = 0; r < t->lanes; r++)
            row[r] = LLVMBuildLoad2(t->e->b, vector, kept_pointer_of(t, param, i64(t, r)), "");
        cg_turn_tile(t->e, type, t->lanes, row);
        for (unsigned r = 0; r < t->lanes; r++)
            LLVMBuildStore(t->e->b, row[r], kept_pointer_of(t, param, i64(t, t->lanes + r)));
        return;
    }
    cg_loop l = cg_loop_begin(t, 0, parts, 1);
    LLVMValueRef at = LLVMBuildMul(t->e->b, l.iv, i64(t, 16), ""),
                 from = LLVMBuildGEP2(t->e->b, cg_int(t->e, 8, 0), kept_pointer_of(t, param, i64(t, 0)), &at, 1, ""),
                 to = LLVMBuildAdd(t->e->b, LLVMBuildMul(t->e->b, l.iv, i64(t, 16 / size), ""), i64(t, t->lanes), "");
    cg_turn_columns(t->e, size, t->lanes, from, kept_pointer_of(t, param, to));
    cg_loop_end(t, &l);
}

/* What a tile kept for param, which store ix says where to put. */
static void write_kept(cg_emitter *t, uint32_t param, const cg_ix *ix, int64_t rows, int64_t columns) {
    LLVMTypeRef vector = cg_memory_type(t->e, param_type(t, param), t->lanes);
    turn_kept(t, param);
    cg_loop l = cg_loop_begin(t, 0, columns, 1);
    LLVMValueRef moved = LLVMBuildMul(t->e->b, l.iv, i64(t, ix->k[top(t) - 1]), ""),
                 at = LLVMBuildAdd(t->e->b, cg_scalar_index(t, ix, true), moved, ""),
                 from = kept_pointer_of(t, param, LLVMBuildAdd(t->e->b, l.iv, i64(t, t->lanes), "")),
                 v = LLVMBuildLoad2(t->e->b, vector, from, "");
    LLVMSetAlignment(v, element_bytes(t, param));
    cg_store_vector(t, param, at, v, cg_first_lanes(t, rows));
    cg_loop_end(t, &l);
}

static void write_tiles(cg_emitter *t, int64_t rows, int64_t columns) {
    for (uint32_t i = 0; i < t->k->store_count; i++) {
        const cg_store *s = &t->k->stores[i];
        const uint32_t n = s->kind == CG_STORE ? 1 : t->k->sums[s->fold].n;
        for (uint32_t r = 0; r < n; r++)
            write_kept(t, s->kind == CG_STORE ? s->param : s->params[r], &s->ix, rows, columns);
    }
}

/* The tile at the last two variables' values. */
static void run_tile(cg_emitter *t, int64_t rows, int64_t columns) {
    const uint32_t q = top(t) - 1, p = q - 1;
    LLVMValueRef first = t->var[p];
    if (rows == t->lanes && columns == t->lanes && !t->k->scanned) ask_for_results(t);
    for (uint32_t i = 0; i < t->k->ins_count; i++)
        if (cg_kernel_reads_across(t->k, &t->k->ins[i], p)) read_tile(t, i, rows, columns);
    cg_loop l = cg_loop_begin(t, 0, rows, 1);
    for (uint32_t i = 0; i < t->k->ins_count; i++) {
        if (!cg_kernel_reads_across(t->k, &t->k->ins[i], p)) continue;
        t->tile[i] = tile_pointer(t, &t->k->ins[i], l.iv);
    }
    t->var[p] = LLVMBuildAdd(t->e->b, first, l.iv, "");
    t->mask = cg_first_lanes(t, columns);
    if (t->k->scanned) keep_rows(t, l.iv);
    cg_compute_level(t, q, 0);
    cg_innermost(t, 0);
    t->mask = NULL;
    keep_rows(t, NULL);
    cg_loop_end(t, &l);
    t->var[p] = first;
    if (t->k->scanned) write_tiles(t, rows, columns);
}

/* Chains side by side, from their beginnings to their ends. */
static void chains(cg_emitter *t, int64_t columns) {
    const uint32_t p = top(t) - 2;
    const int64_t n = t->k->extent[p], whole = n / t->lanes * t->lanes;
    if (whole) {
        cg_loop l = cg_loop_begin(t, 0, whole, t->lanes);
        t->var[p] = l.iv;
        run_tile(t, t->lanes, columns);
        cg_loop_end(t, &l);
    }
    t->var[p] = i64(t, whole);
    if (whole < n) run_tile(t, n - whole, columns);
}

void cg_scan_loops(cg_emitter *t) {
    const uint32_t q = top(t) - 1;
    const int64_t n = t->k->extent[q], whole = n / t->lanes * t->lanes;
    const bool shared = is_shared(t, q);
    LLVMBasicBlockRef after = NULL;
    cg_need_phase(t, 0);
    if (whole) {
        cg_range r = { i64(t, 0), i64(t, whole) };
        if (shared) r = cg_part_of(t, r.begin, r.end);
        if (shared) after = cg_when_some(t, &r);
        cg_loop l = cg_loop_between(t, r.begin, r.end, t->lanes);
        t->var[q] = l.iv;
        chains(t, t->lanes);
        cg_loop_end(t, &l);
        if (after) cg_when_end(t, after);
    }
    if (whole == n) return;
    after = shared ? cg_when(t, LLVMBuildICmp(t->e->b, LLVMIntEQ, t->part_end, i64(t, n), "")) : NULL;
    t->var[q] = i64(t, whole);
    chains(t, n - whole);
    if (after) cg_when_end(t, after);
}

/* The loop over part of a variable that begins at `from`, at most `most` long. */
static cg_loop loop_over_part(cg_emitter *t, LLVMValueRef from, int64_t most, int64_t end, int64_t step) {
    LLVMValueRef to = LLVMBuildAdd(t->e->b, from, i64(t, most), "");
    LLVMValueRef inside = LLVMBuildICmp(t->e->b, LLVMIntULT, to, i64(t, end), "");
    return cg_loop_between(t, from, LLVMBuildSelect(t->e->b, inside, to, i64(t, end), ""), step);
}

/* The beginning of the tile at `at` of a variable, such that it ends within. */
static LLVMValueRef tile_begin(cg_emitter *t, LLVMValueRef at, int64_t extent) {
    LLVMValueRef last = i64(t, extent - t->lanes);
    if (extent % t->lanes == 0) return at;
    return LLVMBuildSelect(t->e->b, LLVMBuildICmp(t->e->b, LLVMIntULT, at, last, ""), at, last, "");
}

/* The rows of the last but one variable, below `end`, that this call does; where threads share that loop there may be
 * none: then what follows is skipped. */
static cg_range rows_of_part(cg_emitter *t, int64_t end) {
    const cg_range all = { i64(t, 0), i64(t, end) };
    return is_shared(t, top(t) - 2) ? cg_part_of(t, all.begin, all.end) : all;
}

/* Where nothing is computed, elements may be moved twice: the last tiles begin early enough to be whole. */
static void move_tiles(cg_emitter *t) {
    const uint32_t q = top(t) - 1, p = q - 1;
    const int64_t n = t->lanes, extent[2] = { t->k->extent[p], t->k->extent[q] };
    cg_loop block[2], inner[2];
    cg_need_phase(t, 0);
    const cg_range rows = rows_of_part(t, extent[0]);
    block[0] = cg_loop_between(t, rows.begin, rows.end, BLOCK_ROWS < n ? n : BLOCK_ROWS);
    block[1] = cg_loop_begin(t, 0, extent[1], BLOCK_COLUMNS);
    inner[0] = loop_over_part(t, block[0].iv, BLOCK_ROWS < n ? n : BLOCK_ROWS, extent[0], n);
    inner[1] = loop_over_part(t, block[1].iv, BLOCK_COLUMNS, extent[1], n);
    t->var[p] = tile_begin(t, inner[0].iv, extent[0]), t->var[q] = tile_begin(t, inner[1].iv, extent[1]);
    run_tile(t, n, n);
    cg_loop_end(t, &inner[1]), cg_loop_end(t, &inner[0]), cg_loop_end(t, &block[1]), cg_loop_end(t, &block[0]);
}

/* Rows past the last tile, which are the last part's, and columns past it; then what is past both. */
static void edges(cg_emitter *t, const int64_t *most, const int64_t *whole) {
    const uint32_t q = top(t) - 1, p = q - 1;
    const int64_t n = t->lanes;
    if (whole[1] < most[1] && whole[0]) {
        const cg_range rows = rows_of_part(t, whole[0]);
        LLVMBasicBlockRef after = is_shared(t, p) ? cg_when_some(t, &rows) : NULL;
        cg_loop l = cg_loop_between(t, rows.begin, rows.end, n);
        t->var[q] = i64(t, whole[1]), t->var[p] = l.iv;
        run_tile(t, n, most[1] - whole[1]);
        cg_loop_end(t, &l);
        if (after) cg_when_end(t, after);
    }
    if (whole[0] == most[0]) return;
    LLVMBasicBlockRef after =
        is_shared(t, p) ? cg_when(t, LLVMBuildICmp(t->e->b, LLVMIntEQ, t->part_end, i64(t, most[0]), "")) : NULL;
    t->var[p] = i64(t, whole[0]);
    if (whole[1]) {
        cg_loop l = cg_loop_begin(t, 0, whole[1], n);
        t->var[q] = l.iv;
        run_tile(t, most[0] - whole[0], n);
        cg_loop_end(t, &l);
    }
    t->var[q] = i64(t, whole[1]);
    if (whole[1] < most[1]) run_tile(t, most[0] - whole[0], most[1] - whole[1]);
    if (after) cg_when_end(t, after);
}

/* Tiles in blocks, so that lines and pages are not left before they are used up; then the edges. */
void cg_tile_loops(cg_emitter *t) {
    const uint32_t q = top(t) - 1, p = q - 1;
    const int64_t n = t->lanes, most[2] = { t->k->extent[p], t->k->extent[q] },
                  whole[2] = { most[0] / n * n, most[1] / n * n };
    if (t->k->moves && whole[0] && whole[1]) {
        move_tiles(t);
        return;
    }
    const bool shared = is_shared(t, p);
    cg_need_phase(t, 0);
    if (whole[0] && whole[1]) {
        cg_loop block[2], inner[2];
        const cg_range rows = rows_of_part(t, whole[0]);
        LLVMBasicBlockRef after = shared ? cg_when_some(t, &rows) : NULL;
        block[0] = cg_loop_between(t, rows.begin, rows.end, BLOCK_ROWS);
        block[1] = cg_loop_begin(t, 0, whole[1], BLOCK_COLUMNS);
        inner[0] = loop_over_part(t, block[0].iv, BLOCK_ROWS, whole[0], n);
        inner[1] = loop_over_part(t, block[1].iv, BLOCK_COLUMNS, whole[1], n);
        t->var[p] = inner[0].iv, t->var[q] = inner[1].iv;
        run_tile(t, n, n);
        cg_loop_end(t, &inner[1]), cg_loop_end(t, &inner[0]), cg_loop_end(t, &block[1]), cg_loop_end(t, &block[0]);
        if (after) cg_when_end(t, after);
    }
    edges(t, most, whole);
}

/* ---- a few elements side by side ---- */

/* What is stored for each of them by `columns` lanes, then all of it side by side. */
static void weave(cg_emitter *t, int64_t columns) {
    const uint32_t q = top(t) - 2;
    const int64_t width = t->k->extent[q];
    LLVMValueRef part[CG_MAX_PARAMS][CG_MAX_NARROW];
    for (int64_t c = 0; c < width; c++) {
        t->first[q] = t->last[q] = c;
        t->var[q] = i64(t, c);
        t->mask = cg_first_lanes(t, columns);
        cg_kernel_decide(t->k, t->first, t->last, t->known);
        cg_compute_level(t, top(t) - 1, 0);
        cg_need_phase(t, 0);
        cg_compute_needed(t, top(t), 0);
        for (uint32_t i = 0; i < t->k->store_count; i++) part[i][c] = cg_stored(t, &t->k->stores[i], t->lanes);
    }
    t->var[q] = i64(t, 0);
    for (uint32_t i = 0; i < t->k->store_count; i++) {
        const cg_store *s = &t->k->stores[i];
        LLVMValueRef base = cg_scalar_index(t, &s->ix, true);
        for (int64_t j = 0; j < width && j * t->lanes < columns * width; j++) {
            LLVMValueRef at = LLVMBuildAdd(t->e->b, base, i64(t, j * t->lanes), "");
            cg_store_vector(t, s->param, at, cg_woven(t->e, t->lanes, (unsigned)width, part[i], (unsigned)j),
                         cg_first_lanes(t, columns * width - j * t->lanes));
        }
    }
    t->mask = NULL;
    t->first[q] = 0, t->last[q] = width - 1;
}

void cg_woven_loops(cg_emitter *t) {
    const uint32_t p = top(t) - 1;
    const int64_t n = t->k->extent[p], whole = n / t->lanes * t->lanes;
    if (whole) {
        cg_loop l = cg_loop_begin(t, 0, whole, t->lanes);
        t->var[p] = l.iv;
        weave(t, t->lanes);
        cg_loop_end(t, &l);
    }
    t->var[p] = i64(t, whole);
    if (whole < n) weave(t, n - whole);
}
