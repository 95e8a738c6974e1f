"""All rows of a Hugging Face dataset, page by page, from the dataset viewer's service."""

from __future__ import annotations

import json
from typing import Any

from gra_core.download import DownloadError, fetch

PAGE = 100  # what the service gives at most
MOST_ROWS = 10_000


def all_rows(url: str, max_bytes: int) -> bytes:
    """The rows of every page as one reply of the same form. Raises `DownloadError` for replies of another form."""
    rows: list[Any] = []
    total = 1
    while len(rows) < total:
        page = _page(f"{url}&offset={len(rows)}&length={PAGE}", max_bytes)
        total = page["num_rows_total"]
        if not page["rows"] or total > MOST_ROWS:
            raise DownloadError(f"{url}: {len(rows) + len(page['rows'])} of {total} rows")
        rows += page["rows"]
    return json.dumps({"rows": rows, "num_rows_total": total}, ensure_ascii=False, indent=0).encode()


def _page(url: str, max_bytes: int) -> dict[str, Any]:
    try:
        page = json.loads(fetch(url, max_bytes=max_bytes))
        rows, total = page["rows"], page["num_rows_total"]
    except (ValueError, KeyError, TypeError) as error:
        raise DownloadError(
            f"{url} is no reply of the rows service: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(rows, list) or not isinstance(total, int) or isinstance(total, bool):
        raise DownloadError(
            f"{url} is no reply of the rows service: rows or num_rows_total have another type"
        )
    if any(row.get("truncated_cells") for row in rows if isinstance(row, dict)):
        raise DownloadError(f"{url}: the service cut some cells short")
    return page
