# reference.awk: a public header as Doxygen reads it. The headers' comments are plain C: a block before what it speaks of, or a remark after
# it; the first one is the page's. Lines that are indented further are examples. (docs/reference.doxy)
function escaped(s) { gsub(/\\/, "\\\\", s); gsub(/[@<>&#%$"~]/, "\\\\&", s); return s }
# one line of a comment's text
function text(s,   example) {
    example = s ~ /^ ?    / && s !~ /^ *$/
    if (example && !in_example) { printf "%s\n", "@verbatim"; in_example = 1 }
    if (!example && in_example && s !~ /^ *$/) { printf "%s\n", "@endverbatim"; in_example = 0 }
    return in_example ? s : escaped(s)
}
# what ends a comment, on a line of its own after an example
function close_comment() { if (in_example) { printf "\n@endverbatim\n"; in_example = 0 } printf "*/" }
{
    line = $0
    while (1) {
        if (!inside) {
            at = index(line, "/*")
            if (!at) { print line; break }
            before = substr(line, 1, at - 1)
            line = substr(line, at + 2)
            printf "%s", before
            if (NR == 1) printf "/** @file\n"
            else if (line ~ /^ ---- /) printf "/*"
            else printf before ~ /[^ ]/ ? "/**<" : "/**"
            is_text = line !~ /^ ---- /
            inside = 1
        } else sub(/^ \*($| )/, "", line)
        at = index(line, "*/")
        if (!at) { print is_text ? text(line) : line; break }
        before = substr(line, 1, at - 1)
        sub(/ +$/, "", before)
        printf "%s ", is_text ? text(before) : before
        close_comment()
        inside = 0
        line = substr(line, at + 2)
    }
}
