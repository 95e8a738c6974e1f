import subprocess
import sys

from gra_core import PluginSelection, Query
from gra_core.registry import Registry


def test_scorers_are_registered_and_run() -> None:
    registry = Registry.load(PluginSelection(only=("judge",)))
    assert set(registry.scorers) == {"blanks", "label", "two-significant-figures"}
    assert {name: a.passes for name, a in registry.autoraters.items()} == {
        "answer-autorater": 1,
        "workflow-autorater": 3,
    }
    assert (
        registry.scorers["label"].score(Query(id="q", benchmark="b", text="", answer="Yes"), '["Yes"]').value
        == 1.0
    )


def test_plugin_is_light() -> None:
    code = "import gra_judge.plugin, gra_judge.blanks, sys; gra_judge.plugin.gra_autoraters(); print([m for m in ('numpy', 'pandas', 'scipy', 'shapely') if m in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )
