"""Hypothesis profiles, chosen by HYPOTHESIS_PROFILE: default, ci (the same, repeatable), sanitize, thorough."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # oracle, sql_oracle, strategies

SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
settings.register_profile("default", max_examples=60, deadline=None, suppress_health_check=SLOW_IS_FINE)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None)
settings.register_profile("sanitize", settings.get_profile("ci"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))
