#!/bin/sh
# The models of what ranks of a node do in the memory that they share (collectives/meet.c, flight.c), checked by Spin: each as it is holds in every state that it can reach, and
# each with one thing left out does not. A model's head says what it asserts and what its mutants leave out. WEFT_LONG: more ranks and calls, in minutes.
. "${top_srcdir:-.}/tests/support/cases.sh"
# Builds with sanitizers have nothing else to show.
! grep -q '^WEFT_SANITIZE = .*fsanitize' "$build/Makefile" || finish

# MODEL SETTINGS; the mutants that break it, each with the settings that are enough for it.
sound='flight
meet -DRANKS=2 -DCALLS=3
meet -DRANKS=2 -DCALLS=2 -DDEATHS=1
meet -DRANKS=3 -DCALLS=1'
[ "${WEFT_LONG:-1}" -le 1 ] || sound="$sound
meet -DRANKS=2 -DCALLS=4 -DDEATHS=1
meet -DRANKS=3 -DCALLS=1 -DDEATHS=1
meet -DRANKS=3 -DCALLS=2"
broken='flight -DMUTANT=1
flight -DMUTANT=2
flight -DMUTANT=3
flight -DMUTANT=4
flight -DMUTANT=5
meet -DMUTANT=1 -DRANKS=2 -DCALLS=2
meet -DMUTANT=2 -DRANKS=2 -DCALLS=2
meet -DMUTANT=3 -DRANKS=2 -DCALLS=2
meet -DMUTANT=4 -DRANKS=2 -DCALLS=2
meet -DMUTANT=5 -DRANKS=2 -DCALLS=2
meet -DMUTANT=6 -DRANKS=2 -DCALLS=3
meet -DMUTANT=7 -DRANKS=2 -DCALLS=2
meet -DMUTANT=8 -DRANKS=2 -DCALLS=2 -DDEATHS=1
meet -DMUTANT=9 -DRANKS=2 -DCALLS=2'
if ! command -v spin >/dev/null || ! command -v gcc >/dev/null; then
    skips=$(printf '%s\n' "$sound" "$broken" | wc -l)
    finish "spin or gcc is not installed"
fi

# explore MODEL SETTING...: what Spin finds, up to the first error, is in ./out. 0: all states were reached, and nothing is wrong; 1: there is an error.
explore() {
    model=$src/tests/model/$1.pml
    shift
    { spin -a "$@" "$model" && gcc -O1 -w -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m100000; } >out 2>err || return 2
    grep -q '^pan:1: ' out && return 1
    grep -q 'errors: 0' out && ! grep -q 'max search depth too small\|Search not completed' out err || return 2
}

while read -r words; do
    explore $words
    result "$words holds in all its states" $?
done <<END
$sound
END
while read -r words; do
    explore $words
    [ $? -eq 1 ]
    result "$words does not" $?
done <<END
$broken
END
finish
