"""Property tests here judge values, never speed, and leave no database behind."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ol", deadline=None, database=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ol")
