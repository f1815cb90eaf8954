"""The customer's device, on the other side of a pipe: it has the key of the session, the backend has not."""

import json
import sys
from typing import Any


def seal(bundle: str, account_id: str) -> str:
    return _ask(ask="seal", bundle=bundle, accountId=account_id)


def approve_sign_in(payload: str, account_id: str) -> str:
    return _ask(ask="approveSignIn", payload=payload, accountId=account_id)


def approve(payload: str, account_id: str, quote_id: str) -> str:
    return _ask(ask="approve", payload=payload, accountId=account_id, quoteId=quote_id)


def webhook() -> dict[str, Any]:
    return _ask(ask="webhook")


def finish(**outcome: Any) -> None:
    print(json.dumps({"outcome": outcome}), flush=True)


def _ask(**question: str) -> Any:
    print(json.dumps(question), flush=True)
    return json.loads(sys.stdin.readline())
