"""unicode_classes.py: prints capi/unicode.def: the ranges of letters (L) and numbers (N) of Unicode's general categories, as
Python's unicodedata has them. Part of no build:

    python3 capi/unicode_classes.py >capi/unicode.def
"""
import sys
import unicodedata


def ranges(first):
    begun = None
    for c in range(0x110001):
        inside = c < 0x110000 and unicodedata.category(chr(c))[0] == first
        if inside and begun is None: begun = c
        if not inside and begun is not None:
            yield begun, c - 1
            begun = None


def main():
    print(f"/* unicode.def: ranges of letters and of numbers, by unicode_classes.py from Unicode {unicodedata.unidata_version}. */")
    for first, name in ("L", "LETTERS"), ("N", "NUMBERS"):
        line = ""
        for low, high in ranges(first):
            item = f"{name}(0x{low:x}, 0x{high:x})"
            if len(line) + 1 + len(item) > 118: line = print(line) or ""
            line += (" " if line else "") + item
        print(line)
    print("#undef LETTERS\n#undef NUMBERS")


if __name__ == "__main__": sys.exit(main())
