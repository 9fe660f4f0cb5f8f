# sharding/: sources and tests of this room
