"""Random StableHLO programs as text, one file per kind of op; draw.py says how they are written down."""
