"""`python -m dprelease.web.run run app.py …`: Streamlit's own command, on a server that waits for no slow head and
believes no visitor where a request comes from."""

from __future__ import annotations

import os
import runpy

import uvicorn.config

PROXY = "DPRELEASE_PROXY"
"""Names the addresses of the proxy that stands in front, separated by commas."""


def main() -> None:
    """Takes the words of the command line as `streamlit` does."""
    os.environ["FORWARDED_ALLOW_IPS"] = os.environ.get(PROXY, "")
    uvicorn.config.HTTP_PROTOCOLS["auto"] = "dprelease.web.heads:Punctual"
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
