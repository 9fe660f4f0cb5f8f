# mlir/: sources and tests of this room
