"""Faults of servers, as data: what a server sends, and what it must lead to. `docs/faults.md` is made from it."""
