"""Settings of the whole test suite."""

# Imported here, before pytest names test modules after their folders (gra_core/tests/…): otherwise the folders of
# the same names are taken for the packages.
from hypothesis import HealthCheck, settings

import gra_bench
import gra_core
import gra_judge

assert all(package.__file__ for package in (gra_bench, gra_core, gra_judge)), (
    "install the workspace: make install"
)

# The machines are shared and noisy: no test fails for being slow.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
