"""Greet somebody by name."""


# --8<-- [start:greet]
def greet(name: str) -> str:
    return f"Hello, {name}!"


print(greet("world"))
# --8<-- [end:greet]
