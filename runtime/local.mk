# runtime/: sources and tests of this room
