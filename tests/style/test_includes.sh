#!/bin/sh
# Every #include against the table of rooms in docs/architecture.md: a room includes include/weft/, itself, and what its line
# of the table names (a room with the rooms in it, or one header of a room). A room inside another includes that one
# only where its line says so. Tests include what they like; examples only what users have.
# By hand it runs from anywhere.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top_srcdir" || exit 1
table=docs/architecture.md
find $(sh tests/style/rooms) -name '*.[ch]' | sort | xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null |
awk -v table=$table '
    BEGIN {
        while ((getline line < table) > 0) {
            if (line !~ /^\| `[a-z_\/]+\/` \|/) continue
            split(line, cell, "|")
            room = cell[2]; gsub(/[ `]/, "", room); sub(/\/$/, "", room)
            may = cell[4]; gsub(/[`,]/, " ", may)
            known[room] = 1; rooms++
            n = split(may, word, " ")
            for (i = 1; i <= n; i++) { sub(/\/$/, "", word[i]); allowed[room, word[i]] = 1 }
        }
        if (rooms < 10) { print table ": error: no table of rooms found"; bad++ }
    }
    # The innermost room of the table that a file lies in.
    function room_of(file) {
        do sub(/\/?[^\/]*$/, "", file); while (file != "" && !known[file])
        return file
    }
    # Whether `room` may include what lies in `folder`, or in a room around it.
    function may_enter(room, folder) {
        for (; folder != ""; sub(/\/?[^\/]*$/, "", folder)) if (folder == room || allowed[room, folder]) return 1
        return 0
    }
    {
        split($0, part, ":")
        file = part[1]; room = room_of(file)
        match($0, /"[^"]*"/); target = substr($0, RSTART + 1, RLENGTH - 2)
        to = target; sub(/\/[^\/]*$/, "", to)
        checked++
        if (target == "config.h") next                  # configure answers are no room
        if (target !~ /\// ) { print file ":" part[2] ": error: \"" target "\" is not written as room/file.h"; bad++; next }
        if (room == "") { print file ":" part[2] ": error: its room is not in the table"; bad++; next }
        if (may_enter(room, to) || allowed[room, target]) next
        print file ":" part[2] ": error: " room "/ may not include \"" target "\""; bad++
    }
    END { printf "Checks: %d, Failures: %d, Errors: 0\n", checked, bad; exit bad > 0 }'
