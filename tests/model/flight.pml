/* flight.pml: an entry of the flight recorder (collectives/flight.c), a sequence lock, for Spin: its owner writes one call after another into it while somebody looks.
 *
 * Stores and loads happen here in any order that the code's fences leave open, as on a machine where all others see a store at the same moment (x86, ARMv8): the
 * words of a call in any order among themselves, but after the 0 (release fence) and before the number (release); a reader's loads of words in any order, but
 * after the first look at the number (acquire) and before the second (acquire fence).
 *
 * Asserted: who has found the number that it looks for both times has read words of that call only.
 *
 * MUTANT=n leaves out: 1 the release fence   2 the release   3 the acquire   4 the acquire fence   5 the 0. Then Spin has to find an error.
 */
#ifndef MUTANT
#define MUTANT 0
#endif
#define CALLS 3

byte number, first, second;    /* the entry: two of its words */

active proctype owner() {
    byte call = 1;
    bool taken, one, two, put;
    do
    :: !taken ->
#if MUTANT != 5
        number = 0;
#endif
        taken = true
    :: (taken || MUTANT == 1) && !one -> first = call; one = true
    :: (taken || MUTANT == 1) && !two -> second = call; two = true
    :: taken && ((one && two) || MUTANT == 2) && !put -> number = call; put = true
    :: taken && one && two && put ->
        if
        :: call == CALLS -> break
        :: else -> call++; taken = false; one = false; two = false; put = false
        fi
    od
}

active proctype reader() {
    byte wanted, before, after, x, y;
    bool looked, one, two, again;
    select(wanted : 1 .. CALLS);
    do
    :: !looked -> before = number; looked = true
    :: (looked || MUTANT == 3) && !one -> x = first; one = true
    :: (looked || MUTANT == 3) && !two -> y = second; two = true
    :: looked && ((one && two) || MUTANT == 4) && !again -> after = number; again = true
    :: looked && one && two && again -> break
    od;
    assert(before != wanted || after != wanted || (x == wanted && y == wanted))
}
