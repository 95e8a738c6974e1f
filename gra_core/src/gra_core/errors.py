"""Errors of the framework: each says what was given, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Literal, get_args

ErrorKind = Literal["bad_argument", "not_found", "not_available", "quota", "timeout", "upstream", "internal"]
ERROR_KINDS: tuple[str, ...] = get_args(ErrorKind)


class GraError(Exception):
    """Base of every error raised on purpose. `hint` says what to do next."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # The arguments of subclasses differ; what is pickled (errors come from other processes) is the state.
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[GraError], args: tuple[Any, ...]) -> GraError:
    return kind.__new__(kind, *args)


class UsageError(GraError):
    """The user asked for something that cannot be done as asked; the command line exits with 2."""


class ConfigurationError(UsageError):
    """A configuration file or value is wrong."""


class UnknownName(UsageError):
    """A name that no active plugin provides; lists near names and how to install more."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, install: str = "") -> None:
        known = sorted(known)
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        guess = f"; did you mean {' or '.join(repr(n) for n in near)}?" if near else "."
        message = f"unknown {kind} {name!r}{guess} Installed: {', '.join(known) if known else 'none'}."
        super().__init__(message, hint=install)
        self.kind, self.name, self.known = kind, name, known


class PluginError(GraError):
    """A plugin could not be loaded or breaks the contract; names plugin and distribution."""


class DuplicateName(PluginError):
    """Two plugins provide the same name; names both distributions."""


class ToolError(GraError):
    """A tool cannot answer. `kind` is one of `ERROR_KINDS`; `hint` tells the model what to do next.

    Tools and sources raise it; the loop turns it into a tool reply with status ``error``.
    """

    def __init__(self, kind: ErrorKind, message: str, *, hint: str = "") -> None:
        if kind not in ERROR_KINDS:
            raise ValueError(f"unknown error kind {kind!r}; expected one of {ERROR_KINDS}")
        super().__init__(message, hint=hint)
        self.kind = kind


class RunStopped(GraError):
    """The run ends here: a trial in flight has no outcome, and is tried again when the run goes on. `requests` is the
    usage of a model call that it takes with it."""

    def __init__(self, message: str, *, hint: str = "", requests: tuple[Any, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.requests = requests


class LimitExceeded(GraError):
    """A limit of the trial struck. `limit` names it, `allowed` and `used` are in the limit's unit."""

    def __init__(self, limit: str, allowed: float, used: float) -> None:
        super().__init__(f"limit {limit} exceeded: {used:g} of {allowed:g}")
        self.limit, self.allowed, self.used = limit, allowed, used
