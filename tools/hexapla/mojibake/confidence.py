"""Posteriors to confidences: how often a character with this posterior was right, channel by channel."""

from .channel import Channel


def calibrated(probability: float, channel: Channel, candidates: int) -> float:
    """The confidence, 0 to 1, of a choice among so many candidates."""
    return probability
