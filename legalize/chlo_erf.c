/* chlo_erf: the error function, its complement and its inverse, and the Bessel function I1.
 *
 * Polynomials of least error (codegen/coefficients.py) in a variable in which the function is smooth over its entire
 * range; a short one if the result is rounded to f32 or less, a full one for f64. erf of f32 is computed in f32, all
 * others in f64.
 */
#include <math.h>
#include "legalize/chlo.h"

#define POLY(g, x, c) lg_polynomial(g, x, c, (uint32_t)WEFT_COUNT(c))
#define BOTH(g, p, x, name) ((p) == LG_SHORT ? POLY(g, x, name##_short) : POLY(g, x, name##_full))

/* erf(x) / x - 1 in x^2, |x| <= 5/4 or 1. */
static const double erf_near_short[] = { 0.128379166192413022,    -0.376126313569845623,  0.112836881232987369,
                                         -0.0268607405665319128,  0.00520990406558446592, -0.000834780004748241214,
                                         0.000104317935048696472, -7.64170466821604508e-6 };
static const double erf_near_full[] = { 0.128379167095512567,    -0.376126389031835466,     0.112837916709452529,
                                        -0.0268661706432761717,  0.00522397760742314289,    -0.000854832598968406395,
                                        0.000120552953201983522, -0.0000149247446591335475, 1.64475176423778531e-6,
                                        -1.62091757495890991e-7, 1.372297597471211e-8,      -7.80118898741314774e-10 };
/* erfc(x) in x - 2.6, 5/4 <= x <= 3.95. */
static const double erf_far_short[] = { 0.000236032514139652392, -0.0013080125371516806,    0.00340103420928258061,
                                        -0.00545962223826329364, 0.00596206977494782964,    -0.00456005890081927572,
                                        0.00236791616166605954,  -0.000679370514035628079,  -0.0000747436228258020301,
                                        0.000182638316557094407, -0.0000745841908356098633, 5.59622147478388542e-7,
                                        8.25943017002949971e-6,  -1.76618501324702394e-6 };
/* erfc(x) e^(x^2) (x + 4) in t = (x - 4) / (x + 4), x from 1/2 to where erfc(x) is zero: M. Shepherd and J.
 * Laframboise, 1981. */
static const double erfc_short[] = { 1.09599566123428567,      -0.976548734797597826,   0.773208660590806876,
                                     -0.540853469197402584,    0.33085297120959628,     -0.174016674561453065,
                                     0.0763630240337885496,    -0.0263407995038517256,  0.00622175919999641843,
                                     -0.000292142412524562499, -0.000691805264566344455 };
static const double erfc_full[] = { 1.09599566100049112,      -0.976548729080881991,     0.773208702265236146,
                                    -0.540853831313235277,    0.330851587878074128,      -0.174010937239937793,
                                    0.0763815149077283796,    -0.0263700533400795253,    0.00611205567639923671,
                                    -0.000280958869612589933, -0.000455052842995839374,  0.000176812851854104852,
                                    -3.63440831307995743e-6,  -0.0000188610380111113053, 4.69207118532045561e-6,
                                    1.42459223854300311e-6,   -8.41623850427059439e-7,   -7.61251344267761736e-8,
                                    1.18696312311419144e-7,   1.32572083794900151e-9,    -1.18689708104276969e-8 };

static lg_value erf_near(lg *g, lg_value x, lg_precision p) {
    lg_value z = lg_mul(g, x, x);
    return lg_mul_add(g, x, BOTH(g, p, z, erf_near), x);
}

/* e^(-x^2) for x >= 0 in f64. The square of an f32 is exact; of an f64 that of its upper half is, and the rest is at
 * most 2^-13. */
static lg_value exp_of_minus_square(lg *g, lg_value x, lg_precision p) {
    if (p == LG_SHORT) return lg_exp(g, lg_neg(g, lg_mul(g, x, x)));
    static const double series[] = { 1, -1, 0.5, -1.0 / 6 };
    lg_value high = lg_convert(g, lg_convert(g, x, WEFT_F32), WEFT_F64), low = lg_sub(g, x, high);
    lg_value rest = lg_mul(g, low, lg_add(g, x, high));
    return lg_mul(g, lg_exp(g, lg_neg(g, lg_mul(g, high, high))), POLY(g, rest, series));
}

/* erfc of size >= 1/2, in f64. */
static lg_value erfc_far(lg *g, lg_value size, lg_precision p) {
    lg_value x = lg_min(g, size, lg_const(g, size, 30)), u = lg_div(g, lg_const(g, x, 1), lg_add_c(g, x, 4));
    lg_value t = lg_mul(g, lg_add_c(g, x, -4), u), y = lg_mul(g, BOTH(g, p, t, erfc), u);
    return lg_mul(g, y, exp_of_minus_square(g, x, p));
}

lg_value lg_erf(lg *g, const lg_value *x, lg_precision p) {
    lg_value size = lg_abs(g, x[0]), far, split = lg_const(g, size, p == LG_SHORT ? 1.25 : 1);
    if (p == LG_SHORT) {
        lg_value t = lg_add_c(g, lg_min(g, size, lg_const(g, size, 3.95)), -2.6);
        far = lg_sub(g, lg_const(g, size, 1), POLY(g, t, erf_far_short));
    } else far = lg_sub(g, lg_const(g, size, 1), erfc_far(g, size, p));
    return lg_select(g, lg_lt(g, size, split), erf_near(g, x[0], p), lg_with_sign(g, far, x[0]));
}

lg_value lg_erfc(lg *g, const lg_value *x, lg_precision p) {
    lg_value size = lg_abs(g, x[0]), far = erfc_far(g, size, p), zero = lg_const(g, size, 0);
    far = lg_select(g, lg_lt(g, x[0], zero), lg_sub(g, lg_const(g, size, 2), far), far);
    lg_value near = lg_sub(g, lg_const(g, size, 1), erf_near(g, x[0], p));
    return lg_select(g, lg_lt(g, size, lg_const(g, size, 0.5)), near, far);
}

/* erf_inv(x) / x in w - 3, w = -log(1 - x^2) <= 6; beyond in sqrt(w) - 3.25, for f64 from 4.1 on in sqrt(w) - 5.1. The
 * variables are those of M. Giles, Approximating the erfinv function, 2010. */
static const double erf_inv_near_short[] = {
    1.62354201484260319,     0.241630407361864485,      -0.00573819356736093448, -0.000836192709243902215,
    0.000195127614566264592, -0.0000127088297003540963, -1.77582786291988459e-6, 4.48422597953384723e-7,
    -1.8335698474546079e-8,  -5.47360747420159055e-9,   6.25515636746757675e-10
};
static const double erf_inv_far_short[] = {
    3.08388558848821899,     1.00525838699284827,      0.00537207993988567503,
    -0.00373966252329176168, 0.00248038695927931351,   -0.00174941416315120136,
    0.000994525843906126165, -0.000237631182263784526, -0.0000461425855000292091
};
static const double erf_inv_near_full[] = {
    1.62354200646482985,      0.241630404166160102,      -0.00573813522100357271,  -0.000836181776925531512,
    0.000195061324401832567,  -0.0000127164225957906484, -1.74800207420305054e-6,  4.49985372879987549e-7,
    -2.36887477282244637e-8,  -5.46714313799277179e-9,   1.11080922155912184e-9,   -3.1440508211238326e-11,
    -1.73325445012574996e-11, 2.70297910969988611e-12,   7.0579190094613984e-15,   -5.36366971697688932e-14,
    6.21910884599550032e-15,  3.55331513507646364e-16,   -1.52301579316424278e-16, 7.00303453915365142e-18,
    1.54820280355274818e-18,  -1.49677613045651093e-19
};
static const double erf_inv_middle_full[] = {
    3.0838856104922204,       1.00525896769416406,      0.00537091455363675438,    -0.00375120850807937019,
    0.00249144209399171839,   -0.00168827553993094977,  0.000953289416387994785,   -0.000355037752853022555,
    0.0000240307941470454498, 0.0000682866786214292647, -0.0000473167023539701798, 0.0000124668523784946491,
    2.91912822233101236e-6,   -3.99022583397542117e-6,  1.50983933297516538e-6,    -2.10396344360374165e-8,
    -2.81460676522065477e-7,  1.26405963328802384e-7,   4.53125528258403775e-9,    -1.36034953807348759e-8
};
static const double erf_inv_far_full[] = {
    4.95093485307887385,      1.01026656450229214,       -0.000198858868605613324, -0.000186513017356465969,
    0.0000668000679603186416, -0.0000171626319624575716, 3.88994296320455629e-6,   -8.3107894136359348e-7,
    1.79111567925149703e-7,   -4.54059574033084748e-8,   1.66102138105715553e-8,   -8.20707097042409289e-9,
    4.17518712316216343e-9,   -1.97707388721852676e-9,   9.1802870467158158e-10,   -3.25846427179039394e-10,
    2.5521622856378949e-11,   1.72117941040906022e-11
};

/* -log(1 - x^2) for x >= 0: as (1 - x) (1 + x), or for small x of f64 by log1p. */
static lg_value depth(lg *g, lg_value x, lg_precision p) {
    lg_value one = lg_const(g, x, 1), end = lg_log(g, lg_mul(g, lg_sub(g, one, x), lg_add(g, one, x)));
    if (p == LG_SHORT) return lg_neg(g, end);
    lg_value near = lg_unary(g, WEFT_OP_log_plus_one, lg_neg(g, lg_mul(g, x, x)));
    return lg_neg(g, lg_select(g, lg_lt(g, x, lg_const(g, x, 0.5)), near, end));
}

lg_value lg_erf_inv(lg *g, const lg_value *x, lg_precision p) {
    lg_value size = lg_abs(g, x[0]), w = depth(g, size, p), t = lg_add_c(g, w, -3), s = lg_sqrt(g, w),
             u = lg_add_c(g, s, -3.25);
    lg_value near = BOTH(g, p, t, erf_inv_near),
             far = p == LG_SHORT ? POLY(g, u, erf_inv_far_short) : POLY(g, u, erf_inv_middle_full);
    if (p == LG_FULL)
        far = lg_select(g, lg_lt(g, s, lg_const(g, s, 4.1)), far, POLY(g, lg_add_c(g, s, -5.1), erf_inv_far_full));
    lg_value y = lg_mul(g, lg_select(g, lg_lt(g, w, lg_const(g, w, 6)), near, far), x[0]);
    return lg_select(g, lg_eq(g, size, lg_const(g, size, 1)), lg_mul_c(g, x[0], INFINITY), y);
}

/* e^-x I1(x) / x in x/4 - 1, 0 <= x <= 8, and e^-x sqrt(x) I1(x) in 16/x - 1 beyond. */
static const double i1e_near_short[] = { 0.0446877099090790765,    -0.0611243383474585224,  0.068057593899072462,
                                         -0.0684825806778120083,   0.0637675754279956646,   -0.0552805984146622064,
                                         0.044672747580105405,     -0.0336660555422948469,  0.0236953465521590698,
                                         -0.0155975394521855967,   0.0095587099139041309,   -0.00546057747122413516,
                                         0.00304163894199687443,   -0.00166145784580680763, 0.000723259984008886346,
                                         -0.000224591474353933462, 0.000143307140087913795, -0.000118354733940270815,
                                         0.0000360162865095353861 };
static const double i1e_near_full[] = {
    0.0446877098756088318,   -0.0611243380296662927,    0.0680575999095116175,    -0.0684826062058254939,
    0.0637674037134058815,   -0.0552800392270506178,    0.0446745726212935209,    -0.0336713555199403692,
    0.0236860169571346369,   -0.015571309256566988,     0.00958396215621721383,   -0.00553456776065178333,
    0.00300576238676582977,  -0.00153887496293321098,   0.00074451248069668902,   -0.000341174746712494403,
    0.00014842084648452439,  -0.0000614265052951772374, 0.0000242345830753549315, -9.13186178270736745e-6,
    3.29264884592196258e-6,  -1.13805581349737495e-6,   3.7728187953994867e-7,    -1.20021358652306575e-7,
    3.70218751669175767e-8,  -1.11811482543841786e-8,   3.10288987020188097e-9,   -7.41303354459311827e-10,
    2.25572584384840561e-10, -9.3157470397856403e-11,   1.9536452298536627e-11
};
static const double i1e_far_short[] = { 0.389398459102290144,      -0.00974958120692413526, -0.000219237786492430938,
                                        -0.0000150046413928652016, -1.8240761220749331e-6,  -4.20485095552131117e-7,
                                        -1.23747990696167905e-7 };
static const double i1e_far_full[] = { 0.389398459025872268,      -0.00974957719323524369, -0.000219235763818941616,
                                       -0.0000150385472408778095, -1.83491074518421696e-6, -3.48384611108774445e-7,
                                       -1.00003075072520105e-7,   -4.31397335901684366e-8, -2.3454880157347851e-8,
                                       -8.36427256485114176e-9,   7.12756253607518337e-9,  1.38035505206059967e-8,
                                       4.7688334512604708e-9,     -7.11104283576690272e-9, -5.46620502369415032e-9,
                                       2.6362602527646739e-9,     3.0173074576186084e-9,   -6.87569989622307967e-10,
                                       -9.81732003888004626e-10,  9.22548637012411191e-11, 1.46672706793908235e-10 };

lg_value lg_bessel_i1e(lg *g, const lg_value *x, lg_precision p) {
    lg_value size = lg_abs(g, x[0]), one = lg_const(g, size, 1), eight = lg_const(g, size, 8);
    lg_value near = lg_mul(g, BOTH(g, p, lg_add_c(g, lg_mul_c(g, lg_min(g, size, eight), 0.25), -1), i1e_near), x[0]);
    lg_value inverse = lg_div(g, one, lg_max(g, size, eight));
    lg_value far = lg_mul(g, BOTH(g, p, lg_add_c(g, lg_mul_c(g, inverse, 16), -1), i1e_far), lg_sqrt(g, inverse));
    return lg_select(g, lg_le(g, size, eight), near, lg_with_sign(g, far, x[0]));
}
