"""A reader of PMML, as far as models of releases use it: written from the standard, and of what writes them nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from typing import Any
from xml.etree import ElementTree

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
Row = Mapping[str, Any]


class InvalidError(Exception):
    """A value that the data dictionary does not allow, or none."""


class Scorer:
    """The one model of a file."""

    def __init__(self, data: bytes) -> None:
        self.root = ElementTree.fromstring(data)
        assert self.root.tag == f"{NAMESPACE}PMML"
        assert self.root.attrib["version"] == "4.4"
        self.fields = {each.attrib["name"]: each for each in self._all(self.root, "DataField")}
        self.model = next(each for each in self.root if each.tag.endswith("Model") or each.tag.endswith("Scorecard"))

    def _all(self, of: Any, path: str) -> list[Any]:
        return list(of.findall(".//" + NAMESPACE + path))

    def _own(self, of: Any, name: str) -> list[Any]:
        return list(of.findall(NAMESPACE + name))

    def prepared(self, row: Row) -> dict[str, Any]:
        """The values of a row as the mining schema takes them. Raises InvalidError."""
        found: dict[str, Any] = {}
        (schema,) = self._own(self.model, "MiningSchema")
        for mining in self._own(schema, "MiningField"):
            name = mining.attrib["name"]
            if mining.get("usageType") == "target":
                continue
            field, value = self.fields[name], row[name]
            if value is None:
                assert mining.attrib["missingValueTreatment"] == "returnInvalid"
                raise InvalidError
            if field.attrib["optype"] == "categorical":
                text = str(value).lower() if isinstance(value, bool) else str(value)
                if text not in {each.attrib["value"] for each in self._own(field, "Value")}:
                    raise InvalidError
                found[name] = text
                continue
            try:
                if field.get("displayName") == "days since 1970-01-01":
                    value = (date.fromisoformat(value) - date(1970, 1, 1)).days
                number = float(value)
            except ValueError:
                raise InvalidError from None
            assert mining.attrib["outliers"] == "asExtremeValues"
            found[name] = min(max(number, float(mining.attrib["lowValue"])), float(mining.attrib["highValue"]))
        return found

    def score(self, row: Row) -> Any:
        """A number, the probability of each class, or the id of a cluster; None where a value is invalid."""
        try:
            values = self.prepared(row)
        except InvalidError:
            return None
        return getattr(self, self.model.tag.removeprefix(NAMESPACE))(values)

    def MiningModel(self, values: Row) -> Any:  # noqa: N802
        """The first segment whose predicate holds."""
        assert self.model.attrib["functionName"] == "regression"
        (chosen,) = self._own(self.model, "Segmentation")
        assert chosen.attrib["multipleModelMethod"] == "selectFirst"
        for segment in self._own(chosen, "Segment"):
            (predicate,) = self._own(segment, "SimplePredicate")
            assert predicate.attrib["operator"] == "equal"
            if values[predicate.attrib["field"]] == predicate.attrib["value"]:
                (own,) = self._own(segment, "RegressionModel")
                return self._within(own).score(values)
        return None

    def _within(self, model: Any) -> Scorer:
        """The scorer of a model inside of this one."""
        scorer = Scorer.__new__(Scorer)
        scorer.root, scorer.fields, scorer.model = self.root, self.fields, model
        return scorer

    def RegressionModel(self, values: Row) -> Any:  # noqa: N802
        sums = {}
        for table in self._own(self.model, "RegressionTable"):
            total = float(table.attrib["intercept"])
            for each in self._own(table, "NumericPredictor"):
                total += float(each.attrib["coefficient"]) * values[each.attrib["name"]]
            for each in self._own(table, "CategoricalPredictor"):
                total += float(each.attrib["coefficient"]) * (values[each.attrib["name"]] == each.attrib["value"])
            sums[table.get("targetCategory")] = total
        if self.model.attrib["functionName"] == "classification":
            assert self.model.attrib["normalizationMethod"] == "logit"
            (positive, score), (other, none) = sums.items()
            assert none == 0
            share = 1 / (1 + math.exp(-score))
            return {positive: share, other: 1 - share}
        (found,) = sums.values()
        for target in self._all(self.model, "Target"):
            found = min(max(found, float(target.get("min", "-inf"))), float(target.get("max", "inf")))
        return found

    def Scorecard(self, values: Row) -> Any:  # noqa: N802
        total = float(self.model.attrib["initialScore"])
        for each in self._all(self.model, "Characteristic"):
            total += next(
                float(attribute.attrib["partialScore"])
                for attribute in self._own(each, "Attribute")
                if self._holds(attribute[0], values)
            )
        return 1 / (1 + math.exp(-total))

    def _holds(self, predicate: Any, values: Row) -> bool:
        kind = predicate.tag.removeprefix(NAMESPACE)
        if kind == "True":
            return True
        if kind == "CompoundPredicate":
            return all(self._holds(each, values) for each in predicate)
        value, stated = values[predicate.attrib["field"]], predicate.attrib["value"]
        match predicate.attrib["operator"]:
            case "equal":
                return bool(value == stated)
            case "lessThan":
                return bool(value < float(stated))
            case "greaterOrEqual":
                return bool(value >= float(stated))
        raise AssertionError

    def NaiveBayesModel(self, values: Row) -> Any:  # noqa: N802
        (output,) = self._own(self.model, "BayesOutput")
        found = {each.attrib["value"]: float(each.attrib["count"]) for each in self._all(output, "TargetValueCount")}
        for line in self._all(self.model, "BayesInput"):
            value = values[line.attrib["fieldName"]]
            for stat in self._all(line, "TargetValueStat"):
                mean, variance = (float(stat[0].attrib[name]) for name in ("mean", "variance"))
                density = math.exp(-((value - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
                found[stat.attrib["value"]] *= density
            pairs = self._own(line, "PairCounts")
            if not pairs:
                continue
            for bins in self._all(line, "DiscretizeBin"):
                ends = bins[0].attrib
                if (
                    float(ends.get("leftMargin", "-inf"))
                    <= values[line.attrib["fieldName"]]
                    < float(ends.get("rightMargin", "inf"))
                ):
                    value = bins.attrib["binValue"]
            counts = {
                pair.attrib["value"]: {
                    each.attrib["value"]: float(each.attrib["count"]) for each in self._all(pair, "TargetValueCount")
                }
                for pair in pairs
            }
            for label in found:
                found[label] *= counts[value][label] / sum(each[label] for each in counts.values())
        whole = sum(found.values())
        return {label: share / whole for label, share in found.items()}

    def ClusteringModel(self, values: Row) -> Any:  # noqa: N802
        fields = self._own(self.model, "ClusteringField")
        assert self.model[1][0].tag == f"{NAMESPACE}squaredEuclidean"

        def apart(cluster: Any) -> float:
            centre = map(float, cluster[0].text.split())
            return sum(
                float(field.attrib["fieldWeight"]) * (values[field.attrib["field"]] - own) ** 2
                for field, own in zip(fields, centre, strict=True)
            )

        return min(self._own(self.model, "Cluster"), key=apart).attrib["id"]
