# tests/: sources and tests of this room
