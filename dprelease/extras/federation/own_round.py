"""One site's part in a round. Each step is kept before it is told, and asked again gives the same bytes, or refuses.

offer -> key (charged before) -> agree on the list of keys -> contribute, once -> co-sign the sum; or void, for ever.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.bundle.signing import SigningKey, store_secret, sync_folder
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation import masks
from dprelease.extras.federation.envelope import Signed
from dprelease.extras.federation.messages import ACCOUNT, KEY, KEYS, MASKED, OFFER, SUM, VOID, is_hash, sign
from dprelease.extras.federation.noise import RoundPlan, most, shares_of_noise
from dprelease.extras.federation.roster import Federation, Site
from dprelease.extras.federation.round import Contribution, Round, attempted
from dprelease.mechanisms.mechanism import Integers, clamped
from dprelease.model.encoding import canonical, digest, read_json
from dprelease.words import phrase

CHARGES = "charges"


@dataclass(frozen=True, slots=True)
class Keep:
    """The folder of a site, and in it the one of an attempt. Objects hold nothing: every answer is read from disk."""

    folder: Path
    attempt: str
    """The hash of roster, plan and number of the attempt."""

    def path(self, name: str) -> Path:
        return self.folder / self.attempt / name

    def has(self, name: str) -> bool:
        return self.path(name).exists()

    def read(self, name: str) -> bytes | None:
        """Return the bytes, or None where there are none."""
        try:
            return self.path(name).read_bytes()
        except FileNotFoundError:
            return None

    def message(self, name: str) -> Signed | None:
        """Return the signed message, or None. Raises IntegrityError where it was altered."""
        data = self.read(name)
        return None if data is None else Signed.from_bytes(data, name)

    def once(self, name: str, made: Callable[[], bytes]) -> bytes:
        """Return the data stored first under a name; make and store it if there is none. Of two at once, one writes."""
        found = self.read(name)
        if found is not None:
            return found
        data = made()
        try:
            store_secret(self.path(name), data)
        except FileExistsError:
            return self.path(name).read_bytes()
        return data

    def remove(self, name: str) -> None:
        """Remove it, durably; nothing happens where it is not there."""
        path = self.path(name)
        path.unlink(missing_ok=True)
        if path.parent.exists():
            sync_folder(path.parent)

    def charged(self, charge: str) -> None:
        """Keep the event of a ledger for this attempt. Raises IntegrityError where it paid for another one."""
        path = self.folder / CHARGES / charge
        try:
            store_secret(path, self.attempt.encode())
        except FileExistsError:
            if path.read_bytes() != self.attempt.encode():
                raise IntegrityError(phrase("federation.charge_used", charge=charge)) from None


BEGUN, SECRET, VECTOR, END, HEEDED = "begun.json", "secret", "masked.u64", "end.json", "heeded.json"


@dataclass(frozen=True, slots=True)
class OwnRound:
    """One site's work in one attempt at a plan. All it knows stands in `folder`, which is the site's alone.

    Raises InputError or PlanError at once where the plan cannot be: before anything is charged.
    """

    key: SigningKey = field(repr=False)
    folder: Path
    federation: Federation
    plan: RoundPlan
    attempt: int = 1

    def __post_init__(self) -> None:
        attempted(self.federation, self.plan, self.attempt)
        shares_of_noise(self.federation, self.plan)
        _ = self.site

    @property
    def site(self) -> Site:
        """Raises IntegrityError where the key is of no site."""
        return self.federation.of_key(self.key.fingerprint)

    @property
    def keep(self) -> Keep:
        return Keep(self.folder, digest(attempted(self.federation, self.plan, self.attempt)))

    @property
    def has_vector(self) -> bool:
        """True if this site's vector is kept: then it is told again, and no integers are looked at."""
        return self.keep.has(VECTOR)

    def offer(self, rosters: Iterable[Signed]) -> Signed:
        """Offer a nonce. Raises IntegrityError unless every site signed the roster."""
        self.federation.check_signed(rosters)
        fields = {**attempted(self.federation, self.plan, self.attempt), "nonce": ""}

        def made() -> bytes:
            return sign(self.key, self.federation, OFFER, {**fields, "nonce": secrets.token_hex(32)}).to_bytes()

        return Signed.from_bytes(self.keep.once(f"{OFFER}.json", made), OFFER)

    def give_key(self, offers: Sequence[Signed], charge: str) -> Signed:
        """Begin the round and give its single-use key. `charge`: the hash of the event that charged the whole plan.

        Charge first, durably: what is charged here is never given back, also where the round becomes void. Raises
        IntegrityError where the offers are not all there, are not those that this site saw first, or the event paid
        for another attempt; InputError where `charge` is no hash.
        """
        begun = Round.begun(self.federation, self.plan, self.attempt, offers)
        own = self.keep.message(f"{OFFER}.json")
        if own is None or own.message["nonce"] != begun.nonces[self.federation.number(self.site.name)]:
            raise IntegrityError(phrase("federation.not_offered", site=self.site.name))
        if not is_hash(charge):
            raise InputError("charge", found=charge, allowed=phrase("federation.hash"))
        seen = self.keep.once(BEGUN, lambda: canonical({"nonces": list(begun.nonces)}))
        if seen != canonical({"nonces": list(begun.nonces)}):
            raise IntegrityError(phrase("federation.second_round"))
        self._refuse_void(begun)
        self.keep.charged(charge)

        def made() -> bytes:
            secret = masks.RoundKey.from_bytes(self.keep.once(SECRET, lambda: masks.RoundKey().to_bytes()))
            fields = {**begun.fields, "key": secret.public, "charge": charge}
            return sign(self.key, self.federation, KEY, fields).to_bytes()

        given = Signed.from_bytes(self.keep.once(f"{KEY}.json", made), KEY)
        if given.message["charge"] != charge:
            raise IntegrityError(phrase("federation.charged_twice", charge=given.message["charge"]))
        return given

    @property
    def round(self) -> Round:
        """The round that began here. Raises IntegrityError where none did."""
        seen = self.keep.read(BEGUN)
        if seen is None:
            raise IntegrityError(phrase("federation.not_begun", site=self.site.name))
        nonces = read_json(seen, BEGUN)["nonces"]
        return Round(self.federation, self.plan, self.attempt, tuple(nonces))

    def agree(self, keys: Sequence[Signed]) -> Signed:
        """Sign the list of all K keys, once.

        Raises IntegrityError where this site's own is not in it, or another list was signed before.
        """
        begun = self.round
        self._refuse_void(begun)
        fields = begun.listed(keys)
        own = self.keep.message(f"{KEY}.json")
        if own is None or own.to_bytes() not in [each.to_bytes() for each in keys]:
            raise IntegrityError(phrase("federation.not_own_key", site=self.site.name))
        made = sign(self.key, self.federation, KEYS, fields)
        if self.keep.once(f"{KEYS}.json", made.to_bytes) != made.to_bytes():
            raise IntegrityError(phrase("federation.second_list"))
        return made

    def contribute(self, values: Integers, keys: Sequence[Signed], agreements: Sequence[Signed]) -> Contribution:
        """Add this site's share of noise and the masks; one vector for each round, ever.

        Asked again, it gives the same bytes whatever the values are now: nothing is drawn or read a second time. The
        round's key is destroyed when the vector is kept. Raises IntegrityError unless all sites signed one list of
        keys, and where the round is void or its key is gone; InputError where the values are not integers in as many
        cells as the plan has.
        """
        begun = self.round
        self._refuse_void(begun)
        begun.check_listed(keys, agreements)
        if self.agree(keys).to_bytes() not in [each.to_bytes() for each in agreements]:
            raise IntegrityError(phrase("federation.second_list"))
        vector = self.keep.once(VECTOR, lambda: self._masked(values, begun, keys))
        self.keep.remove(SECRET)
        self._refuse_void(begun)
        fields = begun.masked(keys, vector)
        signed = self.keep.once(f"{MASKED}.json", lambda: sign(self.key, self.federation, MASKED, fields).to_bytes())
        sent = Contribution(Signed.from_bytes(signed, MASKED), vector)
        if sent.hash != sent.signed.message["masked"]:
            raise IntegrityError(phrase("federation.vector", site=self.site.name))
        return sent

    def _masked(self, values: Integers, begun: Round, keys: Sequence[Signed]) -> bytes:
        secret = self.keep.read(SECRET)
        if secret is None:
            kept = self.keep.read(VECTOR)  # by another process, which then destroyed the key
            if kept is None:
                raise IntegrityError(phrase("federation.key_gone", site=self.site.name))
            return kept
        own = checked(values, self.plan.cells)
        bound = most(self.federation)
        parts = np.split(np.clip(clamped(own), -bound, bound), np.cumsum([each.cells for each in self.plan.parts])[:-1])
        noise = zip(shares_of_noise(self.federation, self.plan), parts, strict=True)
        noisy = np.concatenate([mechanism.release(part) for mechanism, part in noise])
        public = {place: str(each.message["key"]) for place, each in enumerate(begun.read_keys(keys))}
        place = self.federation.number(self.site.name)
        return masks.to_bytes(masks.masked(noisy, masks.RoundKey.from_bytes(secret), place, public, begun.id))

    def cosign(self, keys: Sequence[Signed], contributions: Sequence[Contribution]) -> tuple[Signed, NDArray[np.int64]]:
        """Add up all vectors and sign the sum. From then on this site makes the round void no more.

        Raises IntegrityError as `Round.combine`, and where this site's own vector is not the one that it sent.
        """
        begun = self.round
        self._refuse_void(begun)
        total = begun.combine(keys, contributions)
        own = self.keep.read(f"{MASKED}.json")
        if own is None or own not in [each.signed.to_bytes() for each in contributions]:
            raise IntegrityError(phrase("federation.not_own_vector", site=self.site.name))
        masked = begun.read_masked(keys, [each.signed for each in contributions])
        made = sign(self.key, self.federation, SUM, begun.summed(masked, total))
        end = self.keep.once(END, made.to_bytes)
        if end != made.to_bytes():
            self._refuse_void(begun)
            raise IntegrityError(phrase("federation.second_sum"))
        return made, total

    def account(self, total: NDArray[np.int64], ledger: Callable[[], Mapping[str, Any]]) -> Signed:
        """Sign an account of this site's charge in the ledger; asked again, the same. `ledger`: asked if none is kept.

        Raises IntegrityError where this site did not co-sign that sum.
        """
        fields = self.round.accounted(total)
        end = self.keep.message(END)
        if end is None or end.message.get("sum") != fields["sum"]:
            raise IntegrityError(phrase("federation.not_cosigned", site=self.site.name))

        def made() -> bytes:
            return sign(self.key, self.federation, ACCOUNT, {**fields, "ledger": dict(ledger())}).to_bytes()

        return Signed.from_bytes(self.keep.once(f"{ACCOUNT}.json", made), ACCOUNT)

    def make_void(self) -> Signed:
        """End the round without a result, for ever, and destroy its key. What was charged stays charged.

        Raises IntegrityError where this site co-signed the sum already.
        """
        begun = self.round
        end = self.keep.once(END, lambda: sign(self.key, self.federation, VOID, begun.fields).to_bytes())
        made = Signed.from_bytes(end, VOID)
        if made.message["kind"] != VOID:
            raise IntegrityError(phrase("federation.done", site=self.site.name))
        self._forget()
        return made

    def heed(self, message: Signed) -> None:
        """Keep that another site made the round void: from now on nothing is sent for it, nor signed.

        Raises IntegrityError where the message does not say so of this round.
        """
        self.round.read_void(message)
        self.keep.once(HEEDED, message.to_bytes)
        self._forget()

    def _forget(self) -> None:
        for name in (SECRET, VECTOR):
            self.keep.remove(name)

    @property
    def void(self) -> Signed | None:
        """The message that made the round void, this site's or another's, as it is kept here; else None."""
        kept = (self.keep.message(name) for name in (HEEDED, END))
        return next((each for each in kept if each is not None and each.message.get("kind") == VOID), None)

    def _refuse_void(self, begun: Round) -> None:
        if (message := self.void) is not None:
            raise IntegrityError(phrase("federation.void", site=begun.read_void(message)))


def checked(values: Integers, cells: int) -> Integers:
    """Return the values, where they are integers in so many cells. Raises InputError, which quotes none of them."""
    found = np.asarray(values)
    whole = found.dtype.kind in "iu" or (found.dtype == object and all(type(each) is int for each in found.ravel()))
    if not whole or found.shape != (cells,):
        said = phrase("federation.array", type=str(found.dtype), shape="×".join(map(str, found.shape)) or "0")
        raise InputError("values", found=said, allowed=phrase("federation.integers", cells=cells))
    return found if found.dtype.kind == "i" else found.astype(object)
