def pytest_terminal_summary(terminalreporter):
    import harness
    t = harness.times
    if not t:
        return
    total = [sum(row[i] for row in t) for i in range(1, 5)]
    terminalreporter.write_line('%d programs agree; seconds in all: JAX lowers %.1f, XLA compiles %.1f, Weft compiles %.1f, Weft runs %.1f' % (len(t), *total))
    if harness.excused:
        terminalreporter.write_line('%d of them in places that are not determined better: %s' % (len(harness.excused), ', '.join(harness.excused[:20])))
    for name, _, xla, compiling, running in sorted(t, key=lambda row: -row[3] - row[4])[:10]:
        terminalreporter.write_line('  %-50s Weft compiles %6.0f ms, runs %6.1f ms; XLA compiles %6.0f ms' % (name, 1e3 * compiling, 1e3 * running, 1e3 * xla))


def pytest_sessionfinish(session):
    import harness
    harness.the_worker.end()
