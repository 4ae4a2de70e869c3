"""The page of a bundle shows what its certificate and tables say, in sentences that pages of it have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dprelease
from dprelease.errors import IntegrityError
from tests.bundle.entries import key_of
from tests.verdict.forging import published, signed

KEY = key_of(8)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return published(tmp_path_factory.mktemp("bundle"))


def number_in(cell: str) -> str:
    """A cell of a table with another number shown, and the value beside it left."""
    return re.sub(r"(<bdi>)[^<]*(</bdi>)", r"\g<1>9999\g<2>", cell)


def first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.DOTALL)
    assert found is not None
    return found[0]


def swapped(text: str, pattern: str) -> str:
    """The text with what two places have exchanged."""
    one, other = list(re.finditer(pattern, text, re.DOTALL))[:2]
    (a, b), (c, d) = one.span(1), other.span(1)
    return text[:a] + other[1] + text[b:c] + one[1] + text[d:]


CELL = r'<td class="number">.*?</td>'
FORGED = {
    "another number in a table": lambda text: text.replace(first(CELL, text), number_in(first(CELL, text))),
    "a smaller epsilon": lambda text: re.sub(r'(guarantee\.epsilon"[^>]*><bdi>)1<', r"\g<1>0.1<", text),
    "a smaller epsilon in the markup": lambda text: re.sub(
        r'guarantee\.epsilon" data-value="1" value="1"><bdi>1<', 'guarantee.epsilon" data-value="0.1"><bdi>0.1<', text
    ),
    "a smaller sum": lambda text: re.sub(r'(cumulative\.epsilon"[^>]*><bdi>)1<', r"\g<1>0.2<", text),
    "another cap": lambda text: re.sub(r'(epsilon_cap"[^>]*><bdi>)5<', r"\g<1>2.35<", text),
    "no epsilon": lambda text: text.replace('data-fact="guarantee.epsilon"', ""),
    "a further sentence": lambda text: text.replace(
        "</main>", "<p>In truth \N{GREEK SMALL LETTER EPSILON} = 0.0123.</p></main>"
    ),
    "another sentence": lambda text: text.replace("The guarantee, exactly", "What we promise you"),
    "a sentence without a number": lambda text: text.replace("</main>", "<p>These numbers are exact.</p></main>"),
    "a heading": lambda text: text.replace('head">Estimate', 'head">True value').replace(
        "<bdi>Estimate</bdi>", "<bdi>True value</bdi>"
    ),
    "another name": lambda text: text.replace("<bdi>t</bdi>. Its cap", "<bdi>everybody</bdi>. Its cap"),
    "another day": lambda text: re.sub(r'(<p class="sub"><bdi>[^·]*· )[^<]*', r"\g<1>1 January 1999", text),
    "words beside a number": lambda text: re.sub(
        r'(guarantee\.epsilon"[^>]*><bdi>1)<', r"\g<1>, which reveals nothing<", text
    ),
    "words beside a number of a table": lambda text: text.replace(
        first(CELL, text), first(CELL, text).replace("</bdi>", " (exact)</bdi>")
    ),
    "another link": lambda text: text.replace('href="release.json"', 'href="https://example.org"'),
    "a description of a chart": lambda text: text.replace('alt="', 'alt="Exact: ', 1),
    "words in a cell of no table": lambda text: text.replace(
        '<tr><th scope="rowgroup"',
        '<tr><td class="text">exact</td><th scope="rowgroup"',
        1,
    ),
    "words before a value within another one": lambda text: re.sub(
        r'(<td class="number">)', r'\1exact<data data-fact="guarantee.epsilon" data-value="1">1</data>', text
    ),
    "a value without end": lambda text: text.replace(
        "</body>", '<data data-fact="guarantee.epsilon" data-value="1">The numbers are exact.</body>'
    ),
    "a number by its style": lambda text: text.replace("</style>", "td::after{content:'9999'}</style>", 1),
    "a style of its own": lambda text: text.replace('<td class="number', '<td style="font-size:0" class="number'),
    "a number in a field": lambda text: text.replace("</main>", '<input value="9999"></main>'),
    "a page in the page": lambda text: text.replace("</main>", '<iframe srcdoc="9999"></iframe></main>'),
    "a number that is read out": lambda text: text.replace('aria-label="Table: ', 'aria-label="9999 ', 1),
    "another address": lambda text: text.replace(
        "</head>", '<meta http-equiv="refresh" content="0;url=https://example.org"></head>'
    ),
    "a script": lambda text: text.replace("</main>", "<script>document.title = 1</script></main>"),
    "other words for search engines": lambda text: text.replace('ld+json">', 'ld+json">{"value":9999}', 1),
    "a fact of nothing": lambda text: text.replace(
        "</main>", '<data data-fact="statistics.x" data-value="1">1</data></main>'
    ),
    "a fact beyond a list": lambda text: text.replace(
        "</main>", '<data data-fact="statistics.99" data-value="1">1</data></main>'
    ),
    "a fact too large to be": lambda text: text.replace(
        "</main>", '<data data-fact="guarantee.epsilon" data-value="1">1e999999999</data></main>'
    ),
    "a label moved": lambda text: text.replace("<bdi>a</bdi></th>", "<bdi>b</bdi></th>", 1),
    "a heading of another statistic": lambda text: swapped(text, r"<h3[^>]*>(.*?)</h3>"),
    "two statistics in one section": lambda text: re.sub(
        r"</section>\s*<section class=\"card\"[^>]*>", "", text, count=1
    ),
    "a statistic in two sections": lambda text: text.replace(
        '<p class="q">', '</section><section class="card"><p class="q">', 1
    ),
    "no heading": lambda text: re.sub(r"<h3.*?</h3>", "", text, count=1),
    "a table of its own": lambda text: text.replace(
        "</main>", '<table data-statistic="n2"><tr><td>5</td></tr></table></main>'
    ),
    "another order": lambda text: re.sub(
        r'(<section aria-labelledby="limits">.*?</section>)(.*)(</main>)', r"\2\1\3", text, flags=re.DOTALL
    ),
    "less": lambda text: re.sub(r'<section aria-labelledby="cite">.*?</section>', "", text, flags=re.DOTALL),
    "a space": lambda text: text + " ",
    "nothing": lambda text: "",
    "a row more": lambda text: text.replace(
        first(r"<tr><th scope=\"row\">.*?</tr>", text), first(r"<tr><th scope=\"row\">.*?</tr>", text) * 3
    ),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_other_numbers_than_those_of_the_release_are_refused(
    bundle: dict[str, bytes], tmp_path: Path, forge: object
) -> None:
    text = bundle["index.html"].decode()
    changed = forge(text)  # type: ignore[operator]
    assert changed != text
    with pytest.raises(IntegrityError, match=r"^index\.html"):
        dprelease.verify(signed(bundle | {"index.html": changed.encode()}, tmp_path, KEY))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("piece", ["<!--", "<a ", "</", "<a b='", "<?", "<![", "<!x"])
def test_a_page_that_would_be_read_for_hours_is_not_read(bundle: dict[str, bytes], tmp_path: Path, piece: str) -> None:
    """A parser of HTML takes minutes for 100 kB of these, and more for each further one: bytes are compared."""
    page = bundle["index.html"].replace(b"</main>", piece.encode() * 300_000 + b"</main>")
    with pytest.raises(IntegrityError, match=r"^index\.html"):
        dprelease.verify(signed(bundle | {"index.html": page}, tmp_path, KEY))


def test_the_page_as_it_was_written_is_compared(bundle: dict[str, bytes], tmp_path: Path) -> None:
    verdict = dprelease.verify(signed(bundle, tmp_path, KEY))
    assert any(check.code == "check.page" for check in verdict.checks)
    assert verdict.compared == {"page": "same", "charts": "same"}
