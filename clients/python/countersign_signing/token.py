"""The token that a sign-in by code signs in its second call: a compact ES256 JWT of the server's quorum key."""

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from .envelope import RefusedError, point_from_hex

HEADER = urlsafe_b64encode(b'{"alg":"ES256","typ":"JWT"}').decode()


def check_token(token: str, public_key: str, quorum_public_key: str, account_id: str) -> None:
    """Raises RefusedError unless the quorum key signed the token for this wallet and this key, and it has not expired."""
    header, _, rest = token.partition(".")
    body, _, signature_text = rest.partition(".")
    signature = _decode(signature_text)
    if header != HEADER or len(signature) != 64:
        raise RefusedError("This is not the token of a sign-in by code.")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        signed = f"{header}.{body}".encode()
        point_from_hex(quorum_public_key).verify(encode_dss_signature(r, s), signed, ec.ECDSA(SHA256()))
    except InvalidSignature:
        raise RefusedError("The token is not signed by the quorum key.") from None
    claims = json.loads(_decode(body))
    if claims.get("organization_id") != account_id:
        raise RefusedError("The token is for another wallet.")
    if claims.get("public_key") != public_key:
        raise RefusedError("The token is for another key.")
    if int(claims["exp"]) <= time.time() * 1000:
        raise RefusedError("The token has expired.")


def _decode(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise RefusedError("This is not the token of a sign-in by code.") from None
