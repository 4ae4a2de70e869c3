"""This workspace as a site of a federation: its plan, charge, rows and key, in rounds over a folder.

What a site tells is made by the modules of messages; this gives them the integers, and charges before it reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dprelease.bundle.signing import SigningKey
from dprelease.errors import InputError, PlanError
from dprelease.extras.federation.check import Finished, check, refuse_void
from dprelease.extras.federation.folder import ROSTER, RoundFolder
from dprelease.extras.federation.messages import ACCOUNT, KEY, KEYS, MASKED, OFFER, SUM, VOID
from dprelease.extras.federation.noise import RoundPlan
from dprelease.extras.federation.own_round import BEGUN, OwnRound
from dprelease.extras.federation.roster import Federation
from dprelease.extras.federation.round import Round
from dprelease.extras.federation.round_files import RoundFiles
from dprelease.extras.federation.round_plans import answered, check_reached, noisier, round_plan
from dprelease.extras.federation.round_release import made, taken, told_of_charge, zipped
from dprelease.model.actor import Actor
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset, Population
from dprelease.model.release import Output, Release
from dprelease.statistics.planning.price import Price, price_of
from dprelease.store import datasets, plans, populations, rounds, summed
from dprelease.words import phrase
from dprelease.workspace.jobs import on_the_tick
from dprelease.workspace.plans import ready
from dprelease.workspace.scans import scanned
from dprelease.workspace.state import State

if TYPE_CHECKING:
    from dprelease.extras.federation.carrier import Carrier
    from dprelease.workspace import Workspace

FOLDER = "federations"


def rounds_of(workspace: Workspace) -> Federations:
    """Return the noun of a workspace that has the operations on rounds."""
    found: Federations = workspace.federations
    return found


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a round. `waiting`: the sites whose message of the kind `step` is not there; none at its end."""

    step: str
    waiting: tuple[str, ...]
    release: Release | None = None
    """Published release, at the end of `publish`."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """The result of a finished round: what the plan's statistics publish of the sum, with the noise of all sites."""

    finished: Finished
    answers: Mapping[str, Output]


class Federations(RoundFiles):
    """The operations on rounds of several sites, each over a folder that all of them reach."""

    def join(self, folder: str | Path, *, actor: Actor | None = None) -> Progress:
        """Sign the roster in a folder with this workspace's key.

        Raises IntegrityError where no site has it, InputError where two sites have keys of this workspace.
        """
        self._act("join_federation", actor)
        shared = RoundFolder(Path(folder))
        federation = shared.proposed()
        _key(self._state, federation)
        shared.put(federation, federation.signed(self._state.keys.current))
        return waiting(shared, federation, ROSTER)

    def contribute(
        self,
        folder: str | Path,
        plan: Plan | str,
        *,
        attempt: int = 1,
        paced: bool = False,
        actor: Actor | None = None,
    ) -> Progress:
        """Go as far in a round as the other sites' messages allow; asked again, go on, or tell the same again.

        `paced`: for a server, whose visitors could tell from how long it takes how many rows there are.
        The plan has to be approved here. Its whole price is charged before this site gives its key, and before a row is
        read. Raises PlanError, before any charge, where not all of it is a sum of integers with discrete Gaussian
        noise; IntegrityError where a message is not as it has to be, or the round is void.
        """
        acting = self._act("contribute", actor)
        shared = RoundFolder(Path(folder))
        federation = shared.federation()
        self._state.check_continues()
        site = _Site.of(self._state, federation, ready(self._state, plan, anew=True, actor=actor), attempt)
        check_reached(site.price, federation, site.own.plan)
        shared.put_plan(site.own.plan, attempt)
        return site.go_on(shared, acting, paced=paced)

    def fetch(self, address: str, folder: str | Path, *, actor: Actor | None = None) -> tuple[str, ...]:
        """Fetch what a server has of a round into a folder, and return the names of what is new.

        Raises InputError where it does not answer, IntegrityError where it refuses, or gives what no site signed.
        """
        self._act("fetch_round", actor)
        return self._carrier(address).fetch(RoundFolder(Path(folder)))

    def send(self, address: str, folder: str | Path, *, actor: Actor | None = None) -> tuple[str, ...]:
        """Send this site's messages of a folder to a server, and return the names of what it did not have. Raises as
        `fetch`; sent again, nothing changes."""
        self._act("send_round", actor)
        return self._carrier(address).send(RoundFolder(Path(folder)))

    def _carrier(self, address: str) -> Carrier:
        """Return a carrier with the key that the server's roster names."""
        from dprelease.extras.federation.carrier import Carrier  # what asks a web address is loaded where one is asked

        return Carrier(address, _key(self._state, Carrier(address, None).roster()))

    def make_void(self, folder: str | Path, *, actor: Actor | None = None) -> str:
        """End a round without a result, for ever, and return its id. What was charged stays charged."""
        self._act("make_void", actor)
        shared = RoundFolder(Path(folder))
        federation, (plan, attempt) = shared.federation(), shared.plan()
        own = _own(self._state, federation, plan, attempt)
        shared.put(federation, own.make_void())
        return own.round.id

    def combine(self, folder: str | Path, plan: Plan | str, *, actor: Actor | None = None) -> RoundResult:
        """Check all files of a finished round, and what the plan's statistics publish of its sum. Charges nothing.

        Raises IntegrityError where something is missing or wrong, or the round was of another plan.
        """
        self._act("combine", actor)
        shared = RoundFolder(Path(folder))
        finished = check(shared)
        site = self._site_of(finished, plan, actor)
        return RoundResult(finished, answered(site.price, finished))

    def publish(self, folder: str | Path, plan: Plan | str, *, actor: Actor | None = None) -> Progress:
        """Make the sum of a finished round a release, the same in every site's workspace; charges nothing.

        Each site first tells where its ledger shows its charge. Once all did, the first site of the roster writes and
        signs the bundle; the others verify that and take it. Asked again, it goes on, or gives the same release.
        Raises IntegrityError where something is missing or wrong, PlanError where the round was of another plan.
        """
        acting = self._act("publish_round", actor)
        self._state.check_continues()
        shared = RoundFolder(Path(folder))
        finished = check(shared)
        site, federation = self._site_of(finished, plan, actor), finished.round.federation
        charge = summed.charge_of(self._state.database, finished.charges[site.own.site.name])
        told = site.own.account(finished.total, lambda: told_of_charge(self._state, charge))
        shared.put(federation, told)
        if (found := waiting(shared, federation, ACCOUNT)).waiting:
            return found
        finished.round.read_accounts(finished.total, shared.messages(ACCOUNT))
        first, files = federation.sites[0], shared.public()
        if site.own.site == first:
            price = noisier(site.price, finished.spreads)
            release = made(self._state, charge, price, finished, files, acting)
            shared.put_bundle(zipped(release))
        elif shared.bundle is None:
            return Progress("bundle", (first.name,))
        else:
            release = taken(self._state, charge, shared.bundle, finished, files, acting)
        return Progress("bundle", (), release)

    def _site_of(self, finished: Finished, plan: Plan | str, actor: Actor | None) -> _Site:
        """Return this site in a finished round. Raises PlanError where that was of another plan."""
        federation, attempt = finished.round.federation, finished.round.attempt
        site = _Site.of(self._state, federation, ready(self._state, plan, anew=False, actor=actor), attempt)
        if site.own.plan != finished.round.plan:
            raise PlanError("plan", found=phrase("workspace.other_plan"), allowed=phrase("workspace.plan_of_the_round"))
        return site


def waiting(shared: RoundFolder, federation: Federation, step: str) -> Progress:
    """Return the progress: whose message of a kind is not there yet."""
    there = {each.signer for each in shared.messages(step)}
    return Progress(step, tuple(site.name for site in federation.sites if site.key not in there))


def _own(state: State, federation: Federation, plan: RoundPlan, attempt: int) -> OwnRound:
    """Return this workspace's part, with the key that the roster names, whichever signs releases by now."""
    if state.home is None:
        raise InputError(
            "home", found=phrase("workspace.workspace_memory"), allowed=phrase("workspace.workspace_disk_round")
        )
    return OwnRound(_key(state, federation), state.home.private / FOLDER, federation, plan, attempt)


def _key(state: State, federation: Federation) -> SigningKey:
    """Return this workspace's key that a roster names; where it names none, the current one.

    Raises InputError where it names two: one ledger would be charged once for the rows of two sites.
    """
    ours = set(state.keys.fingerprints())
    named = [site for site in federation.sites if site.key in ours]
    if len(named) > 1:
        sites = ", ".join(site.name for site in named)
        raise InputError(
            "sites",
            found=phrase("workspace.sites_of_one_workspace", sites=sites),
            allowed=phrase("workspace.one_site_one_workspace"),
            remedy=phrase("workspace.workspace_each"),
        )
    return state.keys.of(named[0].key) if named else state.keys.current


@dataclass(frozen=True, slots=True)
class _Site:
    """This workspace's part in one attempt."""

    state: State
    own: OwnRound
    plan_id: str
    price: Price
    dataset: Dataset
    location: str
    population: Population

    @classmethod
    def of(cls, state: State, federation: Federation, plan_id: str, attempt: int) -> _Site:
        record = plans.get(state.database, plan_id)
        dataset, location = datasets.get(state.database, record.dataset)
        population = populations.get(state.database, dataset.population)
        price = price_of(record.plan, population.currency, population.discovers)
        own = _own(state, federation, round_plan(price, record.mapping), attempt)
        return cls(state, own, plan_id, price, dataset, location, population)

    def go_on(self, shared: RoundFolder, actor: Actor, *, paced: bool = False) -> Progress:
        federation, own = self.own.federation, self.own
        if (void := own.void) is not None:  # a crash may have kept it from the others
            shared.put(federation, void)
        shared.put(federation, own.offer(shared.messages(ROSTER)))
        if (found := waiting(shared, federation, OFFER)).waiting:
            return found
        self._heed(shared)
        shared.put(federation, own.give_key(shared.messages(OFFER), self._charged(actor)))
        if (found := waiting(shared, federation, KEY)).waiting:
            return found
        keys = shared.messages(KEY)
        shared.put(federation, own.agree(keys))
        if (found := waiting(shared, federation, KEYS)).waiting:
            return found
        shared.put_contribution(federation, own.contribute(self._integers(paced), keys, shared.messages(KEYS)))
        if (found := waiting(shared, federation, MASKED)).waiting:
            return found
        signed, total = own.cosign(keys, shared.contributions(federation))
        shared.put_total(total)
        shared.put(federation, signed)
        return waiting(shared, federation, SUM)

    def _heed(self, shared: RoundFolder) -> None:
        """Keep what others made void; what is refused of it is refused at every later step, too."""
        if self.own.keep.has(BEGUN):
            for message in shared.messages(VOID):
                self.own.heed(message)
        else:
            own = self.own
            refuse_void(shared, Round.begun(own.federation, own.plan, own.attempt, shared.messages(OFFER)))

    def _charged(self, actor: Actor) -> str:
        """Return the hash of the event that charged this attempt, which is made where there is none."""
        given = self.own.keep.message(f"{KEY}.json")
        if given is not None:
            return str(given.message["charge"])
        self.dataset.check(self.price.plan, self.population)
        self.state.check_before_charge(self.location, self.price)
        attempt = self.own.keep.attempt
        return rounds.charge_round(self.state.database, self.plan_id, self.price.loss, attempt, actor=actor).hash

    def _integers(self, paced: bool) -> NDArray[Any]:
        """Return the integers that noise is added to, by mechanism; zeros, unread, where this site's vector is kept."""
        if self.own.has_vector:
            return np.zeros(self.own.plan.cells, dtype=np.int64)
        self.state.noise.require(charged=True)
        with on_the_tick() if paced else nullcontext(), scanned(self.state, self.location, self.price) as inputs:
            given = [np.ravel(values) for each in self.price.measurements for values in inputs[each.id].first]
        return np.concatenate(given)
