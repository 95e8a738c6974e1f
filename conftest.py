"""Imports the members whose folder is called like their package: pytest, which names a test module after its folder,
would else make an empty package of that name."""

import gra_bench  # noqa: F401
import gra_core  # noqa: F401
import gra_judge  # noqa: F401
