#!/bin/sh
# Plain words (docs/glossary.md, "Words to avoid"): headers, tables, the comments that sources begin with, manual pages
# and documentation name their subject and use the field's terms. Refuses the plainest offences: a rank, process or
# caller called "who", "behind" for "after", "cut" for "split", and comments and sentences that begin with "What is"
# and the like where a noun exists.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top_srcdir" || exit 1
found=$(mktemp) || exit 99
said=$(mktemp) || exit 99
trap 'rm -f "$found" "$said"' EXIT
checks=0 bad=0

headers=$(find $(sh tests/style/rooms include tests bench) -name '*.h' -o -name '*.def' | sort)
sources=$(find $(sh tests/style/rooms) -name '*.c' | sort)
pages=$(find docs/man README.md CONTRIBUTING.md docs -name '*.[137]' -o -name '*.md' | sort -u)

people='who|whom|whoever|whosever|somebody|nobody'
# FILE:WORD that may stay: words to avoid are quoted, or the word is about a person.
allowed='
docs/collectives.md:who
docs/glossary.md:who
docs/glossary.md:whoever
docs/glossary.md:behind
docs/glossary.md:cut
CONTRIBUTING.md:behind
'
allows() { echo "$allowed" | grep -qx "$1:$2"; }

# Comments and strings of headers, as FILE:LINE:TEXT; a comment begins with @.
text_of() {
    awk 'FNR == 1 { inside = 0 }
         { line = $0; out = ""
           while (line != "") {
               if (inside) {
                   end = index(line, "*/")
                   if (!end) { out = out " " line; line = ""; break }
                   out = out " " substr(line, 1, end - 1); line = substr(line, end + 2); inside = 0
               } else {
                   comment = index(line, "/*"); quote = match(line, /"([^"\\]|\\.)*"/)
                   if (quote && (!comment || quote < comment)) {
                       out = out " " substr(line, quote, RLENGTH); line = substr(line, quote + RLENGTH)
                   } else if (comment) { line = substr(line, comment + 2); inside = 1; out = out " @" }
                   else line = ""
               }
           }
           if (out != "") print FILENAME ":" FNR ":" out }' "$@"
}

# The comment that a source begins with, in the same form.
first_of() {
    awk 'FNR == 1 { inside = /^\/\*/ }
         inside { print FILENAME ":" FNR ":" (FNR == 1 ? " @" substr($0, 3) : $0) }
         /\*\// { inside = 0 }' "$@"
}

# PATTERN, the message; over the lines FILE:LINE:TEXT of $said.
refuse() {
    grep -iE "$1" "$said" >"$found"
    while IFS= read -r hit; do
        file=${hit%%:*} rest=${hit#*:}
        word=$(echo "${rest#*:}" | grep -oiE "$1" | head -n 1 | tr -d '[:space:][:punct:]' | tr '[:upper:]' '[:lower:]')
        allows "$file" "$word" && continue
        echo "$file:${rest%%:*}: error: $2: ${rest#*:}" | cut -c1-200
        bad=$((bad + 1))
    done <"$found"
    checks=$((checks + 1))
}

{ text_of $headers; first_of $sources; } >"$said"
refuse "(^|[^[:alnum:]_'.>-])($people)([^[:alnum:]_'(-]|\$)" "name the rank, process, caller or reader"
refuse '(^|[^[:alnum:]_.>])behind([^[:alnum:]_(]|$)' "'after', or a place"
refuse '(^|[^[:alnum:]_])((is|are|be|not) cut( [^oat]|[^ [:alnum:]_]|$)|cut (dimension|into|along|alike|evenly|unevenly)([^[:alnum:]_]|$))' \
    "a tensor, a dimension or an axis is split"
refuse '@ +(What|Where) (is|are|it|they|stands?|lies?|goes|comes|has|have|was|were|there) ' "begin with the noun"
grep -nE '' $pages >"$said"
refuse "(^|[^[:alnum:]_'.-])($people)([^[:alnum:]_'-]|\$)" "name the rank, process, caller or reader"
refuse '(^|[^[:alnum:]_])behind([^[:alnum:]_]|$)' "'after', or a place"
refuse '(^|[^[:alnum:]_/])(cut|cuts)([^[:alnum:]_/(]|$)' "split, shard, slice or border"
refuse '(^|[.:;] )What (is|are) ' "begin with the noun"
echo "Checks: $checks, Failures: $bad, Errors: 0"
[ "$bad" -eq 0 ]
