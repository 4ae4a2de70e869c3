"""The rounds of several sites that this workspace has a folder of: how far each is, and its files in and out.

They are the folders in `private/rounds/`, the same that a served workspace gives sites over HTTP.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation.envelope import MAX_BYTES, Signed
from dprelease.extras.federation.folder import BUNDLE, KINDS, NUMBERED, PLAN, PROPOSED, ROSTER, TOTAL, RoundFolder
from dprelease.extras.federation.messages import ACCOUNT, KEY, KEYS, MASKED, OFFER, SUM, VOID
from dprelease.extras.federation.noise import RoundPlan, loss_by_colluders, spreads
from dprelease.extras.federation.post import MAX_BUNDLE, BehindError, Post
from dprelease.extras.federation.roster import MAX_SITES, Federation, Site
from dprelease.extras.federation.round_plans import check_reached, round_plan
from dprelease.model.actor import Actor
from dprelease.model.encoding import read_json
from dprelease.statistics.planning.price import Price, price_of
from dprelease.store import datasets, plans, populations, summed
from dprelease.store.releases import ReleaseState
from dprelease.verdict.verify import verify
from dprelease.words import phrase, quoted
from dprelease.workspace.operations import Operations
from dprelease.workspace.state import State

ROUNDS = "rounds"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
STEPS = (ROSTER, OFFER, KEY, KEYS, MASKED, SUM, ACCOUNT)
"""In the order in which a site sends them."""
VECTOR = re.compile(rf"[1-9][0-9]{{0,2}}\.{MASKED}\.u64")
MAX_FILES = MAX_SITES * (len(KINDS) + 1) + 4
EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class SiteStanding:
    """One site of a round. `step`: the last message of it that is there, one of `STEPS` or `void`; empty for none."""

    site: Site
    is_own: bool
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStatus:
    """State of a round, from its files alone; no signature of the other sites is trusted for anything by it."""

    name: str
    folder: Path
    federation: Federation
    sites: tuple[SiteStanding, ...]
    plan: RoundPlan | None
    attempt: int
    deviations: tuple[float, ...]
    """Standard deviations of the noise in the sum, by part of the plan."""
    losses: tuple[tuple[int, int], ...]
    """Pairs of c dishonest sites, and the ρ in 10^-9 that is left then."""
    void_by: str
    """The site that made it void; empty where none did."""
    charge: str
    """The hash of the event by which this site was charged; empty before."""
    release: str
    """The id of what was published here; empty before."""

    @property
    def own(self) -> SiteStanding | None:
        """This workspace's site; None where the roster names none."""
        return next((each for each in self.sites if each.is_own), None)

    def missing(self, step: str) -> tuple[str, ...]:
        """Return the sites that have not come to a step yet."""
        late = STEPS[: STEPS.index(step)]
        return tuple(each.site.name for each in self.sites if each.step in ("", *late))


class RoundFiles(Operations):
    """The operations on the folders of rounds, by their names."""

    def rounds(self, *, actor: Actor | None = None) -> tuple[str, ...]:
        """Return the names of all rounds that are here."""
        self._act("rounds", actor)
        if self._state.home is None:
            return ()
        found = self._state.home.private / ROUNDS
        return tuple(sorted(each.name for each in found.glob("*") if each.is_dir() and NAME.fullmatch(each.name)))

    def round_folder(self, name: str, *, actor: Actor | None = None) -> Path:
        """Return the path of a round, present or not. Raises InputError for a name that cannot stand in an address."""
        self._act("rounds", actor)
        return _folder(self._state, name).path

    def standing(self, name: str, *, actor: Actor | None = None) -> RoundStatus:
        """Return the state of a round. Raises IntegrityError where a file is not as a site signed it."""
        self._act("rounds", actor)
        shared, ours = _folder(self._state, name), set(self._state.keys.fingerprints())
        federation = shared.proposed()
        signers = {kind: {each.signer for each in shared.messages(kind)} for kind in (*STEPS, VOID)}
        sites = tuple(
            SiteStanding(
                site, site.key in ours, next((s for s in (VOID, *reversed(STEPS)) if site.key in signers[s]), "")
            )
            for site in federation.sites
        )
        plan, attempt = shared.plan() if shared.has_plan else (None, 1)
        charge = next((str(m.message.get("charge")) for m in shared.messages(KEY) if m.signer in ours), "")
        return RoundStatus(
            name=name,
            folder=shared.path,
            federation=federation,
            sites=sites,
            plan=plan,
            attempt=attempt,
            deviations=() if plan is None else tuple(spreads(federation, plan)),
            losses=() if plan is None else tuple(loss_by_colluders(federation, plan)),
            void_by=next((each.site.name for each in sites if each.step == VOID), ""),
            charge=charge,
            release=_released(self._state, charge),
        )

    def create_federation(self, name: str, federation: Federation, *, actor: Actor | None = None) -> Path:
        """Begin a round with a roster that sites are asked to sign, and return its folder.

        Raises InputError where there is a round of that name, or the name cannot stand in an address.
        """
        self._act("create_federation", actor)
        shared = _folder(self._state, name)
        if shared.path.exists():
            raise InputError("round", found=name, allowed=phrase("workspace.new_name_of_round"))
        shared.propose(federation)
        return shared.path

    def take_round_files(self, name: str, files: Mapping[str, bytes], *, actor: Actor | None = None) -> tuple[str, ...]:
        """Take files of a round by their names, or a zip of them, and return the names of what is new.

        Each is checked as a server does it. Raises InputError for what is no such file, IntegrityError for what no
        site signed, or is not of this round. What came before the first that is refused stays.
        """
        self._act("take_round_files", actor)
        shared, found = _folder(self._state, name), _unpacked(files)
        if PROPOSED in found:
            shared.propose(_proposed(found[PROPOSED]))
        post, new = Post(shared), []
        federation = post.federation
        for each in sorted(found.keys() - {PROPOSED, TOTAL}, key=_order):
            path, data = shared.path / each, found[each]
            if VECTOR.fullmatch(each) or (path.exists() and path.read_bytes() == data):
                continue
            if each == PLAN:
                post.take_plan(data)
            elif each == BUNDLE:
                _take_bundle(post, federation, data)
            else:
                _take(post, each, data, found)
            new.append(each)
        return tuple(new)

    def round_files(self, name: str, *, actor: Actor | None = None) -> bytes:
        """Return all files of a round in a zip, for the other sites: masked vectors are among them."""
        self._act("round_files", actor)
        shared, buffer = _folder(self._state, name), BytesIO()
        shared.proposed()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(shared.path.iterdir(), key=lambda each: each.name):
                if _is_known(path.name):
                    archive.writestr(zipfile.ZipInfo(path.name, EPOCH), path.read_bytes())
        return buffer.getvalue()

    def foreseen_sum(self, name: str, plan_id: str, *, actor: Actor | None = None) -> Price:
        """Price a plan with the noise of all sites of a round: how far off its sum is expected to be. Reads no row.

        Raises PlanError where not all of it is a sum, or a target error is not reached.
        """
        self._act("foreseen_sum", actor)
        record = plans.get(self._state.database, plan_id)
        dataset, _ = datasets.get(self._state.database, record.dataset)
        population = populations.get(self._state.database, dataset.population)
        price = price_of(record.plan, population.currency, population.discovers)
        federation = _folder(self._state, name).proposed()
        return check_reached(price, federation, round_plan(price, record.mapping))


def _folder(state: State, name: str) -> RoundFolder:
    if state.home is None:
        allowed = phrase("workspace.workspace_disk_round")
        raise InputError("home", found=phrase("workspace.workspace_memory"), allowed=allowed)
    if not NAME.fullmatch(name):
        raise InputError("round", found=quoted(name), allowed=phrase("workspace.name_of_round"))
    return RoundFolder(state.home.private / ROUNDS / name)


def _released(state: State, charge: str) -> str:
    if not charge:
        return ""
    try:
        found = summed.of_charge(state.database, summed.charge_of(state.database, charge))
    except IntegrityError:
        return ""  # the folder came from elsewhere; whoever goes on is told
    return found.id if found is not None and found.state is ReleaseState.PUBLISHED else ""


def _proposed(data: bytes) -> Federation:
    return Federation.from_mapping(read_json(data, PROPOSED, whole=True))


def _take(post: Post, name: str, data: bytes, found: Mapping[str, bytes]) -> None:
    """Take one message, after the vector that it is about. Raises IntegrityError where it is another's."""
    signed = Signed.from_bytes(data, name)
    if post.check(signed) != name:
        raise IntegrityError(phrase("federation.no_message", name=quoted(name)))
    if signed.message.get("kind") == MASKED:
        vector = found.get(post.vector(signed.signer).name, b"")
        try:
            post.take_piece(signed.signer, 0, vector)
        except BehindError as behind:  # a part came over HTTP before
            post.take_piece(signed.signer, behind.received, vector[behind.received :])
    post.take(data)


def _take_bundle(post: Post, federation: Federation, data: bytes) -> None:
    """Take the release, once it verifies and the first site signed it."""
    first = federation.sites[0].key
    with TemporaryDirectory() as folder:
        path = Path(folder) / BUNDLE
        path.write_bytes(data)
        verify(path, key=first)
    post.take_bundle(first, 0, len(data), sha256(data).hexdigest(), data)


def _unpacked(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files by name, zips unpacked. Raises InputError for anything that is no file of a round, or too long."""
    found: dict[str, bytes] = {}
    for name, data in files.items():
        if name.endswith(".zip") and name != BUNDLE:
            found |= _zipped(name, data)
        else:
            found[_checked(name, len(data))] = data
    return found


def _zipped(name: str, data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = [each for each in archive.infolist() if not each.is_dir()]
            if len(entries) > MAX_FILES:
                raise InputError("file", found=len(entries), allowed=phrase("workspace.file_of_round"))
            names = [_checked(PurePosixPath(each.filename).name, each.file_size) for each in entries]
            return {each: archive.read(entry) for each, entry in zip(names, entries, strict=True)}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
        raise InputError("file", found=quoted(name), allowed=phrase("workspace.file_of_round")) from None


def _checked(name: str, size: int) -> str:
    longest = MAX_BUNDLE if name in (BUNDLE, TOTAL) or VECTOR.fullmatch(name) else MAX_BYTES
    if not _is_known(name) or size > longest:
        raise InputError("file", found=quoted(name), allowed=phrase("workspace.file_of_round"))
    return name


def _is_known(name: str) -> bool:
    return name in (PROPOSED, PLAN, TOTAL, BUNDLE) or bool(NUMBERED.fullmatch(name) or VECTOR.fullmatch(name))


def _order(name: str) -> tuple[int, int, str]:
    """Return the sort key of a file: the rosters, the plan, then step by step; the release last."""
    if name in (PLAN, BUNDLE):
        return (1, 0, name) if name == PLAN else (len(KINDS) + 1, 0, name)
    kind = name.split(".")[1]
    return (0 if kind == ROSTER else KINDS.index(kind) + 1, int(name.split(".")[0]), name)
