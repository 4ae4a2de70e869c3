"""An opener of web addresses for requests that carry a token or a signature: they go to one address and no other."""

from __future__ import annotations

from http.client import HTTPResponse
from urllib.request import HTTPErrorProcessor, OpenerDirector, Request, build_opener


class _Plain(HTTPErrorProcessor):
    """Hands every answer on as it is: no redirect is followed, and a status is no error."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:
        return response

    https_response = http_response


def direct_opener() -> OpenerDirector:
    """Return an opener that follows no redirect and raises for no status."""
    return build_opener(_Plain)
