/* tokenizer_split.c: a text's words, as GPT-2's regular expression has them:
 *
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 * So a word takes the one blank before it; of several blanks the last is the next word's, or where that is no ' ' a
 * word of its own.
 */
#include "capi/tokenizer.h"

typedef enum char_class { SIGN, LETTER, NUMBER, BLANK } char_class;

typedef struct range { uint32_t low, high; } range;

static const range letters[] = {
#define LETTERS(low, high) { low, high },
#define NUMBERS(low, high)
#include "capi/unicode.def"
};
static const range numbers[] = {
#define LETTERS(low, high)
#define NUMBERS(low, high) { low, high },
#include "capi/unicode.def"
};
/* White_Space of Unicode's PropList. */
static const range blanks[] = {
    { 0x9, 0xd }, { 0x20, 0x20 }, { 0x85, 0x85 }, { 0xa0, 0xa0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200a },
    { 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 },
};

static bool is_in(const range *r, size_t n, uint32_t c) {
    size_t low = 0;
    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        if (c < r[middle].low) n = middle;
        else if (c > r[middle].high) low = middle + 1;
        else return true;
    }
    return false;
}

/* The class of the character that a text begins with, and its bytes. A byte that is no UTF-8 is a sign. */
static char_class class_of(const unsigned char *p, size_t n, size_t *bytes) {
    unsigned char whole[5] = { 0 };
    memcpy(whole, p, n < 4 ? n : 4);
    const int has = *p ? weft_utf8_bytes(whole) : 1;
    *bytes = has > 0 ? (size_t)has : 1;
    if (has <= 0) return SIGN;
    uint32_t c = has == 1 ? *p : (uint32_t)(*p & (0x7f >> has));
    for (int i = 1; i < has; i++) c = c << 6 | (p[i] & 0x3f);
    return is_in(letters, WEFT_COUNT(letters), c)   ? LETTER
           : is_in(numbers, WEFT_COUNT(numbers), c) ? NUMBER
           : is_in(blanks, WEFT_COUNT(blanks), c)   ? BLANK
                                                    : SIGN;
}

static size_t contraction(const unsigned char *p, size_t n) {
    static const char *const all[] = { "'s", "'t", "'re", "'ve", "'m", "'ll", "'d" };
    for (size_t i = 0; i < WEFT_COUNT(all); i++) {
        const size_t has = strlen(all[i]);
        if (has <= n && !memcmp(p, all[i], has)) return has;
    }
    return 0;
}

/* The bytes of a run of one class; *last gets those of its last character. */
static size_t run_of(const unsigned char *p, size_t n, char_class class, size_t *last) {
    size_t at = 0, bytes;
    while (at < n && class_of(p + at, n - at, &bytes) == class) {
        at += bytes;
        *last = bytes;
    }
    return at;
}

size_t weft_word_bytes(const unsigned char *text, size_t n) {
    size_t bytes, last = 0;
    const size_t short_one = contraction(text, n), blank = *text == ' ' && n > 1;
    if (short_one) return short_one;
    const char_class class = class_of(text + blank, n - blank, &bytes);
    if (class != BLANK) return blank + run_of(text + blank, n - blank, class, &last);
    const size_t run = run_of(text, n, BLANK, &last);
    return run == n || run == last ? run : run - last;
}
