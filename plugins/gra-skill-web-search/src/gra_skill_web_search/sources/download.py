"""One file from the web, within limits of size, time and redirects."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial

import httpx
from attrs import frozen

from gra_core import Clock, ToolError
from gra_geo.rest import asked_wait, passes
from gra_skill_web_search.sources.addresses import addresses_of, checked_url

REDIRECTS = {301, 302, 303, 307, 308}
MOST_REDIRECTS = 5
LONGEST_WAIT_S = 10.0
ACCEPT = (
    "text/html,application/xhtml+xml,text/plain,application/json,text/csv,application/xml;q=0.9,*/*;q=0.1"
)
HEADERS = {"User-Agent": "gra-skill-web-search/0.1", "Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"}


@frozen(kw_only=True)
class Download:
    """A file: where it was in the end, its media type and character set as the server said, its first bytes."""

    url: str
    media_type: str
    charset: str
    data: bytes
    complete: bool


class Downloader:
    """Fetches files. `timeout_s` bounds a whole download, redirects and repeats included."""

    def __init__(self, *, timeout_s: float, retries: int, most_bytes: int, allow_private: bool) -> None:
        self.timeout_s, self.retries = timeout_s, retries
        self.most_bytes, self.allow_private = most_bytes, allow_private

    def get(self, text: str) -> Download:
        """The file at an address; `ToolError` says why there is none."""
        ends = time.monotonic() + self.timeout_s
        url = checked_url(text)
        for attempt in range(self.retries + 1):
            try:
                # The transport's own time-out starts anew with each byte.
                left = max(0.0, ends - time.monotonic())
                return Clock().run(partial(self._follow, url, ends), timeout_s=left)
            except TimeoutError:
                raise self._too_slow(url) from None
            except _Passing as fault:
                pause = fault.wait_s if fault.wait_s is not None else 0.5 * 2**attempt
                if attempt == self.retries or pause > LONGEST_WAIT_S or time.monotonic() + pause > ends:
                    raise fault.error from None
                time.sleep(pause)
        raise AssertionError("unreachable")

    def _follow(self, url: httpx.URL, ends: float) -> Download:
        for _ in range(MOST_REDIRECTS + 1):
            with self._response(url, ends) as response:
                if response.status_code not in REDIRECTS or "location" not in response.headers:
                    return self._read(url, response, ends)
                url = checked_url(str(url.join(response.headers["location"])))
        raise ToolError(
            "upstream", f"more than {MOST_REDIRECTS} redirects, the last to {url}", hint="try another page"
        )

    @contextmanager
    def _response(self, url: httpx.URL, ends: float) -> Iterator[httpx.Response]:
        """The response of one of the host's checked addresses."""
        fault: Exception | None = None
        for address in addresses_of(url, allow_private=self.allow_private)[:4]:
            left = ends - time.monotonic()
            if left <= 0:
                break
            # No proxy from the environment: it would look the name up again. Certificates of the environment stay.
            with httpx.Client(trust_env=False, verify=httpx.create_ssl_context(), timeout=left) as client:
                request = client.build_request(
                    "GET",
                    url.copy_with(host=address),
                    headers=HEADERS | {"Host": url.netloc.decode("ascii")},
                    extensions={"sni_hostname": url.host},
                )
                try:
                    response = client.send(request, stream=True)
                except httpx.ConnectError as error:
                    fault = error
                    continue
                except httpx.TimeoutException:
                    break
                except httpx.HTTPError as error:
                    raise _Passing(_unreachable(url, error)) from error
                with closing(response):
                    yield response
                    return
        raise _Passing(_unreachable(url, fault)) if fault else self._too_slow(url)

    def _read(self, url: httpx.URL, response: httpx.Response, ends: float) -> Download:
        _raise_for(url, response)
        data = bytearray()
        try:
            for piece in response.iter_bytes(65_536):
                data += piece
                if time.monotonic() > ends:
                    raise self._too_slow(url)
                if len(data) > self.most_bytes:
                    break
        except httpx.TimeoutException:
            raise self._too_slow(url) from None
        except httpx.HTTPError as error:
            raise _Passing(_unreachable(url, error)) from error
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        return Download(
            url=str(url),
            media_type=media_type,
            charset=response.charset_encoding or "",
            data=bytes(data[: self.most_bytes]),
            complete=len(data) <= self.most_bytes,
        )

    def _too_slow(self, url: httpx.URL) -> ToolError:
        return ToolError(
            "timeout", f"{url} was not read within {self.timeout_s:g} s", hint="try another page"
        )


class _Passing(Exception):
    """A fault that may pass: the error it is otherwise, and the pause the server asked for."""

    def __init__(self, error: ToolError, wait_s: float | None = None) -> None:
        super().__init__(error.message)
        self.error, self.wait_s = error, wait_s


def _unreachable(url: httpx.URL, error: Exception) -> ToolError:
    return ToolError(
        "upstream", f"{url} could not be read: {type(error).__name__}: {error}", hint="try another page"
    )


def _raise_for(url: httpx.URL, response: httpx.Response) -> None:
    status = response.status_code
    if status < 400:
        return
    said = f"{url} answered {status} {response.reason_phrase}".strip()
    if status in (404, 410):
        raise ToolError("not_found", said, hint="the page is gone: search for another")
    if status in (401, 402, 403, 407, 451):
        raise ToolError("not_available", said, hint="the page is not open to programs: use another source")
    if passes(status):
        error = ToolError("quota" if status == 429 else "upstream", said, hint="try later, or another page")
        raise _Passing(error, asked_wait(response.headers))
    raise ToolError("upstream", said, hint="try another page")
