"""The customer's device. It has the key of the session, the backend has not; here both are in one process."""

import json
import os
import sys
from typing import Any

from countersign_signing import Key

QUORUM = os.environ["QUORUM_PUBLIC_KEY"]

key = Key.generate()


def seal(bundle: str, account_id: str) -> str:
    return key.seal_code("000000", bundle, quorum_public_key=QUORUM, account_id=account_id)


def approve_sign_in(payload: str, account_id: str) -> str:
    return key.stamp_sign_in(payload, quorum_public_key=QUORUM, account_id=account_id)


def approve(payload: str, account_id: str, quote_id: str) -> str:
    """Signs the quote that the customer was shown, and nothing else."""
    said = json.loads(payload)
    found = (said["operation"], said["account"], said["quote"])
    if found != ("quote_execute", account_id, quote_id):
        raise RuntimeError(f"not what the customer confirmed: {payload}")
    return key.stamp(payload)


def webhook() -> dict[str, Any]:
    """A delivery as it arrives, with the secret that signs it."""
    print(json.dumps({"ask": "webhook"}), flush=True)
    return json.loads(sys.stdin.readline())


def finish(**outcome: Any) -> None:
    print(json.dumps({"outcome": outcome}), flush=True)
