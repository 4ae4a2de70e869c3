"""`python -m dprelease.web.run run app.py …`: Streamlit's own command, on a server that waits for no slow head,
believes no visitor where a request comes from, and makes releases public at their hour."""

from __future__ import annotations

import os
import runpy
from ipaddress import ip_network

import uvicorn.config

from dprelease.errors import InputError
from dprelease.web.hour import keep_hours
from dprelease.words import phrase

PROXY = "DPRELEASE_PROXY"
"""Names the addresses of the proxy that stands in front, separated by commas."""


def proxies() -> str:
    """The addresses that are believed, as uvicorn takes them. Raises InputError, where uvicorn would say nothing."""
    found = [text.strip() for text in os.environ.get(PROXY, "").split(",") if text.strip()]
    for text in found:
        try:
            ip_network(text)
        except ValueError:
            raise InputError(
                f"${PROXY}",
                found=text,
                allowed=phrase("web.ip_addresses_networks_such"),
                remedy=phrase("web.name_proxy_stands_front"),
            ) from None
    return ",".join(found)


def main() -> None:
    """Take the words of the command line as `streamlit` does."""
    os.environ["FORWARDED_ALLOW_IPS"] = proxies()
    uvicorn.config.HTTP_PROTOCOLS["auto"] = "dprelease.web.heads:Punctual"
    keep_hours()
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
