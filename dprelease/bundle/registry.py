"""Record for the registry of deployments (registry.opendp.org), complete in all three tiers: registry.yaml."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dprelease.bundle import guarantee
from dprelease.bundle.described import Described
from dprelease.model.certificate import Certificate
from dprelease.statements.display import exact, shown
from dprelease.words.releases import say, state

COMPLETE = 3
"""Tier of the record: every field of tiers 1 to 3 is there."""


def registry(described: Described) -> bytes:
    """Return the record as YAML; the same bytes each time."""
    return yaml_bytes(record(described))


def record(described: Described) -> dict[str, Any]:
    """Return the record as a mapping."""
    facts, about = described.release.certificate, described.about
    basic: dict[str, Any] = {
        "name": described.title,
        "data_curators": [described.publisher],
        "description": described.description,
        "intended_use": about.use or state("registry_use"),
        "data_product_type": state("registry_product"),
        "data_product_region": about.region or state("not_stated"),
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
                "actors": state("registry_actors"),
                "release_type": state("registry_type"),
                "release_type_details": _releases(facts),
                "data_source_type": "Static",
                "data_source_type_details": state("registry_static"),
                "access_type": "Non-interactive",
                "access_type_details": state("registry_once"),
            },
            "accounting": {"post_processing": _processed(facts), "composition": _composed(facts)},
            "implementation": _built(described),
            "administrative": {
                "sources": state("registry_sources", id=described.id),
                "notes": state("registry_notes"),
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
    declared = state("registry_any_size") if size is None else state("registry_size", size=shown(size))
    return {
        "variant_name": name,
        "data_domain": state(
            "registry_domain", population=facts.population.name, unit=facts.guarantee.unit, size=declared
        ),
        "unprotected_quantities": " ".join(guarantee.caveats(facts)),
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
    return state(
        "registry_releases",
        count=shown(spent.releases),
        cap_epsilon=exact(population.epsilon_cap),
        cap_delta=exact(population.delta_cap),
        period=state("registry_period", period=population.period) if population.period else "",
        epsilon=guarantee.computed(spent.epsilon),
        delta=exact(spent.delta),
    )


def _processed(facts: Certificate) -> str:
    steps = facts.plan.get("postprocess", [])
    return state("registry_processed", steps=", ".join(steps)) if steps else state("registry_not_processed")


def _composed(facts: Certificate) -> str:
    shares = ", ".join(
        f"{item.id}: {guarantee.symbol(facts)} = {exact(facts.spent_on(item).amount)}" for item in facts.statistics
    )
    rule = say(guarantee.summed(facts))
    return state("registry_composed", rule=rule, shares=shares)


def _built(described: Described) -> dict[str, str]:
    facts = described.release.certificate
    previews = facts.previews
    budget = previews.changed == "budget"
    after = {
        "plan": previews.plan_changed_after and not budget,
        "plan (ε, shares or titles)": budget,
        "schema": previews.schema_changed_after,
    }
    changed = [word for word, is_after in after.items() if is_after]
    told = state("registry_changed", changed=", ".join(changed)) if changed else state("registry_not_changed")
    mechanisms = ", ".join(described.mechanisms) or state("registry_no_mechanism")
    versions = ", ".join(f"{name} {version}" for name, version in sorted(facts.versions.items()))
    return {
        "preprocessing_and_hyperparameter_tuning": state("registry_tuned", previews=told),
        "mechanisms": state("registry_built", mechanisms=mechanisms, versions=versions),
        "justification": state("registry_why", approval=state(f"registry_{facts.approval.workspace}")),
    }


def yaml_bytes(value: Mapping[str, Any]) -> bytes:
    """Write YAML in blocks, each text in double quotes as in JSON, which YAML reads the same."""
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
    """Write a scalar; a float with a point, which YAML 1.1 needs to recognise it."""
    if isinstance(value, float):
        digits, _, exponent = repr(value).partition("e")
        return f"{digits if '.' in digits else f'{digits}.0'}{f'e{exponent}' if exponent else ''}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\x85", "\\x85")
