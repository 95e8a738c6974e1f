"""The HTTP client of live sources. Import it in a source's own module: it brings httpx with it."""

from gra_geo.rest.faults import Hints
from gra_geo.rest.reply import Reply, reason_in, reason_of
from gra_geo.rest.service import RestService
from gra_geo.rest.waits import asked_wait, passes, used_up

__all__ = ["Hints", "Reply", "RestService", "asked_wait", "passes", "reason_in", "reason_of", "used_up"]
