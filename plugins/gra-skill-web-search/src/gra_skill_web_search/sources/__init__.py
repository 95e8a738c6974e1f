"""Live sources. A search source offers ``search``, a page source ``read``; all answer with JSON-ready data.

Kind ``web-search``: ``search(query, purpose, limit)`` gives ``results`` (each title, url, and snippet or supports:
the sentences of the answer that rest on it), and where there are ``answer``, ``grounded`` (whether a search was made),
``queries``, ``rendered_content`` (HTML that must be shown with the answer), ``refused`` (why the provider would not
answer), ``notes`` and ``usage``.

Kind ``map-search``: ``search(query, near)``, near being a place name or [longitude, latitude]; gives ``places`` (title,
url, place_id) in place of results.

Kind ``web-pages``: ``read(url, allow_private_hosts=False)`` gives url (after redirects), title, published, text, notes.

``usage`` holds the fields of `gra_core.Usage` and ``model``, the id under which price tables know the model that
answered: ``searches`` counts the queries it ran, ``maps`` the questions that were put to the map service.
"""
