"""Static blocks of a page: sentences, lists of facts, tables. Everything a person wrote is escaped here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import streamlit as st

from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import take_flash
from dprelease.ui.words import WORDS, as_label, say, say_html, say_label
from dprelease.words.language import ENGLISH, LANGUAGES, language
from dprelease.words.phrases import visible
from dprelease.words.sentences import Html, isolated
from dprelease.workspace import guide

LONG = 20
"""Characters beyond which a text is given room to stand in few lines."""
STYLE = Path(__file__).with_name("look.css")
OWN_WORDS = (
    "[data-testid=stFileUploaderDropzone] button p{{font-size:0}}"
    "[data-testid=stFileUploaderDropzone] button [data-testid=stMarkdownContainer]::after{{content:'{upload}'}}"
    "[data-testid=InputInstructions]{{display:none}}"
)
"""Style rules for Streamlit's own English words: ours in their place, or none where the label says it."""
Row = Sequence[Any]


@contextmanager
def screen(key: str, **values: Any) -> Iterator[None]:
    """Draw a page: its heading, a message left by the last action, and its content with errors shown kindly."""
    st.title(say_label(f"{key}_title", **values), anchor=False)
    if f"{key}_lead" in WORDS:
        lead(key=f"{key}_lead")
    message()
    with kindly():
        yield


def message() -> None:
    """Show what the last action left to say."""
    left = take_flash()
    if left is not None:
        box(say_html(left[0], **left[1]), kind="done")


def heading(key: str, **values: Any) -> None:
    """Show a section's heading."""
    st.html(fill('<h2 class="dp-h2">{}</h2>', say_html(key, **values)))


def subheading(text: str, *, hidden: bool = False) -> None:
    """Show a heading inside a section, of any text; hidden where a picture shows the same words."""
    st.html(fill('<h3 class="{}">{}</h3>', "dp-hidden" if hidden else "dp-h3", isolated(text)))


def label(text: str) -> None:
    """Show what stands over fields that have labels of their own."""
    st.html(fill('<p class="dp-label">{}</p>', isolated(text)))


def lead(*, key: str) -> None:
    st.html(fill('<p class="dp-lead">{}</p>', say_html(key)))


def text(key: str, **values: Any) -> None:
    """Show a paragraph."""
    st.html(fill('<p class="dp-text">{}</p>', say_html(key, **values)))


def note(key: str, **values: Any) -> None:
    """Show a quieter paragraph."""
    st.html(fill('<p class="dp-note">{}</p>', say_html(key, **values)))


def markup(content: Html, style: str = "dp-text") -> None:
    """Show a paragraph that is HTML already."""
    st.html(fill('<p class="{}">{}</p>', style, content))


def facts(pairs: Sequence[tuple[str, Any]]) -> None:
    """Show names (keys of words) and what they are."""
    items = (fill("<dt>{}</dt><dd>{}</dd>", say(key), isolated(value)) for key, value in pairs)
    st.html(fill('<dl class="dp-facts">{}</dl>', joined(items)))


def numbers(pairs: Sequence[tuple[str, Any]]) -> None:
    """Show a few large numbers with their names (keys of words)."""
    items = (fill("<div><dt>{}</dt><dd>{}</dd></div>", say(key), value) for key, value in pairs)
    st.html(fill('<dl class="dp-numbers">{}</dl>', joined(items)))


def table(
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Row],
    *,
    numbers: Sequence[int] = (),
    keys: int = 1,
    whole: bool = False,
) -> None:
    """Show a table that nothing exports.

    `numbers`: columns to align right; `keys`: how many columns name the row; `whole`: as long as it is, else it
    scrolls.
    """

    def cell(tag: str, place: int, value: Any, scope: str = "") -> Html:
        look = ' class="dp-number"' if place in numbers else ' class="dp-text"' if len(str(value)) > LONG else ""
        label = fill(' data-label="{}"', visible(heads[place])) if tag == "td" or not scope.endswith('"col"') else ""
        return fill("<{0}{1}{2}{3}>{4}</{0}>", tag, Html(look), Html(scope), label, isolated(value))

    def line(row: Row) -> Html:
        cells = (
            cell("th", place, value, ' scope="row"') if place < keys else cell("td", place, value)
            for place, value in enumerate(row)
        )
        return fill("<tr>{}</tr>", joined(cells))

    content = fill(
        '<div class="dp-scroll{look}" tabindex="0" role="region" aria-label="{caption}"><table class="dp-table">'
        "<caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
        look=" dp-open" if whole else "",
        caption=visible(caption),
        heads=joined(cell("th", place, head, ' scope="col"') for place, head in enumerate(heads)),
        rows=joined(map(line, rows)),
    )
    st.html(content)


def anchor(address: str, label: str, *, download: bool = False) -> Html:
    """Return a link to one of the server's own addresses."""
    return fill('<a href="{}"{}>{}</a>', address, Html(" download") if download else "", isolated(label))


def tongue(other: tuple[str, str]) -> Html:
    """Return a link that goes on in another language, which is called what it calls itself."""
    code, address = other
    return fill('<a href="{0}" lang="{1}" hreflang="{1}">{2}</a>', address, code, LANGUAGES[code])


def guide_link(page: str, section: str = "") -> None:
    """Show a link to a page of `docs/guide/`, by its name without `.md`; `section`: the id of a heading in it."""
    headings = guide.sections(page, language())
    title = headings.get(section) or next(iter(headings.values()), "")
    label = as_label(say("guide_page", title=title) if title else say("guide"))
    place = f"#{section}" if section else ""
    st.markdown(f"[{label}](/guide/{page}?lang={language()}{place})")


def listed(items: Sequence[Any]) -> None:
    """Show things one below the other."""
    lines = joined(fill("<li>{}</li>", isolated(item)) for item in items)
    st.html(fill('<ul class="dp-list">{}</ul>', lines))


def links(items: Sequence[Html]) -> None:
    """Show links in a row."""
    cells = joined(fill("<li>{}</li>", item) for item in items)
    st.html(fill('<ul class="dp-links">{}</ul>', cells))


def code(content: str) -> None:
    """Show something to copy."""
    st.code(content, language=None, wrap_lines=True)


def stylesheet() -> None:
    """Show the look of what this file makes, and a few corrections to Streamlit's."""
    st.html(STYLE)
    if language() != ENGLISH:
        st.html(f"<style>{OWN_WORDS.format(upload=say('upload_button'))}</style>")
