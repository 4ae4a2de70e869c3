"""What others load: each format has what it requires, says what the tables say, and is checked with the bundle."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from frictionless import Package

import dprelease
from dprelease.bundle.annotated import INSIGNIFICANT, LOW, MISSING
from dprelease.bundle.formats import FILES
from dprelease.bundle.listing import CHECKSUMS, SIGNATURE, checksums, facts_of
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import write
from dprelease.errors import IntegrityError
from dprelease.model.release import Release
from dprelease.portal.select import CatalogueFilter
from dprelease.portal.spine import BundleSummary
from tests.bundle import kinds
from tests.bundle.kinds import ABOUT, IN_RHO, PLAN, WITHHELD
from tests.bundle.releases import snapshot

WRITTEN = {"every kind": PLAN, "in rho": IN_RHO, "withheld": WITHHELD}


@pytest.fixture(params=WRITTEN)
def bundle(request: pytest.FixtureRequest) -> Path:
    """One says everything of its publication, one nothing, and one failed what its plan asked of it."""
    return kinds.bundle(WRITTEN[request.param])


@pytest.fixture
def small() -> Path:
    """One with few tables, which is verified in less time."""
    return kinds.bundle(IN_RHO)


@pytest.fixture(scope="module")
def key() -> SigningKey:
    """The publisher's own, of the workspace of those bundles."""
    return dprelease.Workspace.open(kinds.home())._state.keys.current


def loaded(bundle: Path, name: str) -> Any:
    return json.loads((bundle / name).read_text())


def resigned(contents: dict[str, bytes], folder: Path, key: SigningKey) -> Path:
    """Other files, listed and signed by the publisher's own key."""
    unsigned = {name: data for name, data in contents.items() if name not in (CHECKSUMS, SIGNATURE)}
    sums = checksums(facts_of(unsigned))
    for name, data in {**unsigned, CHECKSUMS: sums, SIGNATURE: key.sign(sums)}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def told_by(bundle: Path) -> Any:
    return loaded(bundle, "release.json")


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def tables_of(bundle: Path) -> Iterator[tuple[str, Path]]:
    """None where the release is withheld."""
    for path in sorted(bundle.glob("tables/*.csv")):
        if not path.name.endswith(".answers.csv"):
            yield path.stem, path


@pytest.mark.full
def test_the_bundle_verifies_with_them(bundle: Path) -> None:
    verdict = dprelease.verify(bundle)
    (check,) = [check for check in verdict.checks if check.code == "check.formats"]
    others = len(
        [
            *bundle.glob("wide/*.csv"),
            "datapackage.json",
            "workbook.xlsx",
            "sdmx/structure.xml",
            *bundle.glob("all.*"),
            *bundle.glob("models/*.pmml"),
            *bundle.glob("rows/*.parquet"),
            *bundle.glob("rows/*.json"),
        ]
    )
    assert check.words.startswith(f"{len(FILES) + others + len(list(tables_of(bundle)))} files")


@pytest.mark.parametrize("name", [*FILES, "datapackage.json", "sdmx/n_region.csv"])
def test_one_that_says_something_else_is_refused(name: str, small: Path, key: SigningKey, tmp_path: Path) -> None:
    """Also where the list of checksums is signed anew."""
    contents = snapshot(small)
    contents[name] = contents[name].replace(b"e", b"f", 1)
    with pytest.raises(IntegrityError, match=r"datapackage.json|it does not say what"):
        dprelease.verify(resigned(contents, tmp_path, key))


@pytest.mark.full
@pytest.mark.parametrize("which", ["every kind", "withheld"])
def test_in_other_bundles_each_kind_of_file_is_refused(which: str, key: SigningKey, tmp_path: Path) -> None:
    """Of models and rows too: the first file of each folder that is no table, picture or signed record."""
    contents = snapshot(kinds.bundle(WRITTEN[which]))
    folders = ("wide/", "sdmx/", "models/", "rows/", "labelled/", "codelists/", "derived/", "public/")
    firsts = [next((name for name in sorted(contents) if name.startswith(folder)), None) for folder in folders]
    names = [name for name in (*FILES, "datapackage.json", *firsts) if name in contents]
    assert len(names) > (len(FILES) + 4 if which == "every kind" else 1)
    for number, name in enumerate(names):
        changed = contents | {name: contents[name].replace(b"e", b"f", 1) + b" "}
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(IntegrityError):
            dprelease.verify(resigned(changed, folder, key))


class TestFrictionless:
    def test_it_is_valid(self, bundle: Path) -> None:
        report = Package(str(bundle / "datapackage.json")).validate()
        assert report.valid, report.flatten(["title", "message"])

    def test_one_that_is_withheld_says_what_was_asked(self, bundle: Path) -> None:
        resources = Package(str(bundle / "datapackage.json")).resources
        if list(tables_of(bundle)):
            assert "criteria" not in {each.name for each in resources}
        else:
            (asked,) = resources
            words = "Each value errs by at most 0.01 % of itself, all together with 95 % confidence."
            assert asked.read_rows() == [{"statistic": "n_region", "asked": words, "held": False}]
            for name in ("croissant.json", "dcat.jsonld", "datacite.json", "registry.yaml", "index.html"):
                assert (
                    "No table is published: the release failed what its plan had asked" in (bundle / name).read_text()
                )


class TestCroissant:
    """By mlcroissant; and the fields that version 1.1 requires, and what each must point to."""

    @pytest.mark.full
    @pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")
    def test_it_is_valid_and_its_records_are_the_rows(self, bundle: Path, mlcroissant: Any) -> None:
        dataset = mlcroissant.Dataset(jsonld=str(bundle / "croissant.json"))
        assert dataset.metadata.ctx.issues.report() == ""
        for statistic, path in list(tables_of(bundle))[:3]:
            assert len(list(dataset.records(statistic))) == len(rows_of(path))

    def test_the_dataset_has_its_fields(self, bundle: Path) -> None:
        found = loaded(bundle, "croissant.json")
        assert (found["@type"], found["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.1")
        for key in ("@context", "name", "description", "license", "url", "creator", "datePublished"):
            assert found[key]
        assert found["@context"]["@vocab"] == "https://schema.org/"
        assert "Differential" not in found["license"]
        assert re.search(r"ε\s=\s", found["description"])
        assert "the population has spent" in found["description"]

    def test_every_field_is_a_column_of_a_file_that_is_there(self, bundle: Path) -> None:
        found = loaded(bundle, "croissant.json")
        files = {each["@id"]: each for each in found["distribution"]}
        for each in files.values():
            data = (bundle / each["contentUrl"]).read_bytes()
            kinds = {".json": "application/json", ".pmml": "application/xml", ".csv": "text/csv"}
            kind = kinds[Path(each["contentUrl"]).suffix]
            assert (each["sha256"], each["encodingFormat"]) == (hashlib.sha256(data).hexdigest(), kind)
        ids = [field["@id"] for each in found["recordSet"] for field in each["field"]]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(r"[A-Za-z0-9_./-]+", name) for name in ids)
        for each in found["recordSet"]:
            heads = (bundle / f"tables/{each['@id']}.csv").read_text().splitlines()[0]
            columns = [field["source"]["extract"]["column"] for field in each["field"]]
            assert next(csv.reader([heads])) == columns
            assert {field["source"]["fileObject"]["@id"] for field in each["field"]} <= files.keys()
            assert {field["dataType"] for field in each["field"]} <= {"sc:Integer", "sc:Float", "sc:Text"}


class TestDcat:
    """What the shapes of DCAT-AP 3 require of a dataset and its distributions."""

    def test_the_dataset_has_its_properties(self, bundle: Path) -> None:
        found = loaded(bundle, "dcat.jsonld")
        assert found["@type"] == "dcat:Dataset"
        for key in ("dct:title", "dct:description"):
            assert found[key]["@language"] == "en"
            assert found[key]["@value"]
        assert found["dct:publisher"]["@type"] == "foaf:Agent"
        assert found["dct:publisher"]["foaf:name"]
        assert found["dct:issued"] == {"@type": "xsd:date", "@value": told_by(bundle)["published"]}

    def test_each_distribution_can_be_reached_and_checked(self, bundle: Path) -> None:
        for each in loaded(bundle, "dcat.jsonld")["dcat:distribution"]:
            assert (bundle / each["dcat:accessURL"]["@id"]).is_file()
            data = (bundle / each["dcat:downloadURL"]["@id"]).read_bytes()
            assert each["spdx:checksum"]["spdx:checksumValue"]["@value"] == hashlib.sha256(data).hexdigest()
            assert each["dcat:byteSize"]["@value"] == str(len(data))
            assert each["dcat:mediaType"]["@id"].endswith("text/csv")

    def test_every_prefix_is_declared(self, bundle: Path) -> None:
        found = loaded(bundle, "dcat.jsonld")
        assert {name.partition(":")[0] for name in _keys(found) if ":" in name} <= found["@context"].keys()


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key != "@context":
                yield key
                yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


class TestDataCite:
    def test_it_has_all_that_an_agency_requires_but_the_doi(self, bundle: Path) -> None:
        found = loaded(bundle, "datacite.json")
        assert found["schemaVersion"] == "http://datacite.org/schema/kernel-4"
        assert found["creators"][0]["name"]
        assert found["titles"][0]["title"]
        assert found["publisher"]["name"]
        assert found["publicationYear"] == int(told_by(bundle)["published"][:4])
        assert found["types"]["resourceTypeGeneral"] == "Dataset"
        assert {each["descriptionType"] for each in found["descriptions"]} == {"Abstract", "Methods"}


class TestRegistry:
    """The fields of registry.opendp.org's schema: no others, and those of all three tiers."""

    FIELDS: Mapping[str, set[str]] = {
        "basic": {
            *("name", "data_curators", "intended_use", "data_product_type", "data_product_region", "description"),
            "publication_date",
        },
        "dp_variant": {"variant_name", "data_domain", "unprotected_quantities"},
        "privacy_loss": {
            *("privacy_unit", "privacy_unit_details", "privacy_parameters", "privacy_parameters_details"),
        },
        "deployment_model": {
            *("model_name", "actors", "release_type", "release_type_details", "data_source_type"),
            *("data_source_type_details", "access_type", "access_type_details"),
        },
        "accounting": {"post_processing", "composition"},
        "implementation": {"preprocessing_and_hyperparameter_tuning", "mechanisms", "justification"},
        "administrative": {"sources", "notes", "registry_authors"},
    }
    OPTIONAL = {"data_product_sector"}
    WORDS: Mapping[tuple[str, str], set[str]] = {
        ("dp_variant", "variant_name"): {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
        ("deployment_model", "model_name"): {"Local", "Central", "Shuffle", "Federated", "Varies"},
        ("deployment_model", "release_type"): {"One release", "Many releases"},
        ("deployment_model", "data_source_type"): {"Static", "Dynamic"},
        ("deployment_model", "access_type"): {"Interactive", "Non-interactive"},
    }

    def test_every_tier_is_complete_and_nothing_else_is_there(self, bundle: Path) -> None:
        found = yaml.safe_load((bundle / "registry.yaml").read_text())
        assert found.keys() == {"url_slug", "status", "tier", "deployment"}
        assert (found["url_slug"], found["status"], found["tier"]) == (bundle.name, "Draft", 3)
        deployment = found["deployment"]
        assert deployment.keys() == self.FIELDS.keys()
        for part, fields in self.FIELDS.items():
            assert deployment[part].keys() - self.OPTIONAL == fields
            assert all(deployment[part].values())
        for (part, field), words in self.WORDS.items():
            assert deployment[part][field] in words
        assert isinstance(deployment["basic"]["publication_date"], str)

    def test_the_parameters_are_those_of_the_certificate(self, bundle: Path) -> None:
        stated = yaml.safe_load((bundle / "registry.yaml").read_text())["deployment"]["privacy_loss"]
        guarantee = told_by(bundle)["guarantee"]
        assert stated["privacy_parameters"] == {
            key: guarantee[key] for key in ("epsilon", "delta", "rho") if guarantee[key] is not None
        }
        assert guarantee["unit"] == stated["privacy_unit"]


class TestSdmx:
    def test_each_observation_is_the_tables_with_its_status(self, bundle: Path) -> None:
        statuses = set()
        for statistic, path in tables_of(bundle):
            rows, observed = rows_of(path), rows_of(bundle / "sdmx" / f"{statistic}.csv")
            assert len(rows) == len(observed)
            for row, observation in zip(rows, observed, strict=True):
                assert (observation["STRUCTURE"], observation["ACTION"]) == ("dataflow", "I")
                assert re.fullmatch(r"DPRELEASE:[A-Z0-9_]+\(1\.0\)", observation["STRUCTURE_ID"])
                ends = [observation[name] for name in ("OBS_VALUE", "LOWER95", "UPPER95")]
                assert ends == [row[name] for name in ("value", "lower95", "upper95")]
                assert observation["CONF_STATUS"] == "F"
                assert observation["NOISE_SCALE"]
                assert observation["ANNOTATION"]
                statuses.add(observation["OBS_STATUS"])
                assert row["grade"] == observation["GRADE"]
                assert observation["OBS_STATUS"] == {"C": "U"}.get(row["grade"], row["grade"])
                if row["lower95"] and row["upper95"] and row["value"]:
                    half = (float(row["upper95"]) - float(row["lower95"])) / 2
                    assert float(observation["MARGIN95"]) == pytest.approx(half)
        assert statuses <= {"A", LOW, MISSING, INSIGNIFICANT}
        assert "A" in statuses or not list(tables_of(bundle))

    def test_its_columns_are_identifiers_each_once(
        self, hostile_release: Release, key: SigningKey, tmp_path: Path
    ) -> None:
        for path in (write(hostile_release, tmp_path, key) / "sdmx").glob("*.csv"):
            heads = next(csv.reader([path.read_text().splitlines()[0]]))
            assert len(set(heads)) == len(heads)
            assert all(re.fullmatch("[A-Z][A-Z0-9_]*", head) for head in heads)
            assert not re.search(r"(^|,)[=+@]", path.read_text(), re.MULTILINE)


def test_the_page_has_a_dataset_for_search_engines(bundle: Path) -> None:
    html = (bundle / "index.html").read_text()
    (text,) = re.findall('<script type="application/ld\\+json">(.*?)</script>', html)
    found = json.loads(text)
    assert (found["@context"], found["@type"]) == ("https://schema.org/", "Dataset")
    for key in ("name", "description", "identifier", "creator", "datePublished"):
        assert found[key]
    assert len(found["variableMeasured"]) == len(list(tables_of(bundle)))
    assert all((bundle / each["contentUrl"]).is_file() for each in found["distribution"])


def test_what_a_plan_says_of_its_publication_stands_in_every_format() -> None:
    bundle = kinds.bundle(PLAN)
    address = "https://spdx.org/licenses/CC-BY-4.0.html"
    package, croissant, dcat, datacite = (
        loaded(bundle, name) for name in ("datapackage.json", "croissant.json", "dcat.jsonld", "datacite.json")
    )
    assert (package["licenses"], package["keywords"]) == ([{"name": "CC-BY-4.0", "path": address}], ABOUT["topics"])
    assert (croissant["license"], croissant["creator"]["name"]) == (address, ABOUT["publisher"])
    assert dcat["dcat:contactPoint"]["vcard:hasEmail"]["@id"] == "mailto:statistics@health.example"
    assert dcat["dcat:theme"]["@id"].endswith("/data-theme/HEAL")
    assert {each["dct:license"]["@id"] for each in dcat["dcat:distribution"]} == {address}
    spdx = {
        "rightsIdentifier": "CC-BY-4.0",
        "rightsIdentifierScheme": "SPDX",
        "schemeUri": "https://spdx.org/licenses/",
    }
    assert datacite["rightsList"] == [{"rights": "CC-BY-4.0", "rightsUri": address, **spdx}]
    assert datacite["contributors"][0]["contributorType"] == "ContactPerson"
    record = yaml.safe_load((bundle / "registry.yaml").read_text())["deployment"]["basic"]
    assert (record["data_product_region"], record["data_product_sector"]) == ("Elbonia", "Healthcare")
    html = (bundle / "index.html").read_text()
    assert "Office of &lt;Health&gt; Statistics" in html
    assert "<Health>" not in html


def test_a_release_is_found_by_what_its_plan_says_of_it(bundle: Path) -> None:
    spines = [BundleSummary.read(bundle.name, bundle)]
    stated = told_by(bundle)["plan"].get("about", {})
    for asked in (
        CatalogueFilter(topic="health"),
        CatalogueFilter(topic="hospitals & care", publisher="Office of <Health> Statistics"),
    ):
        assert len(list(asked.among(spines))) == (1 if stated else 0)
    assert list(CatalogueFilter(topic="hospitals").among(spines)) == []


def test_a_bundle_without_them_is_still_held_against_its_descriptor(
    small: Path, key: SigningKey, tmp_path: Path
) -> None:
    """Readers of tables need nothing else; a format may have come later than the bundle."""
    whole = snapshot(small)
    more = {*FILES, "workbook.xlsx", "all.csv", "all.parquet"}
    contents = {
        name: data
        for name, data in whole.items()
        if name not in more and not name.startswith(("sdmx/", "wide/")) and not name.endswith(".pmml")
    }
    verdict = dprelease.verify(resigned(contents, tmp_path / "bare", key))
    assert any(check.words.startswith("1 file in another format") for check in verdict.checks)
    lie = contents | {"datapackage.json": contents["datapackage.json"].replace(b'"title": "', b'"title": "Exact: ', 1)}
    with pytest.raises(IntegrityError, match=r"^datapackage\.json: it does not say"):
        dprelease.verify(resigned(lie, tmp_path / "lie", key))
    less = {name: data for name, data in whole.items() if name != "dcat.jsonld"}
    assert dprelease.verify(resigned(less, tmp_path / "less", key))
