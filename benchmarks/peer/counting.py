"""A chat-completions server on the loopback interface that knows what was asked, and which replies are out.

`counting.py DELAY_S REPLIES` prints its address. A reply takes `DELAY_S`, or up to twice as long; after `REPLIES` replies it
answers nobody any more until ``GET /release``. ``GET /calls`` gives a list of [trial, turn, whether it was answered, tokens].
"""

from __future__ import annotations

import re
import sys
import threading
import time

from gra_core.testing.loopback import Answer, LoopbackRequest, LoopbackServer
from gra_model_openai.testing import completion, usage

ANSWER = "Paris"


class CountingServer(LoopbackServer):
    """Answers every question with the right answer, and with a usage that differs from call to call."""

    def __init__(self, delay_s: float, replies: int) -> None:
        self._delay_s, self._left = delay_s, replies
        self._lock, self._released = threading.Lock(), threading.Event()
        self.calls: list[list[int]] = []
        super().__init__()

    def answer(self, request: LoopbackRequest) -> Answer:
        if request.path == "/release":
            self._released.set()
            return 200, {}, {}
        if request.path == "/calls":
            return 200, {}, self.calls
        found = re.search(r"Sample (\d+):", request.body.decode())
        assert found, request.body
        number = int(found[1])
        turn = sum(message["role"] == "assistant" for message in request.json()["messages"])
        counts = usage(20 * (turn + 1) + number % 7, 3 + number % 5)
        call = [number, turn, False, counts["total_tokens"]]
        self.calls.append(call)
        time.sleep(
            self._delay_s * (1 + (number + turn) % 11 / 10)
        )  # unlike each other, or trials would go in step
        if not self._may_answer():
            self._released.wait()
            return 503, {}, "held back for too long"
        call[2] = True
        return 200, {}, completion(ANSWER, counts, id=f"reply-{len(self.calls)}", model="loopback")

    def _may_answer(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left >= 0 or self._released.is_set()


if __name__ == "__main__":
    print(CountingServer(float(sys.argv[1]), int(sys.argv[2])).url, flush=True)
    threading.Event().wait()
