"""The portal's page of mechanisms, as it is read without a script."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from dprelease.extras.lab.broken import BROKEN
from dprelease.extras.lab.portal import mechanisms as lab_mechanisms
from dprelease.extras.lab.portal.more import figure
from dprelease.portal.pages import Portal
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.site import ListedFolder
from dprelease.words.language import speaking
from dprelease.words.sentences import Words

UI = Words("ui")


@pytest.mark.parametrize("code", ["en", "es"])
def test_it_tells_the_gallery_the_curves_and_several_answers(code: str, tmp_path: Path) -> None:
    with speaking(code):
        page = lab_mechanisms.page(Portal(BundleIndex(ListedFolder(tmp_path, ()))), {"m": "gaussian", "eps": "3"})
        shown = unescape(re.sub(r"<[^>]+>", "", page))
        for entry in BROKEN:
            assert UI[f"broken_{entry.key}_proof"] in shown
            assert figure(entry.real(1.0)) in shown
        assert page.count("<svg xmlns") == 4
        assert UI.say("mech_times", count="10") in shown
        assert figure(19.42) in shown  # of ten answers with Gaussian noise
