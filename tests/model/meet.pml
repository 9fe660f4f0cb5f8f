/* meet.pml: how the members of a group on one node wait for each other (collectives/meet.c, turn.c, run.c), for Spin. One statement here is one access to shared memory
 * there, in the order of the code; all that both sides of a pair use is sequentially consistent, as there.
 *
 * RANKS members make CALLS calls, alike on all and of any kind: all wait for all (ALL), twice (TWICE), or only rank 0 gives, and nobody waits for those who
 * take (GIVEN). A waiter spins, or naps. A rank may die before any call or meeting, where DEATHS allows it.
 *
 * Asserted: who goes on has the words of this call from everybody that it waited for, not of an earlier or a later one; nobody goes on before those have come;
 * nobody fails unless a rank died. No rank waits for ever: that would be an invalid end state. A nap ends by the bell alone, unless there is trouble to look for.
 *
 * MUTANT=n breaks it in one place; then Spin has to find an error:
 *   1 the last to come does not change the bell before it wakes the sleepers    2 a sleeper reads the bell after its last look at the others
 *   3 a sleeper is counted after its last look                                   4 the phase is stored with release only: it may be seen later
 *   5 one flag instead of two                                                    6 a rank does not wait for what it owes
 *   7 a process that has ended is not looked at again                            8 who dies is not looked for
 *   9 the last to come wakes only choosy sleepers
 */
#ifndef RANKS
#define RANKS 3
#endif
#ifndef CALLS
#define CALLS 3
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef MUTANT
#define MUTANT 0
#endif

#if MUTANT == 5
#define FLAG(i, k) ((i) * 2)
#else
#define FLAG(i, k) ((i) * 2 + (k) % 2)
#endif

mtype = { ALL, TWICE, GIVEN };
mtype kind[CALLS + 1];
byte phase[RANKS * 2];         /* of each member's two flags: the last rendezvous that it has come to */
byte words[RANKS * 2];         /* and what it says there: the number of the call */
byte sleepers, choosy, bell;
bool asleep[RANKS];            /* in the system's wait for the bell */
bool ended[RANKS];             /* the process is gone, whether it was through or not */
bool failed;                   /* the world */
byte deaths;
#if MUTANT == 4
byte late[RANKS];              /* a phase that its owner has stored and nobody else sees; 0: none */
#endif

#if MUTANT == 4
#define HAS_COME(i, k) (phase[FLAG(i, k)] >= (k) || ((i) == me && come >= (k)))
#else
#define HAS_COME(i, k) (phase[FLAG(i, k)] >= (k))
#endif

/* There is something that a look, every 50 ms, would find. */
#if MUTANT == 8
#define TROUBLE failed
#else
#define TROUBLE (failed || deaths > 0)
#endif

inline look_behind(to, k) {    /* weft_meet_behind: the first from `from` on that has not come */
    do
    :: from < to && HAS_COME(from, k) -> from++
    :: else -> break
    od
}

/* `to` and `all` are the rank's variables: who is waited for, and whether that is everybody. */
inline nap(k) {
#if MUTANT == 4
    late[me] == 0;             /* the additions are fences */
#endif
    choosy = choosy + (1 - all);
#if MUTANT != 3
    sleepers++;
#endif
#if MUTANT != 2
    seen = bell;
#endif
    look_behind(to, k);
#if MUTANT == 2
    seen = bell;
#endif
#if MUTANT == 3
    sleepers++;
#endif
    if
    :: from < to ->
        atomic { asleep[me] = (bell == seen) };
        if
        :: !asleep[me]
        :: TROUBLE -> asleep[me] = false
        fi
    :: else
    fi;
    sleepers--;
    choosy = choosy - (1 - all);
    seen = 0
}

/* Whether somebody that is waited for will not come: weft_meet_look. */
inline look_for_trouble(k) {
    if
    :: failed -> goto heard
    :: !failed && !TROUBLE     /* not yet time to look */
    :: !failed ->
        who = from;
        do
        :: who < to ->
            if
            :: !HAS_COME(who, k) ->
                if
                :: ended[who] ->
#if MUTANT != 7
                    if
                    :: HAS_COME(who, k)
                    :: else -> failed = true; goto heard
                    fi
#else
                    failed = true;
                    goto heard
#endif
                :: else
                fi
            :: else
            fi;
            who++
        :: else -> break
        od;
        who = 0
    fi
}

inline wait_for(k) {
    do
    :: look_behind(to, k);
       if
       :: from == to -> break
       :: else
       fi;
       if
       :: nap(k)
       :: atomic { HAS_COME(from, k) || TROUBLE } /* spins until something has changed */
       fi;
       look_for_trouble(k)
    od
}

/* weft_meet_come and ring: 0 to RANKS in `other` */
inline come_to() {
    come++;
#if MUTANT == 4
    late[me] == 0;             /* stores go in order */
    late[me] = come;
#else
    phase[FLAG(me, come)] = come;
#endif
    if
    :: sleepers == 0
    :: else ->
        other = 0;
#if MUTANT == 9
        if
        :: choosy == 0 -> other = RANKS + 1
        :: else
        fi;
#else
        if
        :: choosy > 0 -> other = RANKS
        :: else
        fi;
#endif
        do
        :: other < RANKS && (other == me || HAS_COME(other, come)) -> other++
        :: else -> break
        od;
        if
        :: other == RANKS ->
#if MUTANT != 1
            bell = (bell + 1) % 16; /* 32 bits there; the others cannot come as often while one reads it and falls asleep */
#endif
            atomic { other = 0; do :: other < RANKS -> asleep[other] = false; other++ :: else -> break od }
        :: else
        fi;
        other = 0
    fi
}

/* What weft_meet_compare reads, of everybody that was waited for. */
inline compare(first, k, call_of) {
    who = first;
    do
    :: who < to -> assert(words[FLAG(who, k)] == call_of); who++
    :: else -> break
    od;
    who = 0; from = 0; to = 0; all = false
}

inline may_die() {
    if
    :: deaths < DEATHS -> deaths++; goto dead
    :: true
    fi
}

proctype rank(byte me) {
    byte come, call, owed, from, to, who, other, seen;
    bool all;
    for (call : 1 .. CALLS) {
        may_die();
#if MUTANT != 6
        if
        :: owed > 0 ->
            all = true; from = 0; to = RANKS;
            wait_for(owed);
            compare(0, owed, call - 1);
#endif
            owed = 0
#if MUTANT != 6
        :: else
        fi
#endif
        ;
        words[FLAG(me, come + 1)] = call;
        may_die();
        come_to();
        if
        :: kind[call] == GIVEN ->
            owed = come;
            all = false; from = 0; to = (me == 0 -> 0 : 1);
            wait_for(owed);
            compare(0, owed, call)
        :: else ->
            all = true; from = 0; to = RANKS;
            wait_for(come);
            compare(0, come, call)
        fi;
        if
        :: kind[call] == TWICE ->
            may_die();
            come_to();
            all = true; from = 0; to = RANKS;
            wait_for(come);
            from = 0; to = 0; all = false
        :: else
        fi
    }
    goto dead;                 /* through: the process may end, while others are still on their way */
heard:
    assert(deaths > 0);        /* a world fails for a reason */
dead:
    ended[me] = true
}

#if MUTANT == 4
active proctype memory() {     /* what was stored becomes visible at some time */
    byte i;
end:
    do
    :: late[0] > 0 -> atomic { phase[FLAG(0, late[0])] = late[0]; late[0] = 0 }
    :: late[1] > 0 -> atomic { phase[FLAG(1, late[1])] = late[1]; late[1] = 0 }
#if RANKS > 2
    :: late[2] > 0 -> atomic { phase[FLAG(2, late[2])] = late[2]; late[2] = 0 }
#endif
    od
}
#endif

init {
    byte i;
    atomic {
        for (i : 1 .. CALLS) {
            if
            :: kind[i] = ALL
            :: kind[i] = TWICE
            :: kind[i] = GIVEN
            fi
        }
        for (i : 0 .. RANKS - 1) { run rank(i) }
    }
}
