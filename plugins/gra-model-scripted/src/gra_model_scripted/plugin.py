"""What this plugin provides."""

from __future__ import annotations

from gra_core import Model, ModelFamily, hookimpl


@hookimpl
def gra_models(model_id: str) -> Model | None:
    if model_id == "oracle":
        from gra_model_scripted.oracle import Oracle

        return Model(id=model_id, open=Oracle)
    if model_id == "nop":
        from gra_model_scripted.nop import Nop

        return Model(id=model_id, open=Nop)
    if model_id.startswith("replay:"):
        from gra_model_scripted.replay import replay_model

        return replay_model(model_id)
    if model_id.startswith("judge-script:"):
        from gra_model_scripted.judge import judge_model

        return judge_model(model_id)
    return None


@hookimpl
def gra_model_families() -> list[ModelFamily]:
    return [
        ModelFamily(
            prefix="oracle", title="plays the reference trajectory; checks the harness", example="oracle"
        ),
        ModelFamily(prefix="nop", title="answers at once with an empty list", example="nop"),
        ModelFamily(
            prefix="replay", title="the model replies of a recorded run", example="replay:RUN/events.jsonl"
        ),
        ModelFamily(
            prefix="judge-script", title="a judge's verdicts from a file", example="judge-script:FILE.jsonl"
        ),
    ]
