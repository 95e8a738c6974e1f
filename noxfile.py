"""Development sessions: `nox -l` lists them. `make test` needs none of them."""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["tests"]
nox.options.reuse_existing_virtualenvs = True

PYTHONS = ["3.11"]
MEMBERS = sorted(
    p.parent for pattern in ("gra_*", "plugins/gra-*") for p in Path().glob(f"{pattern}/pyproject.toml")
)


def install(session: nox.Session) -> None:
    session.install("-c", "constraints.txt", "-r", "requirements-dev.txt")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The whole test suite."""
    install(session)
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS)
def lint(session: nox.Session) -> None:
    """Style, types and import rules."""
    install(session)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy", *(str(m / "src") for m in MEMBERS))
    session.run("lint-imports")


@nox.session(python=PYTHONS)
def wheels(session: nox.Session) -> None:
    """Build each member to a wheel, and import all its modules in an environment with nothing else."""
    session.install("build", "hatchling")
    for member in MEMBERS:
        session.run("python", "-m", "build", "--wheel", "--outdir", "dist", str(member))
    for member in MEMBERS:
        venv = Path(session.create_tmp()) / member.name
        python = str(venv / "bin" / "python")
        session.run("python", "-m", "venv", "--clear", str(venv))
        session.run(
            python,
            "-m",
            "pip",
            "install",
            "-q",
            "-c",
            "constraints.txt",
            "--find-links",
            "dist",
            member.name.replace("_", "-"),
            external=True,
        )
        session.run(python, "tests/import_all.py", member.name.replace("-", "_"), external=True)


@nox.session(python=PYTHONS)
def bench(session: nox.Session) -> None:
    """Speed and memory, as ratios within one run."""
    install(session)
    for script in sorted(Path("benchmarks").glob("bench_*.py")):
        if script.name != "bench_peer.py":  # that is session `peer`
            session.run("python", str(script))


@nox.session(python=PYTHONS)
def peer(session: nox.Session) -> None:
    """Our runner beside inspect_ai, which gets an environment of its own: it is no dependency of ours."""
    install(session)
    folder = Path("benchmarks") / ".peer-venv"
    python = str(folder / "bin" / "python")
    if not Path(python).exists():
        session.run("python", "-m", "venv", str(folder))
    requirements = str(Path("benchmarks") / "peer" / "requirements.txt")
    session.run(python, "-m", "pip", "install", "-q", "-r", requirements, external=True)
    session.run("python", "benchmarks/bench_peer.py", "--peer-python", python, *session.posargs)


@nox.session(python=PYTHONS)
def docs(session: nox.Session) -> None:
    """Write the generated pages: the command line's reference and the hooks' list."""
    install(session)
    session.run("python", "docs/generate.py")
