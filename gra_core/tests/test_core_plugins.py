"""Plugins: a broken one stays alone, names are unique, order does not depend on installation."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from gra_core import (
    DuplicateName,
    Event,
    GuidanceRule,
    PluginError,
    PluginSelection,
    Registry,
    UnknownName,
    hookimpl,
    load_plugins,
)
from gra_core.plugins import PluginSet, discover
from gra_core.testing import registry_of


def rule(name: str) -> GuidanceRule:
    return GuidanceRule(id=name, instruction=f"Do {name}.")


class Good:
    def __init__(self, *names: str) -> None:
        self.names = names

    @hookimpl
    def gra_guidance(self) -> list[GuidanceRule]:
        return [rule(n) for n in self.names]


class Raises:
    @hookimpl
    def gra_guidance(self) -> list[GuidanceRule]:
        raise RuntimeError("no data here")


class Misspelt:
    @hookimpl
    def gra_guidence(self) -> list[GuidanceRule]:
        return []


class WrongArguments:
    @hookimpl
    def gra_skills(self, colour: str) -> list[Any]:
        return []


def test_one_plugin_that_raises_does_not_hide_the_others() -> None:
    registry = registry_of(Good("a"), Raises(), Good("b"))
    assert list(registry.guidance) == ["a", "b"]
    assert "Raises-1" in str(registry.plugins.failures[0]) and "no data here" in str(
        registry.plugins.failures[0]
    )
    with pytest.raises(PluginError, match="no data here"):
        registry.plugins.raise_failures()


@pytest.mark.parametrize(("plugin", "word"), [(Misspelt(), "gra_guidence"), (WrongArguments(), "colour")])
def test_a_plugin_against_the_specification_is_refused(plugin: Any, word: str) -> None:
    registry = registry_of(plugin, Good("a"))
    assert list(registry.guidance) == ["a"]
    assert word in registry.plugins.failures[0].cause


def test_duplicates_name_both_distributions() -> None:
    plugins = PluginSet()
    plugins.add(Good("same"), "one", distribution="gra-one", version="1")
    plugins.add(Good("same"), "two", distribution="gra-two", version="2")
    with pytest.raises(DuplicateName, match=r"gra-one.*gra-two") as caught:
        _ = Registry(plugins).guidance
    assert "--no-plugin two" in caught.value.hint


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_order_is_by_name(order: tuple[int, ...]) -> None:
    named = [("c", Good("z", "x")), ("a", Good("y")), ("b", Good("w"))]
    plugins = PluginSet()
    for index in order:
        plugins.add(named[index][1], named[index][0])
    assert [record.name for record, _ in plugins.ask("gra_guidance")] == ["a", "b", "c"]


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name=name, value=value, group="gra.plugins")


def test_a_plugin_that_does_not_import_is_skipped_with_its_cause() -> None:
    plugins = load_plugins(found=[entry("broken", "no_such_module.plugin"), entry("fine", __name__)])
    assert list(plugins.records) == ["fine"]
    assert "no_such_module" in str(plugins.failures[0])


def test_selection_by_any_spelling_and_unknown_names() -> None:
    found = [entry("alpha-one", __name__), entry("beta", __name__)]
    assert list(load_plugins(PluginSelection(block=("ALPHA.one",)), found=found).records) == ["beta"]
    assert list(load_plugins(PluginSelection(only=("alpha_one",)), found=found).records) == ["alpha-one"]
    with pytest.raises(UnknownName, match="did you mean 'beta'") as caught:
        load_plugins(PluginSelection(block=("betta",)), found=found)
    assert "pip install" in caught.value.hint


def test_two_entry_points_of_one_name_are_an_error() -> None:
    with pytest.raises(PluginError, match="taken by both"):
        load_plugins(found=[entry("same", __name__), entry("same", __name__)])


def test_adjusting_switches_on_and_off() -> None:
    selection = PluginSelection(only=("a",), block=("b", "c"))
    assert selection.adjusted(on=("B",), off=("d",)) == PluginSelection(only=("a", "B"), block=("c", "d"))
    assert PluginSelection().adjusted(on=("a",)) == PluginSelection()


def test_discovery_is_sorted() -> None:
    names = [e.name for e in discover()]
    assert names == sorted(names)


def test_an_observer_that_fails_is_noted_once_and_harms_nobody() -> None:
    seen: list[str] = []

    class Faulty:
        @hookimpl
        def gra_event(self, event: Event) -> None:
            raise ValueError("observer broke")

    class Sees:
        @hookimpl
        def gra_event(self, event: Event, context: Any) -> None:
            seen.append(event.kind)

    registry = registry_of(Faulty(), Sees())
    for number in range(2):
        registry.tell(Event(seq=number, kind="answered", at="", elapsed_s=0), None)
    assert seen == ["answered", "answered"]
    assert len(registry.plugins.failures) == 1


def test_an_unknown_model_lists_what_ids_look_like() -> None:
    with pytest.raises(UnknownName, match="unknown model 'gpt'"):
        registry_of().model("gpt")
