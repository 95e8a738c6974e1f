"""A chat-completions server on the loopback interface that knows which trial asked what when.

`counting.py DELAY_S` prints its address; a reply takes that long, or up to twice as long. ``GET /calls`` gives a list of
[trial, asked, answered or null, tokens], times on the machine's monotonic clock.
"""

from __future__ import annotations

import re
import sys
import threading
import time

from gra_core.testing.loopback import Answer, LoopbackRequest, LoopbackServer

ANSWER = "Paris"


class CountingServer(LoopbackServer):
    """Answers every question with the right answer, and with a usage that differs from trial to trial."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self.calls: list[list[float | None]] = []
        super().__init__()

    def answer(self, request: LoopbackRequest) -> Answer:
        if request.method == "GET":
            return 200, {}, self.calls
        found = re.search(r"Sample (\d+):", request.body.decode())
        assert found, request.body
        number = int(found[1])
        usage = {"prompt_tokens": 20 + number % 7, "completion_tokens": 3 + number % 5}
        usage["total_tokens"] = sum(usage.values())
        call = [number, time.monotonic(), None, usage["total_tokens"]]
        self.calls.append(call)
        time.sleep(self._delay_s * (1 + number % 11 / 10))  # unlike each other, or trials would go in step
        call[2] = time.monotonic()
        message = {"role": "assistant", "content": ANSWER}
        return 200, {}, {
            "id": f"reply-{len(self.calls)}", "object": "chat.completion", "created": int(time.time()), "model": "loopback",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage,
        }  # fmt: skip


if __name__ == "__main__":
    print(CountingServer(float(sys.argv[1])).url, flush=True)
    threading.Event().wait()
