"""Memory by technique and by kind of what it holds, for t5-3b: simulated, no weight is ever stored."""

from peak import t5_3b
from techniques import show


def main() -> None:
    # --8<-- [start:show]
    show("t5-3b", t5_3b)
    # --8<-- [end:show]


if __name__ == "__main__":
    main()
