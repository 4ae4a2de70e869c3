"""The charts of a bundle show what its tables say: forged by the key's holder, and signed again, they are refused."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

import dprelease
from dprelease.errors import IntegrityError
from tests.bundle.entries import key_of
from tests.verdict.forging import published, signed

KEY = key_of(9)
BAR = r'<path d="M[^"]*" fill="#0b7a83" data-shows="[^"]*" />'
RULE = r'<line [^>]*data-shows="0\.lower95=[^"]*" />'
Change = Callable[[str], str]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """With so little noise that no count is too noisy to use but once in 10^8 times."""
    return published(tmp_path_factory.mktemp("bundle"), epsilon=4)


def everywhere(bundle: dict[str, bytes], change: Change) -> dict[str, bytes]:
    """With the chart of the counts changed in its file and in the page alike."""
    path = "charts/n.svg"
    files = bundle | {path: change(bundle[path].decode()).encode()}
    page = files["index.html"].decode()
    found = re.search(r'(<img data-chart="n"[^>]*base64,)([^"]*)"', page)
    assert found is not None
    drawn = b64encode(change(b64decode(found[2]).decode()).encode()).decode()
    return files | {"index.html": page.replace(found[2], drawn).encode()}


def drop(pattern: str, text: str) -> str:
    return re.sub(pattern, "", text, count=1)


def swapped(text: str) -> str:
    """The bars of the two categories change places, each with what it says."""
    one, other = re.findall(BAR, text)
    places = [re.search(r'd="(M[^,]*),', bar) for bar in (one, other)]
    assert places[0]
    assert places[1]
    moved = [one.replace(places[0][1], places[1][1]), other.replace(places[1][1], places[0][1])]
    return text.replace(one, "").replace(other, "".join(moved))


FORGED: dict[str, Change] = {
    "another number": lambda text: re.sub(r'(data-shows="0\.value=[^"]*">)[^<]*<', r"\g<1>9999<", text),
    "another value in the markup": lambda text: re.sub(r'"0\.value=[^"]*"', '"0.value=9999"', text),
    "both": lambda text: re.sub(r'"0\.value=[^"]*">[^<]*<', '"0.value=9999">9999<', text),
    "a higher bar": lambda text: re.sub(
        r"(<path d=\"M[0-9.]*,)[0-9.]*(h[0-9.]*v)[0-9.]*", r"\g<1>10\g<2>390", text, count=1
    ),
    "swapped bars": swapped,
    "swapped labels": lambda text: text.replace(">a<", ">?<").replace(">b<", ">a<").replace(">?<", ">b<"),
    "another label": lambda text: text.replace(">a<", ">c<"),
    "a shifted interval": lambda text: re.sub(
        r'(<line transform="translate\([0-9.]*,)([0-9.]*)(\)" x2="0" y2="-[^>]*data-shows)',
        lambda found: f"{found[1]}{float(found[2]) - 30}{found[3]}",
        text,
        count=1,
    ),
    "no interval in the markup": lambda text: re.sub(r'"0\.lower95=[^ ]* ', '"0.lower95=1 ', text),
    "another axis": lambda text: re.sub(r'(data-part="axis">)20<', r"\g<1>25<", text),
    "an axis ten times as long": lambda text: re.sub(r'(data-part="axis">[0-9]+)<', r"\g<1>0<", text),
    "a bar less": lambda text: drop(BAR, text),
    "a further bar": lambda text: text.replace("</svg>", '<rect width="80" height="90" fill="#0b7a83" /></svg>'),
    "a picture": lambda text: text.replace("</svg>", '<image href="data:," /></svg>'),
    "a moved chart": lambda text: text.replace('transform="translate(', 'transform="scale(2) translate(', 1),
    "a bar drawn as a line": lambda text: text.replace(
        "</svg>", '<line x1="100" x2="100" y1="9" y2="300" stroke="#0b7a83" stroke-width="80"/></svg>'
    ),
    "a bar drawn as an outline": lambda text: text.replace(
        "</svg>", '<path d="M100,9V300" fill="none" stroke="#0b7a83" stroke-width="80"/></svg>'
    ),
    "a style of its own": lambda text: text.replace("</svg>", "<style>path{transform:scaleY(3)}</style></svg>"),
    "another style": lambda text: text.replace("</style>", "path{transform:scaleY(3)}</style>"),
    "a style from elsewhere": lambda text: (
        '<?xml-stylesheet type="text/css" href="data:text/css,path{transform:scaleY(3)}"?>' + text
    ),
    "texts moved aside": lambda text: text.replace("<text ", '<text dx="150" '),
    "a chart upside down": lambda text: text.replace('<g transform="', '<g transform="rotate(180) ', 1),
    "parts without end": lambda text: text.replace("</svg>", f"{'<g></g>' * 26_000}</svg>"),
    "axes without end": lambda text: text.replace(
        "</svg>", "".join(f'<g><text data-part="axis" x="{x}">{x}</text></g>' for x in range(500)) + "</svg>"
    ),
    "a bar that is said to be too noisy": lambda text: text.replace('fill="#0b7a83" data-', 'fill="url(#i0)" data-', 1),
    "a pattern with something in it": lambda text: text.replace(
        "</svg>", '<defs><pattern id="i9" width="6" height="6"><text>9</text></pattern></defs></svg>'
    ),
    "an entity": lambda text: '<!DOCTYPE svg [<!ENTITY a "9">]>' + text,
    "no SVG": lambda text: "AAAA",
    "an epsilon": lambda text: text.replace(
        "</svg>", "<text>In truth \N{GREEK SMALL LETTER EPSILON} = 0.01</text></svg>"
    ),
    "another title": lambda text: text.replace("How many records are there", "The exact number of records"),
    "a sentence": lambda text: text.replace("</svg>", "<text>These numbers are exact.</text></svg>"),
    "a sentence of a part that charts do not have": lambda text: text.replace(
        "</svg>", '<text data-part="word">The loss is 0.01.</text></svg>'
    ),
    "a sentence in a legend": lambda text: text.replace("</svg>", '<text data-part="legend">exact</text></svg>'),
    "a further number": lambda text: text.replace("</svg>", "<text>4321 of them</text></svg>"),
    "a number for those who hear it": lambda text: re.sub(r'aria-label="', 'aria-label="4321: ', text),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_chart_that_shows_something_else_is_refused(bundle: dict[str, bytes], tmp_path: Path, forge: Change) -> None:
    """In the file, in the page, and in both."""
    forged = everywhere(bundle, forge)
    assert forged["charts/n.svg"] != bundle["charts/n.svg"] or forged["index.html"] != bundle["index.html"]
    for number, names in enumerate((["charts/n.svg"], ["index.html"], ["charts/n.svg", "index.html"])):
        files = bundle | {name: forged[name] for name in names}
        with pytest.raises(IntegrityError, match=r"^(charts/n\.svg|index\.html: the chart of n): "):
            dprelease.verify(signed(files, tmp_path / str(number), KEY))


@pytest.mark.parametrize(
    "forge",
    [
        "another number",
        "another value in the markup",
        "swapped labels",
        "a picture",
        "a style of its own",
        "a sentence",
        "a further number",
        "an axis ten times as long",
        "a bar less",
        "no SVG",
        "an epsilon",
    ],
)
def test_a_chart_for_phones_that_shows_something_else_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, forge: str
) -> None:
    page = bundle["index.html"].decode()
    found = re.search(r'<source [^>]*data-chart="n"[^>]*base64,([^"]*)"', page)
    assert found is not None
    svg = b64decode(found[1]).decode()
    assert FORGED[forge](svg) != svg
    forged = page.replace(found[1], b64encode(FORGED[forge](svg).encode()).decode()).encode()
    with pytest.raises(IntegrityError, match=r"^index\.html: the chart of n: "):
        dprelease.verify(signed(bundle | {"index.html": forged}, tmp_path, KEY))


def test_a_second_chart_for_phones_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    page = bundle["index.html"].decode()
    found = re.search(r'<source [^>]*data-chart="n"[^>]*>', page)
    assert found is not None
    for number, second in enumerate((found[0], '<source srcset="charts/n.svg">')):
        forged = page.replace(found[0], found[0] + second).encode()
        with pytest.raises(IntegrityError, match=r"^index\.html: it shows an image"):
            dprelease.verify(signed(bundle | {"index.html": forged}, tmp_path / str(number), KEY))


def test_a_chart_in_another_encoding_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """Its declarations would be found by whoever draws it, and not by whoever looks for their first letters."""
    text = '<!DOCTYPE svg [<!ENTITY a "9">]>' + bundle["charts/n.svg"].decode()
    with pytest.raises(IntegrityError, match=r"^charts/n\.svg: it cannot be read"):
        dprelease.verify(signed(bundle | {"charts/n.svg": text.encode("utf-16")}, tmp_path, KEY))


NOTES: dict[str, tuple[str, str]] = {
    "another confidence": ("Intervals: 95", "Intervals: 99"),
    "a sentence": ("Intervals: 95", "These numbers are exact. Intervals: 95"),
    "a number of rows": ("Intervals: 95", "Of 4321 rows. Intervals: 95"),
    "an epsilon": ("Intervals: 95", "\N{GREEK SMALL LETTER EPSILON} = 0.1. Intervals: 95"),
}


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_a_note_with_another_number_is_refused(bundle: dict[str, bytes], tmp_path: Path, note: tuple[str, str]) -> None:
    for number, name in enumerate(("index.html", "charts/n.svg")):
        changed = bundle[name].decode().replace(*note)
        assert changed != bundle[name].decode()
        with pytest.raises(IntegrityError, match=f"^{re.escape(name)}: "):
            dprelease.verify(signed(bundle | {name: changed.encode()}, tmp_path / str(number), KEY))


def test_an_image_that_is_no_chart_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    for number, image in enumerate(
        ('<img alt="" src="data:image/png;base64,AAAA">', '<img alt="" src="charts/n.svg">')
    ):
        page = bundle["index.html"].decode().replace("</main>", f"{image}</main>").encode()
        with pytest.raises(IntegrityError, match=r"^(index\.html: it shows an image|page: it has a .img)"):
            dprelease.verify(signed(bundle | {"index.html": page}, tmp_path / str(number), KEY))


HARMLESS: dict[str, Change] = {
    "as it was": lambda text: text,
    "another colour": lambda text: text.replace('fill="#0b7a83" data-', 'fill="navy" data-'),
    "another font": lambda text: text.replace("Liberation Sans", "Comic Sans MS"),
    "another order of attributes": lambda text: re.sub(
        r'(<path )(d="[^"]*") (fill="[^"]*") (data-shows="[^"]*")', r"\1\4 \3 \2", text
    ),
    "moved as a whole": lambda text: re.sub(r'(miterlimit="10" transform="translate\()[0-9]+', r"\g<1>99", text),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_another_look_breaks_nothing(bundle: dict[str, bytes], tmp_path: Path, change: Change) -> None:
    verdict = dprelease.verify(signed(everywhere(bundle, change), tmp_path, KEY))
    assert any(check.code == "check.charts" for check in verdict.checks)
