"""Pages that rooms add to the portal: in a folder of the site, and in the folder of each release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dprelease.registry import added, load

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal
    from dprelease.portal.shelf import Bundle


class Extra(Protocol):
    """Module with the pages that one room adds."""

    TEMPLATES: Path
    """Folder with its templates and scripts."""
    SCRIPTS: tuple[str, ...]
    RELEASE_PAGES: tuple[str, ...]
    """Names of files beside the page of each release."""
    LINKS: Mapping[str, tuple[str, str]]
    """Address and text by the page that they stand on (`catalogue`, `release`), as a key of the portal's words."""

    def files(self, portal: Portal) -> Iterator[tuple[str, bytes]]:
        """Return the files of its folder, by path in the site, in the current language."""

    def release_page(self, portal: Portal, bundle: Bundle) -> str:
        """Return the page of a release."""

    def made(self, portal: Portal, path: str, query: Mapping[str, str]) -> tuple[bytes, str, str]:
        """Return a file of its folder as its address asks for it: bytes, type of media, name to save it as, or none.

        Raises InputError where there is none.
        """


def extras() -> dict[str, Extra]:
    """Return the modules that rooms add, by folder of the site."""
    return {folder: load(place) for folder, place in added("portal").items()}


def links(page: str) -> list[tuple[str, str]]:
    """Return address and text of the links that rooms add to a page."""
    return [extra.LINKS[page] for extra in extras().values() if page in extra.LINKS]
