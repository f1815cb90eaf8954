"""A P-256 key of a customer's device."""

import json
from base64 import urlsafe_b64encode

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import base58, hpke
from .envelope import CURVE, RefusedError, from_hex, open_envelope, point_from_bytes, point_from_hex
from .token import check_token

ENC_BYTES = 33
SESSION_KEY_BYTES = ENC_BYTES + 32 + 16


class Key:
    """A key that signs for a session, or that the server seals to. It belongs on the customer's device, not on a backend."""

    def __init__(self, private_key: ec.EllipticCurvePrivateKey) -> None:
        """Takes an existing P-256 key, such as one that was read from a key store."""
        self._private_key = private_key

    @classmethod
    def generate(cls) -> "Key":
        """Every sign-in by code needs a new key."""
        return cls(ec.generate_private_key(CURVE))

    @property
    def public_key(self) -> str:
        """66 hex characters, compressed, as in stamps."""
        point = self._private_key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
        return point.hex()

    @property
    def client_public_key(self) -> str:
        """`clientPublicKey` of a call whose result is sealed to this key: 130 hex characters."""
        return hpke.point_bytes(self._private_key.public_key()).hex()

    def stamp(self, payload_to_sign: str) -> str:
        """Signs the characters as received, for `Svc-Wallet-Signature`. Does not check what they authorize."""
        signature = self._private_key.sign(payload_to_sign.encode(), ec.ECDSA(SHA256()))
        stamp = {
            "publicKey": self.public_key,
            "scheme": "SIGNATURE_SCHEME_TK_API_P256",
            "signature": signature.hex(),
        }
        return urlsafe_b64encode(json.dumps(stamp).encode()).rstrip(b"=").decode()

    def seal_code(self, code: str, bundle: str, *, quorum_public_key: str, account_id: str) -> str:
        """Seals a one-time code with this key to `otpEncryptionTargetBundle`. Returns `encryptedOtpBundle`.

        Raises RefusedError unless the quorum key signed the bundle for this wallet.
        """
        data = open_envelope(bundle, quorum_public_key, account_id)
        target = point_from_hex(data.get("targetPublic"))
        content = json.dumps({"otp_code": code, "public_key": self.public_key})
        enc, ciphertext = hpke.seal(target, content.encode())
        return json.dumps({"encappedPublic": enc.hex(), "ciphertext": ciphertext.hex()})

    def stamp_sign_in(self, payload_to_sign: str, *, quorum_public_key: str, account_id: str) -> str:
        """Checks and signs the token in the first response of a sign-in by code. Raises RefusedError."""
        check_token(payload_to_sign, self.public_key, quorum_public_key, account_id)
        return self.stamp(payload_to_sign)

    def open_session_key(self, sealed: str) -> "Key":
        """Opens `encryptedSessionSigningKey`. Returns the key that signs for the session. Raises RefusedError."""
        try:
            content = base58.decode(sealed)
        except ValueError:
            raise RefusedError("This is not a sealed session key.") from None
        if len(content) != SESSION_KEY_BYTES:
            raise RefusedError("This is not a sealed session key.")
        scalar = self._open(point_from_bytes(content[:ENC_BYTES]), content[ENC_BYTES:])
        try:
            return Key(ec.derive_private_key(int.from_bytes(scalar, "big"), CURVE))
        except ValueError:
            raise RefusedError("The sealed secret is not a private key.") from None

    def open_wallet_export(self, sealed: str, *, quorum_public_key: str, account_id: str) -> str:
        """Opens `encryptedWalletCredentials`. Returns the recovery phrase. Raises RefusedError."""
        data = open_envelope(sealed, quorum_public_key, account_id)
        phrase = self._open(point_from_hex(data.get("encappedPublic")), from_hex(data.get("ciphertext")))
        return phrase.decode("ascii")

    def _open(self, enc: ec.EllipticCurvePublicKey, ciphertext: bytes) -> bytes:
        try:
            return hpke.open_sealed(self._private_key, enc, ciphertext)
        except InvalidTag:
            raise RefusedError("The bundle is not sealed to this key.") from None
