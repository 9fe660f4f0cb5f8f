/* Element types: the table, and conversions that are exact if possible and else rounded to even. */
#include "base/dtype.h"

#include <math.h>
#include "tests/support/suite.h"

START_TEST(the_table_is_whole) {
    for (int t = 1; t < WEFT_DTYPE_COUNT; t++) {
        const weft_dtype_info *info = weft_dtype_of((weft_dtype)t);
        ck_assert_int_eq(weft_dtype_parse(weft_str_from(info->name)), t);
        ck_assert_uint_ge(info->stored_bytes * 8u, info->bits);
        if (info->npy) ck_assert_int_eq(weft_dtype_from_npy(weft_str_from(info->npy)), t);
    }
    ck_assert_int_eq(weft_dtype_parse(WEFT_STR("f33")), WEFT_DTYPE_NONE);
    ck_assert_int_eq(weft_dtype_parse(WEFT_STR("F32")), WEFT_DTYPE_NONE);
    ck_assert_int_eq(weft_dtype_parse(WEFT_STR("")), WEFT_DTYPE_NONE);
    ck_assert_int_eq(weft_dtype_from_npy(WEFT_STR("x9")), WEFT_DTYPE_NONE);
}
END_TEST

/* Values as ml_dtypes and IEEE 754 have them. */
static const struct { weft_dtype type; uint32_t code; double value; } codes[] = {
    { WEFT_F16, 0x3c00, 1 },            { WEFT_F16, 0x0001, 0x1p-24 },      { WEFT_F16, 0x7bff, 65504 },        { WEFT_F16, 0xfc00, -INFINITY },
    { WEFT_BF16, 0x3f80, 1 },           { WEFT_BF16, 0x0001, 0x1p-133 },    { WEFT_BF16, 0x7f7f, 0x1.fep127 },  { WEFT_BF16, 0x7f80, INFINITY },
    { WEFT_F8E5M2, 0x3c, 1 },           { WEFT_F8E5M2, 0x7b, 57344 },       { WEFT_F8E5M2, 0x01, 0x1p-16 },     { WEFT_F8E5M2, 0x7c, INFINITY },
    { WEFT_F8E4M3, 0x77, 240 },         { WEFT_F8E4M3, 0x78, INFINITY },    { WEFT_F8E4M3FN, 0x7e, 448 },       { WEFT_F8E4M3FN, 0x01, 0x1p-9 },
    { WEFT_F8E4M3FN, 0x7f, NAN },       { WEFT_F8E4M3FNUZ, 0x7f, 240 },     { WEFT_F8E4M3FNUZ, 0x80, NAN },     { WEFT_F8E4M3FNUZ, 0x01, 0x1p-10 },
    { WEFT_F8E4M3B11FNUZ, 0x7f, 30 },   { WEFT_F8E4M3B11FNUZ, 0x80, NAN },  { WEFT_F8E5M2FNUZ, 0x7f, 57344 },   { WEFT_F8E5M2FNUZ, 0x80, NAN },
    { WEFT_F8E3M4, 0x6f, 15.5 },        { WEFT_F8E3M4, 0x70, INFINITY },    { WEFT_F8E8M0FNU, 0x7f, 1 },        { WEFT_F8E8M0FNU, 0x00, 0x1p-127 },
    { WEFT_F8E8M0FNU, 0xff, NAN },      { WEFT_F4E2M1FN, 0x7, 6 },          { WEFT_F4E2M1FN, 0x1, 0.5 },        { WEFT_F6E2M3FN, 0x1f, 7.5 },
    { WEFT_F6E3M2FN, 0x1f, 28 },        { WEFT_F6E3M2FN, 0x01, 0.0625 },    { WEFT_F4E2M1FN, 0xf, -6 },
};

static double load(weft_dtype t, uint32_t code) { return weft_dtype_load(t, &code); }

static uint32_t store(weft_dtype t, double v) {
    uint32_t code = 0;
    weft_dtype_store(t, &code, v);
    return code;
}

START_TEST(codes_have_their_values) {
    double v = load(codes[_i].type, codes[_i].code);
    if (isnan(codes[_i].value)) ck_assert(isnan(v));
    else ck_assert_double_eq(v, codes[_i].value);
}
END_TEST

static const struct { weft_dtype type; uint32_t codes, positive; bool has_sign; } small[] = {
    { WEFT_F16, 65536, 0x7bff, true },        { WEFT_BF16, 65536, 0x7f7f, true },     { WEFT_F8E5M2, 256, 0x7b, true },     { WEFT_F8E4M3, 256, 0x77, true },
    { WEFT_F8E4M3FN, 256, 0x7e, true },       { WEFT_F8E4M3FNUZ, 256, 0x7f, true },   { WEFT_F8E4M3B11FNUZ, 256, 0x7f, true }, { WEFT_F8E5M2FNUZ, 256, 0x7f, true },
    { WEFT_F8E3M4, 256, 0x6f, true },         { WEFT_F4E2M1FN, 16, 0x7, true },       { WEFT_F6E2M3FN, 64, 0x1f, true },    { WEFT_F6E3M2FN, 64, 0x1f, true },
    { WEFT_F8E8M0FNU, 256, 0xfe, false },
};

START_TEST(every_code_comes_back) {
    for (uint32_t code = 0; code < small[_i].codes; code++) {
        double v = load(small[_i].type, code);
        if (isnan(v)) ck_assert(isnan(load(small[_i].type, store(small[_i].type, v))));
        else
            ck_assert_msg(store(small[_i].type, v) == code, "%s: code %#x is %a, which is stored as %#x",
                          weft_dtype_of(small[_i].type)->name, code, v, store(small[_i].type, v));
    }
}
END_TEST

/* Between two neighbours: nearer goes to the nearer, the middle to the even code. */
START_TEST(rounds_to_nearest_even) {
    weft_dtype t = small[_i].type;
    for (uint32_t code = 0; code < small[_i].positive; code++) {
        double a = load(t, code), b = load(t, code + 1), middle = a / 2 + b / 2;
        ck_assert_double_lt(a, b);
        ck_assert_uint_eq(store(t, nextafter(middle, 0)), code);
        ck_assert_uint_eq(store(t, nextafter(middle, INFINITY)), code + 1);
        if (small[_i].has_sign) ck_assert_uint_eq(store(t, middle), code + (code & 1));
    }
}
END_TEST

static const struct { weft_dtype type; double value, want; } limits[] = {
    { WEFT_F16, 65519.99, 65504 },      { WEFT_F16, 65520, INFINITY },         { WEFT_F8E5M2, 61440, INFINITY },   { WEFT_F8E5M2, -61439, -57344 },
    { WEFT_F8E4M3FN, 464, 448 },        { WEFT_F8E4M3FN, 465, NAN },           { WEFT_F8E4M3FN, INFINITY, NAN },   { WEFT_F8E4M3FNUZ, 248, NAN },
    { WEFT_F8E4M3FNUZ, -0.0, 0 },       { WEFT_F4E2M1FN, 100, 6 },             { WEFT_F4E2M1FN, -INFINITY, -6 },   { WEFT_F6E3M2FN, 29, 28 },
    { WEFT_BF16, 3.4e38, INFINITY },    { WEFT_F32, 1e39, INFINITY },          { WEFT_F16, 0x1p-25, 0 },           { WEFT_F16, 0x1.8p-25, 0x1p-24 },
    { WEFT_I8, 127.9, 127 },            { WEFT_I8, 128, 127 },                 { WEFT_I8, -1e9, -128 },            { WEFT_UI8, -1, 0 },
    { WEFT_UI8, 300, 255 },             { WEFT_I4, 9, 7 },                     { WEFT_I4, -9, -8 },                { WEFT_UI4, 99, 15 },
    { WEFT_I2, 5, 1 },                  { WEFT_UI2, 5, 3 },                    { WEFT_I32, NAN, 0 },               { WEFT_I64, 1e30, 0x1p63 },
    { WEFT_I64, -1e30, -0x1p63 },       { WEFT_UI64, 1e30, 0x1p64 },           { WEFT_I1, 0.5, 1 },                { WEFT_I1, 0, 0 },
    { WEFT_C64, -2.5, -2.5 },           { WEFT_C128, 1e300, 1e300 },           { WEFT_I16, -32768, -32768 },       { WEFT_UI32, 4294967295.0, 4294967295.0 },
};

START_TEST(limits_are_kept) {
    _Alignas(16) unsigned char p[16];
    weft_dtype_store(limits[_i].type, p, limits[_i].value);
    double v = weft_dtype_load(limits[_i].type, p);
    if (isnan(limits[_i].want)) ck_assert(isnan(v));
    else ck_assert_double_eq(v, limits[_i].want);
}
END_TEST

/* Storing touches stored_bytes and no more. */
START_TEST(stores_stay_inside) {
    for (int t = 1; t < WEFT_DTYPE_COUNT; t++) {
        unsigned char p[24];
        memset(p, 0xee, sizeof p);
        weft_dtype_store((weft_dtype)t, p, 1);
        for (size_t i = weft_dtype_bytes((weft_dtype)t); i < sizeof p; i++) ck_assert_uint_eq(p[i], 0xee);
        ck_assert_double_eq(weft_dtype_load((weft_dtype)t, p), 1);
    }
}
END_TEST

/* Every value lies between the two, and storing them changes nothing. */
START_TEST(ends_bound_every_code) {
    const weft_dtype t = small[_i].type;
    const double least = weft_dtype_least(t), greatest = weft_dtype_greatest(t);
    for (uint32_t code = 0; code < small[_i].codes; code++) {
        double v = load(t, code);
        ck_assert(isnan(v) || (least <= v && v <= greatest));
    }
    ck_assert_double_eq(load(t, store(t, least)), least);
    ck_assert_double_eq(load(t, store(t, greatest)), greatest);
    ck_assert(weft_dtype_least(WEFT_I1) == 0 && weft_dtype_greatest(WEFT_I1) == 1);
    ck_assert(load(WEFT_I8, store(WEFT_I8, weft_dtype_least(WEFT_I8))) == -128);
    ck_assert(load(WEFT_UI8, store(WEFT_UI8, weft_dtype_least(WEFT_UI8))) == 0);
    ck_assert(load(WEFT_UI8, store(WEFT_UI8, weft_dtype_greatest(WEFT_UI8))) == 255);
}
END_TEST

START_TEST(integers_that_a_type_holds) {
    static const struct { weft_dtype t; int64_t least, greatest; } types[] = {
        { WEFT_I1, 0, 1 }, { WEFT_I4, -8, 7 }, { WEFT_UI4, 0, 15 }, { WEFT_I8, -128, 127 }, { WEFT_UI8, 0, 255 },
        { WEFT_I32, INT32_MIN, INT32_MAX }, { WEFT_UI32, 0, UINT32_MAX },
    };
    for (size_t i = 0; i < WEFT_COUNT(types); i++) {
        ck_assert(weft_dtype_holds_int(types[i].t, types[i].least));
        ck_assert(weft_dtype_holds_int(types[i].t, types[i].greatest));
        ck_assert(!weft_dtype_holds_int(types[i].t, types[i].least - 1) &&
                  !weft_dtype_holds_int(types[i].t, types[i].greatest + 1));
    }
    ck_assert(weft_dtype_holds_int(WEFT_I64, INT64_MIN) && weft_dtype_holds_int(WEFT_I64, INT64_MAX));
    ck_assert(weft_dtype_holds_int(WEFT_UI64, INT64_MAX) && !weft_dtype_holds_int(WEFT_UI64, -1));
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/dtype");
    TCase *tc = tcase_create("dtype");
    tcase_add_test(tc, the_table_is_whole);
    tcase_add_loop_test(tc, codes_have_their_values, 0, WEFT_COUNT(codes));
    tcase_add_loop_test(tc, every_code_comes_back, 0, WEFT_COUNT(small));
    tcase_add_loop_test(tc, rounds_to_nearest_even, 0, WEFT_COUNT(small));
    tcase_add_loop_test(tc, limits_are_kept, 0, WEFT_COUNT(limits));
    tcase_add_test(tc, stores_stay_inside);
    tcase_add_test(tc, integers_that_a_type_holds);
    tcase_add_loop_test(tc, ends_bound_every_code, 0, WEFT_COUNT(small));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
