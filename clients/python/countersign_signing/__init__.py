"""The keys of a customer's device: stamps, sealed one-time codes, opened bundles."""

from .envelope import RefusedError
from .key import Key

__all__ = ["RefusedError", "Key"]
