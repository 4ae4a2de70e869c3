"""registry.yaml: a record for the registry of deployments (registry.opendp.org), complete in all three tiers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dprelease.bundle import guarantee
from dprelease.bundle.described import Described
from dprelease.bundle.display import exact, shown
from dprelease.bundle.words import say
from dprelease.model.certificate import Certificate

COMPLETE = 3
"""The tier: every field of tiers 1 to 3 is there."""
STATED = "not stated in this release"
ACTORS = (
    "The curator sees the confidential rows and, in previews, true values beside simulated ones; the curator is "
    "trusted. A reviewer sees plans, prices and the ledger, never rows or previews. Readers of the release, whatever "
    "else they know and however many work together, are not trusted: the guarantee is about them. Whoever has the "
    "machine or its backups has the rows; the guarantee is not about them."
)
STATIC = "Rows registered for a dataset are used as they are; other rows of the same population share its budget."
ONCE = "Published once, as files. Nobody can ask further questions of the rows through it."
TUNED = (
    "Columns, bounds, categories and bins are declared before any row is read, and values outside of them count as the "
    "nearest bound, as a declared category or as no value. The curator may have seen previews with true values, "
    "which are no part of the guarantee; {previews} The privacy loss of choosing the plan is not counted."
)
BUILT = (
    "Every confidential quantity is an exact integer over declared cells; noise is exact discrete noise from the "
    "OpenDP library on the same integers, so that no floating-point number touches a confidential value before it. "
    "Mechanisms: {mechanisms}. The charge is committed before a row is read, and one draw is ever shown. There are no "
    "queries by readers, so no timing can be measured by them. Private files are closed to other accounts of the "
    "machine, and every operation checks the role of whoever acts. Versions: {versions}."
)
WHY = (
    "Sensitivities follow from declared bounds, the unit and the number of records used of each. The share of each "
    "statistic was priced from public facts before publication, and {approval} Whoever has the bundle can recompute "
    "sensitivity, scale, loss, sum and cap: `dprelease verify`."
)


def registry(described: Described) -> bytes:
    """The record as YAML; the same bytes each time."""
    return yaml_bytes(record(described))


def record(described: Described) -> dict[str, Any]:
    """The record as a mapping."""
    facts, about = described.release.certificate, described.about
    basic: dict[str, Any] = {
        "name": described.title,
        "data_curators": [described.publisher],
        "description": described.description,
        "intended_use": about.use or "Published statistics, for any use.",
        "data_product_type": "Summary statistics",
        "data_product_region": about.region or STATED,
        "publication_date": described.published,
    }
    if about.sector:
        basic["data_product_sector"] = about.sector
    return {
        "url_slug": described.id,
        "status": "Draft",
        "tier": COMPLETE,
        "deployment": {
            "basic": basic,
            "dp_variant": _variant(facts),
            "privacy_loss": _loss(facts),
            "deployment_model": {
                "model_name": "Central",
                "actors": ACTORS,
                "release_type": "One release",
                "release_type_details": _releases(facts),
                "data_source_type": "Static",
                "data_source_type_details": STATIC,
                "access_type": "Non-interactive",
                "access_type_details": ONCE,
            },
            "accounting": {"post_processing": _processed(facts), "composition": _composed(facts)},
            "implementation": _built(described),
            "administrative": {
                "sources": f"The bundle {described.id}: release.json, ledger.json and the tables.",
                "notes": "Its key and its place in the publisher's ledger: signer.pub and ledger.json.",
                "registry_authors": [described.publisher],
            },
        },
    }


def _variant(facts: Certificate) -> dict[str, str]:
    if facts.population.currency == "zcdp":
        name = "Zero-concentrated DP"
    else:
        name = "Approximate DP" if facts.guarantee.delta else "Pure DP"
    size = facts.population.size
    declared = "any number of them" if size is None else f"declared size {shown(size)}"
    return {
        "variant_name": name,
        "data_domain": f"Tables of the declared columns about the population {facts.population.name} "
        f"(unit: {facts.guarantee.unit}; {declared}), whatever values their rows have.",
        "unprotected_quantities": " ".join(facts.caveats),
    }


def _loss(facts: Certificate) -> dict[str, Any]:
    stated = facts.guarantee
    rows = guarantee.records(stated.max_rows)
    relation = f"{stated.neighbors}_long"
    by_row = stated.unit_column is None
    whose = say("unit_row" if by_row else "unit_column", unit=stated.unit, rows=rows)
    parameters = {"epsilon": stated.epsilon, "delta": stated.delta} | (
        {} if stated.rho is None else {"rho": stated.rho}
    )
    return {
        "privacy_unit": stated.unit,
        "privacy_unit_details": f"{say(relation, unit=stated.unit)} {whose}",
        "privacy_parameters": parameters,
        "privacy_parameters_details": guarantee.in_text(facts),
    }


def _releases(facts: Certificate) -> str:
    population, spent = facts.population, facts.cumulative
    period = f" in the period {population.period}" if population.period else ""
    return (
        f"One of {shown(spent.releases)} of its population so far. All of them together may spend "
        f"ε = {exact(population.epsilon_cap)}, δ = {exact(population.delta_cap)}{period}, with the same unit and "
        f"neighbouring tables; up to this one they have spent ε = {guarantee.computed(spent.epsilon)}, "
        f"δ = {exact(spent.delta)}. A charge that does not fit is refused."
    )


def _processed(facts: Certificate) -> str:
    steps = facts.plan.get("postprocess", [])
    if not steps:
        return "None beyond the arithmetic of each statistic on its noisy numbers, such as a ratio of two sums."
    return f"Noisy counts were made {', '.join(steps)}; the noisy counts stay beside them in the tables, as `raw`."


def _composed(facts: Certificate) -> str:
    shares = ", ".join(
        f"{item.id}: {guarantee.symbol(facts)} = {exact(item.loss.exactly.amount)}" for item in facts.statistics
    )
    rule = say(f"composition_{facts.population.currency}")
    return f"Sequential composition. {rule} Shares: {shares}."


def _built(described: Described) -> dict[str, str]:
    facts = described.release.certificate
    previews = facts.previews
    after = {"plan": previews.plan_changed_after, "schema": previews.schema_changed_after}
    changed = [word for word, is_after in after.items() if is_after]
    told = (
        f"after such a preview of this population these were made or changed: {', '.join(changed)}."
        if changed
        else "neither plan nor declared columns were changed after one of this population."
    )
    approval = {
        "team": "approved by a second person.",
        "solo": "approved by the person who wrote it, who works alone.",
    }
    versions = ", ".join(f"{name} {version}" for name, version in sorted(facts.versions.items()))
    return {
        "preprocessing_and_hyperparameter_tuning": TUNED.format(previews=told),
        "mechanisms": BUILT.format(mechanisms=", ".join(described.mechanisms) or "none", versions=versions),
        "justification": WHY.format(approval=approval[facts.approval.workspace]),
    }


def yaml_bytes(value: Mapping[str, Any]) -> bytes:
    """YAML in blocks, each text in double quotes as in JSON, which YAML reads the same."""
    return ("\n".join(_lines(value, "")) + "\n").encode()


def _lines(value: Mapping[str, Any], indent: str) -> list[str]:
    lines: list[str] = []
    for key, item in value.items():
        if isinstance(item, Mapping):
            lines += [f"{indent}{key}:", *_lines(item, f"{indent}  ")]
        elif isinstance(item, list):
            lines += [f"{indent}{key}:", *(f"{indent}  - {_scalar(each)}" for each in item)]
        else:
            lines.append(f"{indent}{key}: {_scalar(item)}")
    return lines


def _scalar(value: object) -> str:
    """A float with a point, which YAML 1.1 needs to see that it is one."""
    if isinstance(value, float):
        digits, _, exponent = repr(value).partition("e")
        return f"{digits if '.' in digits else f'{digits}.0'}{f'e{exponent}' if exponent else ''}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\x85", "\\x85")
