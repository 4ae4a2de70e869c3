"""A sum of several institutions: who took part, what each signed and was charged, found again from the messages.

It shares no code with `dprelease.extras.federation`, which makes them: this is written from docs/federation.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from dprelease.bundle.entry import ProvenLine
from dprelease.bundle.history import History
from dprelease.bundle.outputs import ROUND_FILES, ROUND_FOLDER, ROUND_STEPS
from dprelease.bundle.signing import PublicKey
from dprelease.errors import IntegrityError
from dprelease.extras.federation.checks.masked_noise import check_follows, check_noise
from dprelease.model.certificate import Certificate
from dprelease.model.encoding import canonical, digest, read_json
from dprelease.model.release import Output
from dprelease.model.stated import StatedRound, StatedSite
from dprelease.verdict.ledger_checks import paid_for
from dprelease.words import phrase, quoted

ROSTER, OFFER, KEY, KEYS, MASKED, SUM, ACCOUNT = ROUND_STEPS
PROPOSED, PLAN, TOTAL = ROUND_FILES
HASH = re.compile(r"[0-9a-f]{64}")
SIGNED = re.compile(r"[0-9a-f]{128}")
MIN_SITES = 2
WORD = 8
"""Bytes of an integer of the sum, the least significant first."""
Message = Mapping[str, Any]


def check_masked(certificate: Certificate, outputs: Mapping[str, Output], files: Mapping[str, bytes]) -> None:
    """Raises IntegrityError unless all that is stated of the round follows from its files, and the tables from its sum.

    Nothing where the release is of one institution. `files`: those of the round by their paths in the bundle. Held are:
    the roster, with a signature of each site; plan and attempt; the id of the round; keys with the charges; the list of
    keys, the hashes of the masked vectors and the sum, which every site signed; each charge by a checkpoint of the
    site's own ledger; the noise and the losses; the tables.
    """
    several = certificate.several
    if several is None:
        return
    round_ = _Files(several, files)
    _check_roster(several, round_)
    _check_plan(certificate, several, round_)
    _check_steps(several, round_)
    _check_accounts(several, round_)
    if (certificate.ledger.hash, certificate.loss.rho_nano) != (several.sites[0].charge, _rho(several)):
        raise IntegrityError(phrase("verdict.masked_own_charge", site=several.sites[0].name))
    check_noise(certificate, several)
    integers = _integers(round_.file(TOTAL), several)
    check_follows(certificate, outputs, integers)


class _Files:
    """The files of a round, each message read and its signature checked."""

    def __init__(self, several: StatedRound, files: Mapping[str, bytes]) -> None:
        self._several, self._files = several, files

    def file(self, name: str) -> bytes:
        try:
            return self._files[f"{ROUND_FOLDER}{name}"]
        except KeyError:
            raise IntegrityError(phrase("verdict.masked_missing", name=quoted(name))) from None

    def messages(self, step: str) -> list[tuple[StatedSite, Message, str]]:
        """Return each site's message of a step with its signature, in the order of the roster."""
        return [(site, *self._signed(site, f"{n}.{step}.json")) for n, site in enumerate(self._several.sites, start=1)]

    def _signed(self, site: StatedSite, name: str) -> tuple[Message, str]:
        data, wrong = self.file(name), IntegrityError(phrase("verdict.masked_unsigned", name=name, site=site.name))
        try:
            value = read_json(data, name, whole=True)
            if value.keys() != {"message", "signer", "signature"} or canonical(value) != data:
                raise wrong
            if value["signer"] != site.key or not SIGNED.fullmatch(value["signature"]):
                raise wrong
            PublicKey.of(site.key).check(bytes.fromhex(value["signature"]), canonical(value["message"]))
        except (IntegrityError, TypeError, ValueError):
            raise wrong from None
        message = value["message"]
        if not isinstance(message, dict):
            raise wrong
        return message, value["signature"]


def _check_roster(several: StatedRound, files: _Files) -> None:
    names, keys = ({getattr(site, part) for site in several.sites} for part in ("name", "key"))
    count = len(several.sites)
    if len(names) != count or len(keys) != count or count < MIN_SITES:
        raise IntegrityError(phrase("verdict.masked_twice"))
    if not (several.lost_sites < count and 1 <= several.max_sites <= count):
        raise IntegrityError(phrase("verdict.masked_roster"))
    roster = {
        "dprelease_federation": 1,
        "name": several.name,
        "sites": [{"name": site.name, "key": site.key} for site in several.sites],
        "lost_sites": several.lost_sites,
        "max_sites": several.max_sites,
    }
    if digest(roster) != several.roster or files.file(PROPOSED) != canonical(roster):
        raise IntegrityError(phrase("verdict.masked_roster"))
    for site, message, _ in files.messages(ROSTER):
        if canonical(message) != canonical(roster):
            raise IntegrityError(phrase("verdict.masked_other_roster", site=site.name))


def _check_plan(certificate: Certificate, several: StatedRound, files: _Files) -> None:
    """Check the plan. The name of the dataset is each site's own, and no part of what they agreed on."""
    parts = [{"cells": each.cells, "l2_squared": each.l2_squared, "rho_nano": each.rho_nano} for each in several.shares]
    plan = {"plan": digest({**certificate.plan, "dataset": ""}), "parts": parts}
    if digest(plan) != several.plan or files.file(PLAN) != canonical({**plan, "attempt": several.attempt}):
        raise IntegrityError(phrase("verdict.masked_plan"))


def _check_steps(several: StatedRound, files: _Files) -> None:
    """Check that each message states what it has to, and nothing else; the chain goes from the nonces to the sum."""
    base = {"federation": several.roster, "plan": several.plan, "attempt": several.attempt}
    nonces = _free(files, OFFER, base, ("nonce",))
    own = {"dprelease_round": 1, **base, "nonces": [each["nonce"] for each in nonces]}
    if digest(own) != several.round:
        raise IntegrityError(phrase("verdict.masked_round"))
    base |= {"round": several.round}
    keys = _free(files, KEY, base, ("key", "charge"))
    paying: dict[str, str] = {}
    for site, each in zip(several.sites, keys, strict=True):
        if each["charge"] != site.charge:
            raise IntegrityError(phrase("verdict.masked_charge", site=site.name))
        if (one := paying.setdefault(site.charge, site.name)) != site.name:
            raise IntegrityError(phrase("verdict.masked_one_charge", one=one, other=site.name, charge=site.charge))
    if len({each["key"] for each in keys}) != len(keys):
        raise IntegrityError(phrase("verdict.masked_twice"))
    signed = [{"message": digest(message), "signature": signature} for _, message, signature in files.messages(KEY)]
    listed = {**base, "keys": digest(signed)}
    _free(files, KEYS, listed, ())
    cells = sum(each.cells for each in several.shares)
    vectors = _free(files, MASKED, {**listed, "cells": cells}, ("masked",))
    if several.sum != sha256(files.file(TOTAL)).hexdigest():
        raise IntegrityError(phrase("verdict.masked_sum"))
    told = {"cells": cells, "masked": [each["masked"] for each in vectors], "sum": several.sum}
    _free(files, SUM, {**base, **told}, ())


def _free(files: _Files, step: str, fixed: Message, free: Sequence[str]) -> list[Message]:
    """Return the messages of a step, where each has the fixed fields as they are here, and hashes in the free ones."""
    found = []
    for site, message, _ in files.messages(step):
        own = {"dprelease_round": 1, "kind": step, "site": site.name, **fixed}
        own |= {name: message.get(name) for name in free}
        hashes = all(isinstance(own[name], str) and HASH.fullmatch(own[name]) for name in free)
        if not hashes or canonical(message) != canonical(own):
            raise IntegrityError(phrase("verdict.masked_message", step=step, site=site.name))
        found.append(message)
    return found


def _check_accounts(several: StatedRound, files: _Files) -> None:
    """Check that every site was charged the whole loss for this very attempt, in a checkpoint of its own ledger."""
    fixed = {"federation": several.roster, "plan": several.plan, "attempt": several.attempt, "round": several.round}
    ledgers: dict[str, str] = {}
    for site, message, _ in files.messages(ACCOUNT):
        own = {"dprelease_round": 1, "kind": ACCOUNT, "site": site.name, **fixed, "sum": several.sum}
        told = message.get("ledger")
        if not isinstance(told, dict) or canonical(message) != canonical({**own, "ledger": told}):
            raise IntegrityError(phrase("verdict.masked_message", step=ACCOUNT, site=site.name))
        try:
            ledger = _charged(several, site, dict(told))
        except IntegrityError as cause:
            raise IntegrityError(phrase("verdict.masked_account", site=site.name, cause=cause)) from None
        if ledger in ledgers:
            raise IntegrityError(phrase("verdict.masked_one_ledger", one=ledgers[ledger], other=site.name))
        ledgers[ledger] = site.name


def _charged(several: StatedRound, site: StatedSite, told: dict[str, Any]) -> str:
    """Return the ledger in which a site's charge stands. Raises IntegrityError where it does not, or is another one."""
    line, history = ProvenLine.read(told.pop("charge", None), "charge"), History.read(told)
    history.check()
    line.check(history.checkpoint)
    event = line.event
    loss = {"epsilon_nano": 0, "rho_nano": _rho(several), "delta_atto": 0}
    paid = (line.hash, event["kind"], line.facts.get("round"))
    if paid != (site.charge, "charge", paid_for(several)) or canonical(event["loss"]) != canonical(loss):
        raise IntegrityError(phrase("verdict.masked_charge", site=site.name))
    if site.key not in history.signers:
        raise IntegrityError(phrase("verdict.masked_stranger"))
    return history.checkpoint.workspace


def _rho(several: StatedRound) -> int:
    return sum(each.rho_nano for each in several.shares)


def _integers(data: bytes, several: StatedRound) -> list[int]:
    cells = sum(each.cells for each in several.shares)
    if len(data) != WORD * cells:
        raise IntegrityError(phrase("verdict.masked_sum"))
    return [int.from_bytes(data[at : at + WORD], "little", signed=True) for at in range(0, len(data), WORD)]
