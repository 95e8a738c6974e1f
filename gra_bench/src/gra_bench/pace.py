"""How many requests to one model may be on their way at a time.

As congestion control does it: one more for every success until the first rate limit, then halved at every rate limit and
one more for every round of successes (additive increase, multiplicative decrease; Chiu and Jain 1989). A delay that the
provider asks for holds back every request to that model, not only the one that was told.
"""

from __future__ import annotations

from attrs import define, field

START = 2


@define
class Lane:
    """The requests to one model. Times are seconds of the caller's clock; `most` is never exceeded, 1 always allowed."""

    most: int
    allowed: float = field(default=0.0)
    in_flight: int = 0
    free_at: float = 0.0
    cuts: int = 0

    def __attrs_post_init__(self) -> None:
        self.allowed = float(min(START, self.most))

    def waits(self, now: float) -> float:
        """Seconds until a request may start as far as time is concerned; infinite while all places are taken."""
        if self.in_flight >= int(self.allowed):
            return float("inf")
        return max(0.0, self.free_at - now)

    def enter(self) -> int:
        """A request starts; returns what `limited` wants to know of it."""
        self.in_flight += 1
        return self.cuts

    def leave(self, *, succeeded: bool) -> None:
        """A request has ended."""
        self.in_flight -= 1
        if succeeded:
            self.allowed = min(
                float(self.most), self.allowed + (1.0 if not self.cuts else 1.0 / self.allowed)
            )

    def limited(self, entered: int, seconds: float | None, now: float) -> None:
        """A request that had `entered` met a rate limit, which asked for `seconds` when it said so.

        Requests that were under way together meet the same limit: they cut once.
        """
        if entered == self.cuts:
            self.cuts += 1
            self.allowed = max(1.0, self.allowed / 2)
        if seconds is not None:
            self.free_at = max(self.free_at, now + seconds)
