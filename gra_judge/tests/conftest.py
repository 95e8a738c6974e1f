"""Rating with a scripted judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from gra_core import Autorater, Judge, Score, Submission
from gra_core.testing import ScriptedModel


@pytest.fixture
def rate() -> Callable[..., tuple[Score, ScriptedModel]]:
    """Rate a submission with an autorater and a judge of these replies."""

    def run(
        autorater: Autorater, given: Submission, replies: Iterable[Any], passes: int = 1
    ) -> tuple[Score, ScriptedModel]:
        model = ScriptedModel(replies)
        return autorater.rate(given, Judge(model), passes), model

    return run
