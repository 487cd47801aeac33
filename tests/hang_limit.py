"""How long a test waits for a process, or for what a process says, before it takes it for one that never ends.

Long, as a shared machine can be ten times slower for some minutes; what a command may take is measured in benchmarks/.
"""

HANG = 1200  # seconds
