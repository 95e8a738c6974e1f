"""A judge that reads its verdicts from a file: for trying autoraters out without a key, and for tests."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from attrs import frozen

from gra_core import (
    Clock,
    GraError,
    Message,
    Model,
    ModelError,
    ModelReply,
    ModelRequest,
    TrialBrief,
    Usage,
    UsageError,
    load,
)


@frozen(kw_only=True)
class Script:
    """One line of the file: `replies` in turn (an object is sent as JSON), when `query` (a glob over query ids) and
    `match` (a regular expression over instruction and material) fit."""

    replies: tuple[Any, ...]
    query: str = "*"
    match: str = ""

    def fits(self, query_id: str, text: str) -> bool:
        return fnmatch.fnmatchcase(query_id, self.query) and re.search(self.match, text) is not None


def judge_model(model_id: str) -> Model:
    """The model of ``judge-script:FILE``, a file of JSON lines."""
    path = Path(model_id.partition(":")[2])
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{model_id}: {path} cannot be read: {error.strerror}", hint="give a file of JSON lines"
        ) from error
    scripts = read_scripts(data, path)
    return Model(
        id=model_id,
        open=lambda brief: ScriptedJudge(model_id, scripts, brief),
        snapshot=hashlib.sha256(data).hexdigest(),
    )


def read_scripts(data: bytes, path: Path) -> list[Script]:
    """The lines of a file; `UsageError` says which one is wrong."""
    scripts = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            table = json.loads(line)
            if not isinstance(table, dict):
                raise ValueError(f"expected a JSON object, got {type(table).__name__}")
            script = load(table, Script, what="script")
            re.compile(script.match)
            if not script.replies:
                raise ValueError("no replies")
        except (ValueError, GraError, re.error) as error:
            raise UsageError(
                f"{path}, line {number}: {error}",
                hint='a line is {"replies": ["…"]}, with "query" (a glob) and "match" (a regular expression) if need be',
            ) from error
        scripts.append(script)
    return scripts


class ScriptedJudge:
    """Replies with the first line that fits; each line's replies go round in turn."""

    context_window = None

    def __init__(self, model_id: str, scripts: list[Script], brief: TrialBrief) -> None:
        self.model_id = model_id
        self._scripts = scripts
        self._query = brief.query.id if brief.query else ""
        self._used: Counter[int] = Counter()

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        text = f"{request.system}\n{request.messages[0].text}"
        for number, script in enumerate(self._scripts):
            if script.fits(self._query, text):
                reply = script.replies[self._used[number] % len(script.replies)]
                self._used[number] += 1
                words = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
                message = Message(role="model", text=words, provider="judge-script")
                return ModelReply(message=message, requests=(Usage(requests=1),))
        raise ModelError(
            "bad_request",
            f"{self.model_id}: no line fits query {self._query!r}",
            hint='a line without "query" and "match" fits all',
        )

    def close(self) -> None:
        pass
