"""Prices, expected errors, other figures."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "price": "Price and expected error",
    "price_show": "Show all prices",
    "price_caption": "Price of each statistic",
    "price_caption_of": "Price of each statistic: {title}",
    "price_statistic": "Statistic",
    "price_mechanism": "Mechanism",
    "price_scale": "Scale",
    "price_loss": "ε",
    "price_loss_rho": "ρ",
    "price_delta": "δ",
    "price_discovered": "discovered",
    "amount": "{symbol} = {amount}",
    "price_scales": "{least} to {most}",
    "price_follows": "None: counts follow from {source}",
    "price_error": "95 % error",
    "price_basis": "Computed from",
    "price_cells": "Numbers",
    "price_unknown": "needs expected rows",
    "basis_mechanism": "the noise alone",
    "basis_expected": "expected rows, spread evenly",
    "basis_bound": "the mechanism, whatever the rows",
    "basis_none": "",
    "error": "± {margin}",
    "error_most": "at most {margin} {unit}",
    "error_unit": "± {margin} {unit}",
    "unit_records": "records",
    "unit_units": "units",
    "price_line": "{error} with 95 % confidence, from {basis}. {spent} of this release's.",
    "price_line_follows": "Its counts follow from those of {source}, at no cost of their own: {error} with 95 % "
    "confidence.",
    "price_line_unknown": "Give the expected rows to foresee its error. {spent} of this release's.",
    "price_bound_mode": "With 95 % confidence the chosen value has at most {margin} records fewer than the most "
    "common one. {spent} of this release's.",
    "price_bound_top": "± {margin} records with 95 % confidence, for all counts together. {spent} of this release's.",
    "price_bound_selection": "With 95 % confidence no value that is left out has over {margin} records more than one "
    "that is chosen. {spent} of this release's.",
    "price_bound_threshold": "With 95 % confidence every answer is right for counts further than {margin} records "
    "from the threshold. {spent} of this release's.",
    "price_bound_bounds": "With 95 % confidence a range that is left out holds at most {margin} records. {spent} of "
    "this release's.",
    "price_note": "Errors bound the noise only: not sampling, clipping to bounds, or rows left out.",
    "figures": "Other figures for this release",
    "figures_note": "How the same mechanisms add up by other ways. Shown only, never charged or summed: what is "
    "charged is the plain sum, which holds for all releases together, also where one was chosen after seeing another.",
    "figures_delta": "at a δ of",
    "figures_show": "Compute them",
    "figures_way": "Way of adding up",
    "figures_basic": "Plain sum, which is charged",
    "figures_renyi": "Rényi composition",
    "figures_advanced": "Advanced composition",
    "figures_pld": "Privacy loss distributions",
}
