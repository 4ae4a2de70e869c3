"""The pictures of a bundle are those of its tables: altered by the key's holder and signed again, they are refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.charts.renderer import installed
from dprelease.errors import IntegrityError
from dprelease.model.encoding import canonical
from dprelease.verdict.redrawn import CLOSE, SAME, PictureDifference, compare
from tests.bundle.entries import key_of
from tests.verdict.forging import published, signed

KEY = key_of(9)
ROOT = Path(__file__).parents[2]
BAR = r'<path d="(M[^"]*)" fill="#0b7a83" />'
Change = Callable[[str], str]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """With so little noise that no count is too noisy to use but once in 10^8 times."""
    return published(tmp_path_factory.mktemp("bundle"), epsilon=4)


def figure(bundle: dict[str, bytes], tag: str, table: str = "n") -> str:
    """The picture on the page: of an `img`, or of the `source` for phones."""
    found = re.search(rf'<{tag} [^>]*data-chart="{table}"[^>]*base64,([^"]*)"', bundle["index.html"].decode())
    assert found is not None
    return found[1]


def with_figure(bundle: dict[str, bytes], tag: str, change: Change) -> dict[str, bytes]:
    """With the picture of the counts changed on the page."""
    before = figure(bundle, tag)
    after = b64encode(change(b64decode(before).decode()).encode()).decode()
    return bundle | {"index.html": bundle["index.html"].decode().replace(before, after).encode()}


def with_file(bundle: dict[str, bytes], change: Change) -> dict[str, bytes]:
    """With the picture of the counts changed in its file."""
    return bundle | {"charts/n.svg": change(bundle["charts/n.svg"].decode()).encode()}


def once(pattern: str, after: str | Callable[[re.Match[str]], str], text: str) -> str:
    return re.sub(pattern, after, text, count=1)


def swapped_bars(text: str) -> str:
    one, other = (found[1] for found in list(re.finditer(BAR, text))[:2])
    return text.replace(one, "?").replace(other, one).replace("?", other)


def hidden(text: str) -> str:
    """Another picture below the bars, where nobody sees it."""
    first = re.search(BAR, text)
    assert first is not None
    return text.replace(first[0], first[0] * 2, 1)


FORGED: dict[str, Change] = {
    "a longer bar": lambda text: once(r"(M[0-9.]*,)([0-9.]+)(h[0-9.]*v)", r"\g<1>10\g<3>", text),
    "bars exchanged": swapped_bars,
    "a bar less": partial(once, BAR, ""),
    "a bar more": lambda text: text.replace("</svg>", '<rect width="80" height="90" fill="#0b7a83" /></svg>'),
    "a bar twice": hidden,
    "labels exchanged": lambda text: text.replace(">a<", ">?<").replace(">b<", ">a<").replace(">?<", ">b<"),
    "another label": lambda text: text.replace(">a<", ">c<"),
    "a label moved": lambda text: once(r'(<text [^>]*transform="translate\([0-9.]*,)([0-9.]*)', r"\g<1>7", text),
    "a shorter interval": lambda text: once(r'(x2=")-?[0-9.]+(" y2="0" stroke="#14201f")', r"\g<1>-1\g<2>", text),
    "hatching": lambda text: once('fill="#0b7a83" />', 'fill="url(#hatched)" />', text),
    "another colour": lambda text: once('fill="#0b7a83"', 'fill="#0b7a84"', text),
    "another width of a line": lambda text: once('stroke-width="1.5"', 'stroke-width="4"', text),
    "nothing to see": lambda text: once('fill="#0b7a83"', 'opacity="0" fill="#0b7a83"', text),
    "a number": lambda text: once(r">[0-9]{2}</text></g></g>", ">99</text></g></g>", text),
    "a sentence": lambda text: text.replace("</svg>", "<text>These numbers are exact.</text></svg>"),
    "a number for those who hear it": lambda text: text.replace('aria-label="', 'aria-label="4321: '),
    "a scale": lambda text: once(r'transform="translate\(', 'transform="scale(1.01) translate(', text),
    "a scale in the place of a move": lambda text: once(r"translate\(", "scale(", text),
    "not a number": lambda text: once(r"(M)[0-9.]+,", r"\1NaN,", text),
    "infinity": lambda text: once(r"(M)[0-9.]+,", r"\g<1>1e999,", text),
    "another style": lambda text: text.replace("</style>", "path{transform:scaleY(3)}</style>"),
    "a class": lambda text: once("<path ", '<path class="a" ', text),
    "an entity": lambda text: '<!DOCTYPE svg [<!ENTITY a "9">]>' + text,
    "a style from elsewhere": lambda text: '<?xml-stylesheet type="text/css" href="data:text/css,path{}"?>' + text,
    "ten megabytes": lambda text: text.replace("</svg>", "<g></g>" * 1_500_000 + "</svg>"),
    "no SVG": lambda text: "AAAA",
    "a script": lambda text: text.replace("</svg>", "<script>1</script></svg>"),
    "an outer image": lambda text: text.replace("</svg>", '<image href="https://example.org/a.png" /></svg>'),
    "another text behind an element": lambda text: text.replace("</g>", "</g>9", 1),
    "a moved child": lambda text: once(r"(<path [^>]*/>)</g>", r"</g>\1", text),
}
SOME = ("bars exchanged", "another label", "a label moved", "hatching", "a sentence", "a scale", "a script")
"""Of what every picture has, on the page too."""
ACTIVE = (
    "a script",
    "an outer image",
    "an entity",
    "a style from elsewhere",
    "another style",
    "ten megabytes",
    "no SVG",
)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("where", "forge"), [*(("file", name) for name in FORGED), *product(("img", "source"), SOME)])
def test_a_picture_that_shows_something_else_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, forge: str, where: str
) -> None:
    """In its file, on the page, and on the page of phones."""
    change = FORGED[forge]
    forged = with_file(bundle, change) if where == "file" else with_figure(bundle, where, change)
    assert forged != bundle
    with pytest.raises(IntegrityError, match=r"^(charts/n\.svg|index\.html)"):
        dprelease.verify(signed(forged, tmp_path, KEY))


def test_the_error_says_what_was_found_what_was_drawn_and_what_to_do(bundle: dict[str, bytes], tmp_path: Path) -> None:
    forged = with_file(bundle, FORGED["another label"])
    with pytest.raises(IntegrityError) as caught:
        dprelease.verify(signed(forged, tmp_path, KEY))
    assert re.fullmatch(
        r"charts/n\.svg, element \d+, text: .c.; drawn from the table: .a.. "
        r"Do not trust this picture; read tables/n\.csv",
        str(caught.value),
    )


def test_another_table_s_picture_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    for number, path in enumerate(("charts/n.svg", "charts/n.vl.json")):
        forged = bundle | {path: bundle[path.replace("/n.", "/m.")]}
        with pytest.raises(IntegrityError, match=rf"^{re.escape(path)}"):
            dprelease.verify(signed(forged, tmp_path / str(number), KEY))


def altered(data: bytes) -> bytes:
    """A specification with another value."""
    specification = json.loads(data)
    next(rows for rows in specification["datasets"].values() if "value" in rows[0])[0]["value"] += 1
    return canonical(specification)


def test_an_altered_specification_is_refused_also_beside_a_picture_of_it(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    specification = {"charts/n.vl.json": altered(bundle["charts/n.vl.json"])}
    with pytest.raises(IntegrityError, match=r"^charts/n\.vl\.json: it is not what tables/n\.csv gives"):
        dprelease.verify(signed(bundle | specification, tmp_path / "alone", KEY))
    both = with_file(bundle | specification, FORGED["a longer bar"])
    with pytest.raises(IntegrityError, match=r"^charts/n\.vl\.json"):
        dprelease.verify(signed(both, tmp_path / "both", KEY))
    spaced = {"charts/n.vl.json": bundle["charts/n.vl.json"] + b"\n"}
    with pytest.raises(IntegrityError, match=r"^charts/n\.vl\.json"):
        dprelease.verify(signed(bundle | spaced, tmp_path / "spaced", KEY))


def test_a_picture_without_a_table_and_a_table_without_a_picture_are_refused(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    for path in ("charts/n.svg", "charts/n.vl.json"):
        less = {name: data for name, data in bundle.items() if name != path}
        with pytest.raises(IntegrityError, match=rf"^{re.escape(path)} is missing"):
            dprelease.verify(signed(less, tmp_path / Path(path).suffix, KEY))
    more = bundle | {"charts/x.svg": bundle["charts/n.svg"]}
    with pytest.raises(IntegrityError, match=r"charts/x\.svg"):
        dprelease.verify(signed(more, tmp_path / "more", KEY))


@pytest.mark.parametrize("name", ["charts/lead-wide.svg", "charts/lead-narrow.svg"])
def test_another_picture_of_the_lead_is_refused(bundle: dict[str, bytes], tmp_path: Path, name: str) -> None:
    assert {"charts/lead-wide.svg", "charts/lead-narrow.svg"} <= bundle.keys()
    longer = once(r"(M[0-9.]*,[0-9.]*h)([0-9.]+)", r"\g<1>99", bundle[name].decode()).encode()
    assert longer != bundle[name]
    less = {each: data for each, data in bundle.items() if each != name}
    for number, forged in enumerate((bundle | {name: longer}, less)):
        with pytest.raises(IntegrityError, match=f"^{re.escape(name)}"):
            dprelease.verify(signed(forged, tmp_path / str(number), KEY))


def test_images_beside_those_of_the_tables_are_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    page = bundle["index.html"].decode()
    found = re.search(r'<source [^>]*data-chart="n"[^>]*>', page)
    assert found is not None
    forged = {
        "phones": page.replace(found[0], found[0] * 2),
        "file": page.replace(found[0], found[0] + '<source srcset="charts/n.svg">'),
        "less": page.replace(found[0], ""),
        "raster": page.replace("</main>", '<img alt="" src="data:image/png;base64,AAAA"></main>'),
        "no SVG": page.replace(figure(bundle, "img"), "AAA"),
    }
    for name, text in forged.items():
        with pytest.raises(IntegrityError, match=r"^index\.html"):
            dprelease.verify(signed(bundle | {"index.html": text.encode()}, tmp_path / name, KEY))


@pytest.mark.parametrize("name", ["index.html", "charts/n.svg", "charts/n.vl.json"])
def test_another_note_is_refused(bundle: dict[str, bytes], tmp_path: Path, name: str) -> None:
    changed = bundle[name].decode().replace("Intervals: 95", "Intervals: 99")
    assert changed != bundle[name].decode()
    with pytest.raises(IntegrityError, match=f"^{re.escape(name)}"):
        dprelease.verify(signed(bundle | {name: changed.encode()}, tmp_path, KEY))


def claiming(bundle: dict[str, bytes], **versions: str) -> dict[str, bytes]:
    """The bundle as if other versions had written it, its page and files that name them included."""
    told = {name.replace("_", "-"): version for name, version in versions.items()}
    stated = json.loads(bundle["release.json"])
    files = dict(bundle)
    for name, version in told.items():
        before = stated["versions"][name]
        for path in ("release.json", "index.html", "registry.yaml"):
            text = files[path].decode()
            text = text.replace(f'"{name}": "{before}"', f'"{name}": "{version}"')
            files[path] = text.replace(f"{name} {before}", f"{name} {version}").encode()
    return files


def test_pictures_of_another_renderer_are_told_as_not_compared(bundle: dict[str, bytes], tmp_path: Path) -> None:
    lie = with_figure(with_file(bundle, FORGED["a longer bar"]), "img", FORGED["a longer bar"])
    for number, versions in enumerate(({"vl_convert": "9.9.9"}, {"altair": "9.9.9"})):
        verdict = dprelease.verify(signed(claiming(lie, **versions), tmp_path / str(number), KEY))
        assert verdict.compared == {"page": "same", "charts": "not_compared"}
        assert verdict.warning is not None
        assert verdict.warning.code == "cannot.drawn_by_other"
        assert "9.9.9" in verdict.warning.words
        assert verdict.warning in verdict.cannot_show
        assert "verified in part" in verdict.words


def test_a_specification_is_compared_where_the_renderer_alone_is_another(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    lie = bundle | {"charts/n.vl.json": altered(bundle["charts/n.vl.json"])}
    with pytest.raises(IntegrityError, match=r"^charts/n\.vl\.json"):
        dprelease.verify(signed(claiming(lie, vl_convert="9.9.9"), tmp_path / "one", KEY))
    verdict = dprelease.verify(signed(claiming(lie, altair="9.9.9"), tmp_path / "both", KEY))
    assert verdict.compared["charts"] == "not_compared"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("forge", ACTIVE)
@pytest.mark.parametrize("where", ["file", "img"])
def test_what_is_no_picture_is_refused_where_pictures_are_not_compared(
    bundle: dict[str, bytes], tmp_path: Path, forge: str, where: str
) -> None:
    change = FORGED[forge]
    forged = with_file(bundle, change) if where == "file" else with_figure(bundle, where, change)
    with pytest.raises(IntegrityError, match=r"^(charts/n\.svg|index\.html)"):
        dprelease.verify(signed(claiming(forged, vl_convert="9.9.9"), tmp_path / "renderer", KEY))
    with pytest.raises(IntegrityError, match=r"^(charts/n\.svg|index\.html)"):
        dprelease.verify(signed(forged, tmp_path / "left out", KEY), pictures=False)


@pytest.mark.full
def test_pictures_that_are_left_out_load_nothing_that_draws(bundle: dict[str, bytes], tmp_path: Path) -> None:
    path = signed(bundle, tmp_path, KEY)
    code = (
        "import sys; from dprelease.cli import main; code = main(sys.argv[1:]);"
        "print(code, sorted({'altair', 'vl_convert'} & {*sys.modules}))"
    )
    for options, loaded in ((["--no-pictures"], "[]"), ([], "['altair', 'vl_convert']")):
        answer = subprocess.run(
            [sys.executable, "-c", code, "verify", str(path), *options],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert answer.stdout.splitlines()[-1] == f"0 {loaded}", answer.stdout


DRAW = """
import sys, hashlib
from pathlib import Path
from dprelease.bundle.read import read
from dprelease.charts.picture import picture
release = read(Path(sys.argv[1])).release
for table in release.tables:
    for narrow in (False, True):
        made = picture(release, table, narrow=narrow)
        print(table, hashlib.sha256(made.svg() + made.figure + made.specification).hexdigest())
"""


@pytest.mark.full
def test_two_processes_in_other_places_draw_the_same_bytes(bundle: dict[str, bytes], tmp_path: Path) -> None:
    path = signed(bundle, tmp_path, KEY)
    answers = [
        subprocess.run(
            [sys.executable, "-c", DRAW, str(path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **place},
        ).stdout
        for place in ({"TZ": "UTC", "LANG": "C"}, {"TZ": "Asia/Tokyo", "LANG": "es_ES.UTF-8", "LC_ALL": "es_ES.UTF-8"})
    ]
    assert answers[0] == answers[1]
    assert len(answers[0].splitlines()) == 8


def picture(*parts: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg"><g>{"".join(parts)}</g></svg>'.encode()


@pytest.mark.parametrize(
    ("stored", "drawn"),
    [
        ('<rect x="1.01" y="2" />', '<rect x="1" y="2" />'),
        ('<path d="M1.005,2.5h-3e1" />', '<path d="M1,2.5h-30" />'),
        ('<g transform="translate(1.01,2) rotate(45 3.01 4)" />', '<g transform="translate(1,2) rotate(45 3 4)" />'),
        ('<line x1="0.990" />', '<line x1="1" />'),
    ],
)
def test_another_machine_s_last_digit_of_a_place_is_close(stored: str, drawn: str) -> None:
    assert compare(picture(stored), picture(drawn)) == CLOSE
    assert compare(picture(drawn), picture(drawn)) == SAME


@pytest.mark.parametrize(
    ("stored", "drawn"),
    [
        ('<rect x="1.02" />', '<rect x="1" />'),
        ('<rect opacity="0.501" />', '<rect opacity="0.5" />'),
        ('<rect stroke-width="1.01" />', '<rect stroke-width="1" />'),
        ('<g transform="scale(1.001)" />', '<g transform="scale(1)" />'),
        ('<g transform="matrix(1.001 0 0 1 0 0)" />', '<g transform="matrix(1 0 0 1 0 0)" />'),
        ('<g transform="rotate(45.001 3 4)" />', '<g transform="rotate(45 3 4)" />'),
        ('<g transform="translate(1,2)scale(1)" />', '<g transform="translate(1,2)" />'),
        ('<path d="M1,2L3,4" />', '<path d="M1,2H3,4" />'),
        ('<path d="M1,NaN" />', '<path d="M1,NaN" /><a />'),
        ('<rect x="1e999" />', '<rect x="1e999" y="1" />'),
        ("<text>1.001</text>", "<text>1</text>"),
        ("<g /><rect />", "<g><rect /></g>"),
        ("<rect /><path />", "<path /><rect />"),
        ('<rect x="1" />', "<rect />"),
        ("<g />", "<g>1</g>"),
        ("<g />1", "<g />"),
        ("<!-- 1 --><g />", "<g />"),
    ],
)
def test_every_other_difference_is_one(stored: str, drawn: str) -> None:
    assert isinstance(compare(picture(stored), picture(drawn)), PictureDifference)


def test_numbers_that_are_none_are_never_close() -> None:
    for drawn, stored in (("M1,NaN 2", "M1,NaN 2.001"), ("1e999", "1e998"), ("inf 1", "inf 1.001")):
        assert isinstance(
            compare(picture(f'<path d="{stored}" />'), picture(f'<path d="{drawn}" />')), PictureDifference
        ), stored


def test_a_large_file_is_not_parsed() -> None:
    found: Any = compare(b"<" * 10**7, picture())
    assert found.stored == str(10**7)


def test_what_draws_is_named_in_the_certificate(bundle: dict[str, bytes]) -> None:
    assert json.loads(bundle["release.json"])["versions"].items() >= installed().items()
