"""Settings of the whole test suite."""

from hypothesis import HealthCheck, settings

# The machines are shared and noisy: no test fails for being slow.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
