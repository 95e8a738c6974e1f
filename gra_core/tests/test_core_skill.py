"""SKILL.md read strictly, resources that cannot be escaped."""

from pathlib import Path

import pytest

from gra_core import PluginError, Skill, ToolError
from gra_core.skill import parse_skill

GOOD = "---\nname: soil\ndescription: Soil facts. Use for soil.\nlicense: Apache-2.0\nmetadata:\n  author: us\n---\n# Soil\nGuidance.\n"


def write(tmp_path: Path, text: str, folder: str = "soil") -> Path:
    path = tmp_path / folder / "SKILL.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_skill_is_read(tmp_path: Path) -> None:
    document = parse_skill(write(tmp_path, GOOD))
    assert (document.name, document.license, document.metadata) == ("soil", "Apache-2.0", {"author": "us"})
    assert document.guidance == "# Soil\nGuidance."


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("name: soil", "name: Soil", "lower-case"),
        ("name: soil", "name: so--il", "lower-case"),
        ("name: soil", "name: clay", "folder"),
        ("name: soil", "name: " + "a" * 65, "64"),
        ("description: Soil facts. Use for soil.", "description: ''", "description"),
        ("description: Soil facts. Use for soil.", "description: " + "x" * 1025, "1024"),
        ("license: Apache-2.0", "version: 1", "unknown key 'version'"),
        ("license: Apache-2.0", "license: 3", "license"),
        ("  author: us", "  author: 3", "metadata"),
        ("---\nname", "name", "front matter"),
        ("license: Apache-2.0", "license: [", "not YAML"),
        ("Guidance.", "line\n" * 501, "lines"),
    ],
)
def test_what_the_specification_forbids_is_named(tmp_path: Path, old: str, new: str, word: str) -> None:
    with pytest.raises(PluginError, match=word):
        parse_skill(write(tmp_path, GOOD.replace(old, new, 1)))


def test_a_missing_file_says_which(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"soil/SKILL\.md"):
        parse_skill(tmp_path / "soil" / "SKILL.md")


def test_resources_are_one_level_deep_and_cannot_be_escaped(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    (path.parent / "references").mkdir()
    (path.parent / "references" / "table.md").write_text("rows")
    (path.parent / "references" / "deep").mkdir()
    (path.parent / "references" / "deep" / "no.md").write_text("hidden")
    (tmp_path / "secret.txt").write_text("secret")
    skill = Skill(folder=path.parent)
    assert skill.resources() == ["references/table.md"]
    assert skill.read_resource("references/table.md") == "rows"
    for wrong in ("../secret.txt", "references/../../secret.txt", "/etc/hostname", "SKILL.md", ""):
        with pytest.raises(ToolError) as caught:
            skill.read_resource(wrong)
        assert caught.value.kind == "not_found"


def test_a_skill_of_a_package_that_is_not_there() -> None:
    with pytest.raises(PluginError, match="not installed"):
        Skill.from_package("no_such_package", "x", [])
