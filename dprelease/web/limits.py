"""Rate limits by address: a bucket that fills up again with time, kept in memory."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from ipaddress import ip_address, ip_network

from starlette.requests import Request

from dprelease.model.setting import whole_number

MAX_ADDRESSES = 10_000
"""Beyond, those that tried least lately are forgotten."""


class RateLimit:
    """At most `count` tries in a row, and one more every `seconds` / `count` from then on."""

    def __init__(self, count: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.count = count
        self.seconds = seconds
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}
        """Tries left by address, and the time of that count."""
        self._lock = threading.Lock()

    def allows(self, address: str) -> bool:
        """Take one try, if there is one."""
        now = self._clock()
        with self._lock:
            left, at = self._left.pop(address, (float(self.count), now))
            left = min(self.count, left + (now - at) * self.count / self.seconds)
            self._left[address] = (left - 1 if left >= 1 else left, now)
            if len(self._left) > MAX_ADDRESSES:
                self._left.pop(next(iter(self._left)))
        return left >= 1


def api_per_minute() -> int:
    """Return the number of requests a minute that one address may send to the public interface. Raises InputError."""
    return whole_number("DPRELEASE_API_PER_MINUTE", 60_000)


class TooLargeError(Exception):
    """A body that is longer than anything that is taken here."""


async def body_of(request: Request, most: int, seconds: float) -> bytes:
    """Return the body, where it is not longer than that. Raises TooLargeError before more of it is read, or
    TimeoutError where it does not arrive in time.
    """
    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced[:15]) > most:
        raise TooLargeError
    held = bytearray()
    async with asyncio.timeout(seconds):
        async for piece in request.stream():
            held += piece
            if len(held) > most:
                raise TooLargeError
    return bytes(held)


def address(request: Request) -> str:
    """Return the address a request comes from, as known here: of IPv6 the /64, in which one machine has many."""
    host = request.client.host if request.client else ""
    try:
        known = ip_address(host)
    except ValueError:
        return host
    return host if known.version == 4 else str(ip_network((int(known) >> 64 << 64, 64)))
