# collectives/: sources and tests of this room
