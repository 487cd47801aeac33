"""Threads that ask a model for several answers at a time; an interrupted command does not wait for them."""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers(Generic[Item, Result]):
    """Threads that do a piece of work each, on the items that are submitted, in order."""

    def __init__(self, work: Callable[[Item], Result], count: int) -> None:
        self.work, self.running = work, 0
        self.items: SimpleQueue[Item] = SimpleQueue()
        self.done: SimpleQueue[tuple[Item, Result | Exception]] = SimpleQueue()
        for _ in range(count):
            Thread(target=self.loop, daemon=True).start()

    def loop(self) -> None:
        """Work on items for as long as the program runs."""
        while True:
            item = self.items.get()
            try:
                self.done.put((item, self.work(item)))
            except Exception as error:  # whatever it is, it is the caller's
                self.done.put((item, error))

    def submit(self, item: Item) -> None:
        """Have an item worked on."""
        self.running += 1
        self.items.put(item)

    def next(self) -> tuple[Item, Result | Exception]:
        """The next item that is done, with its result or what went wrong; waits for it."""
        self.running -= 1
        return self.done.get()
