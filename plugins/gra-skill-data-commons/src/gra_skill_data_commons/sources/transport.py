"""The client library's transport, with the timeouts and retries that it lacks.

`datacommons_client` sends each request once and waits for ever. Its endpoints take any `API` object, so this one
sends them through `RestService` and follows pages.
"""

from __future__ import annotations

from typing import Any

from datacommons_client.endpoints.base import API

from gra_core import SourceSettings, ToolError
from gra_geo.rest import Hints, RestService

MAX_PAGES = 1000
HINTS = Hints(
    refused="set DC_API_KEY to a valid key (free, https://apikeys.datacommons.org)",
    rejected="check ids and types",
    less="ask for fewer variables or places",
    address="base_url of source data-commons, which ends in /v2 or /core/api/v2",
)


class RetryingAPI(API):
    """`API` over a `RestService`, built from `SourceSettings`."""

    def __init__(self, settings: SourceSettings) -> None:
        # The parent's constructor asks the server for a known node without a timeout; nothing of it is needed here.
        self.base_url = settings.base_url
        self.headers = self.build_headers(surface_header_value=None, api_key=settings.key or None)
        self._rest = RestService(
            settings,
            service="Data Commons",
            agent="gra-skill-data-commons",
            headers=self.headers,
            hints=HINTS,
            kinds={404: "upstream"},  # nothing is asked for by its address: a wrong one is no API
        )

    def post(
        self,
        payload: dict[str, Any],
        endpoint: str | None = None,
        *,
        all_pages: bool = True,
        next_token: str | None = None,
    ) -> dict[str, Any]:
        """POST and merge all pages (dictionaries by key, lists one after the other)."""
        path = f"/{endpoint}" if endpoint else ""
        payload = dict(payload)
        merged: dict[str, Any] = {}
        for _ in range(MAX_PAGES):
            if next_token:
                payload["nextToken"] = next_token
            page = self._rest.json("POST", path, json=payload)
            next_token = page.pop("nextToken", None) or None
            merged = _merge(merged, page)
            if not all_pages or not next_token:
                return merged | {"nextToken": next_token}
        raise ToolError(
            "upstream",
            f"Data Commons sent more than {MAX_PAGES} pages for one request",
            hint="ask for fewer places",
        )


def _merge(base: Any, new: Any) -> Any:
    if isinstance(base, dict) and isinstance(new, dict):
        return base | {k: _merge(base[k], v) if k in base else v for k, v in new.items()}
    if isinstance(base, list) and isinstance(new, list):
        return base + new
    return base
