"""Signed envelopes: JSON that the server's enclave signed with its quorum key."""

import json
import re
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

CURVE = ec.SECP256R1()


class RefusedError(ValueError):
    """A bundle or token that must not be used. The message says why."""


def open_envelope(text: str, quorum_public_key: str, account_id: str) -> dict[str, Any]:
    """Returns the data of an envelope. Raises RefusedError unless the quorum key signed it for this wallet."""
    envelope = _json_object(text)
    if envelope.get("version") != "v1.0.0":
        raise RefusedError("The version of the bundle is not v1.0.0.")
    if envelope.get("enclaveQuorumPublic") != quorum_public_key.lower():
        raise RefusedError("The bundle is not signed by the quorum key.")
    content, signature = from_hex(envelope.get("data")), from_hex(envelope.get("dataSignature"))
    try:
        point_from_hex(quorum_public_key).verify(signature, content, ec.ECDSA(SHA256()))
    except InvalidSignature:
        raise RefusedError("The signature of the bundle is not valid.") from None
    data = _json_object(content)
    if data.get("organizationId") != account_id:
        raise RefusedError("The bundle is for another wallet.")
    return data


def point_from_hex(text: object) -> ec.EllipticCurvePublicKey:
    """A point in the uncompressed form, 130 hex characters."""
    content = from_hex(text)
    if len(content) != 65 or content[0] != 4:
        raise RefusedError("The bundle has no valid public key.")
    return point_from_bytes(content)


def point_from_bytes(content: bytes) -> ec.EllipticCurvePublicKey:
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(CURVE, content)
    except ValueError:
        raise RefusedError("The bundle has no valid public key.") from None


def from_hex(text: object) -> bytes:
    if not isinstance(text, str) or not re.fullmatch("([0-9a-fA-F]{2})+", text):
        raise RefusedError("The bundle cannot be read.")
    return bytes.fromhex(text)


def _json_object(text: str | bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        raise RefusedError("The bundle cannot be read.") from None
    if not isinstance(value, dict):
        raise RefusedError("The bundle cannot be read.")
    return value
