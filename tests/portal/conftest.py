"""The releases of the bundle's tests, which this room shows."""

from tests.bundle.conftest import hostile_release, hostile_written, key, release, written

__all__ = ["hostile_release", "hostile_written", "key", "release", "written"]
