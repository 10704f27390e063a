"""What `reliability` says: E-rho^2, Phi, and how like the ranking by unlimited topics this one is."""

from __future__ import annotations

from bench.validity.declare import IntervalCheck

INTERVALS = (
    IntervalCheck("reliability: e_rho2", "reliability", None, ("measure",), "e_rho2", "e_rho2_low", "e_rho2_high"),
    IntervalCheck("reliability: phi", "reliability", None, ("measure",), "phi", "phi_low", "phi_high"),
)
