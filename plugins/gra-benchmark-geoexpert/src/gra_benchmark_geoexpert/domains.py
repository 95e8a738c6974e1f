"""The four domains, and how others may write them."""

from __future__ import annotations

DOMAINS = (
    "Natural Hazards & Crisis Resilience",
    "Public Health",
    "Site Selection & Urban Planning",
    "Operational & Commercial Utilities",
)
# A word that only one of the domains has.
WORDS = {"hazard": 0, "crisis": 0, "health": 1, "site": 2, "urban": 2, "operational": 3, "utilit": 3}


def full_domain(name: str) -> str:
    """The full name of a domain that is written shorter or otherwise; other names as they are."""
    found = {index for word, index in WORDS.items() if word in name.casefold()}
    return DOMAINS[found.pop()] if len(found) == 1 else name.strip()
