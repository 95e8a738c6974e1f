"""Skill ``web-search``: search the web and maps, and read single pages. See `plugin` for what it provides."""
