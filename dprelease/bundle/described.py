"""Facts shared by all catalogue descriptions of a release: publisher, guarantee and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from dprelease.bundle import guarantee
from dprelease.bundle.annotated import GRADE, free
from dprelease.bundle.listing import FileFacts
from dprelease.bundle.tables import Shape, neutral
from dprelease.model.about import About
from dprelease.model.certificate import Certificate
from dprelease.model.criterion import Requirement
from dprelease.model.release import Release
from dprelease.statements.display import exact
from dprelease.statements.question import StatisticLabel
from dprelease.statements.sentences import lead
from dprelease.words.phrases import visible
from dprelease.words.releases import say, state

CRITERIA = "criteria"
CRITERIA_FIELDS = {"statistic": "string", "asked": "string", "held": "boolean"}


@dataclass(frozen=True, slots=True)
class DescribedField:
    """Column of a table."""

    name: str
    """Name as in the file's header."""
    kind: str
    """Type: `integer`, `number` or `string`."""
    text: str
    is_key: bool


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """Description of one CSV file of a bundle."""

    statistic: str
    path: str
    question: str
    measure: str
    sha256: str
    size: int
    fields: tuple[DescribedField, ...]

    @classmethod
    def of(cls, release: Release, statistic: str, file: FileFacts) -> DescribedFile:
        question = StatisticLabel.of(release.certificate, statistic)
        return cls(
            statistic=statistic,
            path=f"tables/{statistic}.csv",
            question=question.name,
            measure=question.measure,
            sha256=file.sha256,
            size=file.size,
            fields=tuple(_fields(release, question)),
        )


def _fields(release: Release, question: StatisticLabel) -> Iterator[DescribedField]:
    estimates = release.tables[question.id]
    shape = Shape.of(estimates)
    keys = len(estimates.key_names)
    for place, (name, kind) in enumerate(zip(estimates.columns, shape.kinds, strict=True)):
        own = place < keys
        text = visible(question.description(name)) if own else say(f"field_{name}", measure=question.measure)
        yield DescribedField(neutral(name), kind, text, own)
    yield DescribedField(free(GRADE, estimates), "string", say("field_grade"), is_key=False)


@dataclass(frozen=True)
class Described:
    """Release as catalogues see it. `files`: those of its answers in the bundle, by path."""

    release: Release
    files: Mapping[str, FileFacts]

    @cached_property
    def about(self) -> About:
        return self.release.certificate.about

    @cached_property
    def tables(self) -> tuple[DescribedFile, ...]:
        return tuple(
            DescribedFile.of(self.release, name, self.files[f"tables/{name}.csv"]) for name in self.release.tables
        )

    @property
    def id(self) -> str:
        return self.release.id

    @property
    def title(self) -> str:
        return visible(self.release.certificate.title)

    @property
    def published(self) -> str:
        """Day of publication."""
        return self.release.certificate.day

    @property
    def description(self) -> str:
        """Main finding, the curator's description and the guarantee: never one without the other."""
        own = visible(self.release.certificate.description.replace("\n", " ")).strip()
        told = withheld(self.release.certificate) or say("noisy")
        return " ".join(part for part in (lead(self.release), own, told, self.promise) if part)

    @cached_property
    def promise(self) -> str:
        """Complete statement of the guarantee."""
        return guarantee.in_text(self.release.certificate)

    @property
    def publisher(self) -> str:
        """Publisher's name; where the plan does not say, whoever has the key."""
        return visible(self.about.publisher) or say("key_holder")

    @property
    def topics(self) -> list[str]:
        """Topics of the plan, after the one that all releases share."""
        return [state("shared_topic"), *map(visible, self.about.topics)]

    @property
    def mechanisms(self) -> list[str]:
        """Names of its mechanisms, each once."""
        names = (each.name for item in self.release.certificate.measurements for each in item.mechanisms)
        return list(map(guarantee.mechanism, dict.fromkeys(names)))


def criteria(certificate: Certificate) -> list[dict[str, Any]]:
    """Return each criterion with its outcome, in the plan's order; none where the plan asks for nothing."""
    return list(_criteria(certificate))


def _criteria(certificate: Certificate) -> Iterator[dict[str, Any]]:
    for line in certificate.criteria:
        asked, limit = line.requirement, line.limit
        if asked is Requirement.RANKING:
            words = say("criterion_ranking", int(limit), count=limit)
        else:
            stated = Decimal(repr(limit)) * (100 if asked is Requirement.RELATIVE_ERROR else 1)
            words = say(f"criterion_{asked}", limit=exact(stated))
        yield {"statistic": visible(line.statistic), "asked": words, "held": line.held}


def withheld(certificate: Certificate) -> str:
    """Return a sentence that says so, and an empty text where the tables are published."""
    return say("withheld") if certificate.is_withheld else ""


def resource(certificate: Certificate) -> dict[str, Any] | None:
    """Return the criteria as a resource with inline data where nothing else is published; a data package needs one."""
    if not certificate.is_withheld:
        return None
    return {
        "name": CRITERIA,
        "type": "table",
        "title": withheld(certificate),
        "data": criteria(certificate),
        "schema": {
            "fields": [
                {"name": name, "type": kind, "description": say(f"field_criterion_{name}")}
                for name, kind in CRITERIA_FIELDS.items()
            ]
        },
    }
