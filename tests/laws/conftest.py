"""How hard the laws are tried: the same forty cases each time, or with --hypothesis-profile=search new ones."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "house", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "search", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
if settings.get_current_profile_name() == "default":
    settings.load_profile("house")
