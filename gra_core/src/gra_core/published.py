"""Benchmarks whose queries someone else publishes, with a small sample of ours in the same format."""

from __future__ import annotations

import hashlib
import importlib.resources
import json
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from gra_core.benchmark import BenchmarkProtocol, Query, QueryRequest, QuerySet, Split, content_hash
from gra_core.download import LocalFile, PublishedFile

if TYPE_CHECKING:
    from gra_core.sources import Sources


class PublishedBenchmark(BenchmarkProtocol):
    """The split ``test`` is what is published: fetched once, or a file the user points to. The split ``dev`` is a sample
    written for this project, in the published format, for trying the benchmark out without a network; its queries have
    ids that begin with ``sample-``. The two are never mixed: ``all`` is all that is published.

    A subclass sets `file` and `sample` (package and resource) and writes `read`.
    """

    file: ClassVar[PublishedFile]
    sample: ClassVar[tuple[str, str]]

    def read(self, file: LocalFile, split: Split) -> list[Query]:
        """The queries of a file in the published format, all of `split`; `GraError` for one that will not do."""
        raise NotImplementedError

    def identity(self, split: Split) -> dict[str, str]:
        """What else decides the queries, for the dataset's hash."""
        return {}

    def remarks(self, split: Split, queries: list[Query]) -> tuple[str, ...]:
        """What whoever runs the queries should know; `queries` are all of the split."""
        if split == "test":
            return ()
        return (
            f"split dev is a sample written for this project, not {self.file.title}; `--split test` takes the published queries",
        )

    def queries(self, request: QueryRequest, sources: Sources) -> QuerySet:
        split: Split = "dev" if request.split == "dev" else "test"
        found = self.sample_file() if split == "dev" else self.file.get(lambda file: self.read(file, split))
        queries = self.read(found, split)
        return QuerySet(
            queries=request.select(queries),
            dataset_hash=_hash({"file": found.sha256, "split": split, **self.identity(split)}, queries),
            notes=self.remarks(split, queries),
        )

    def sample_file(self) -> LocalFile:
        """The sample that ships with the package."""
        package, name = self.sample
        data = importlib.resources.files(package).joinpath(name).read_bytes()
        return LocalFile(path=Path(name), data=data, sha256=hashlib.sha256(data).hexdigest())


def _hash(identity: dict[str, str], queries: list[Query]) -> str:
    text = json.dumps({**identity, "content": content_hash(queries)}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
