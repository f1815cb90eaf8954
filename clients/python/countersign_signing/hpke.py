"""HPKE (RFC 9180), base mode, one message: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM."""

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

INFO = b"turnkey_hpke"
VERSION = b"HPKE-v1"
KEM_SUITE = b"KEM\x00\x10"
HPKE_SUITE = b"HPKE\x00\x10\x00\x01\x00\x02"


def seal(recipient: ec.EllipticCurvePublicKey, plaintext: bytes) -> tuple[bytes, bytes]:
    """Returns the encapsulated key (65 bytes) and the ciphertext with its tag."""
    ephemeral = ec.generate_private_key(ec.SECP256R1())
    enc, recipient_bytes = point_bytes(ephemeral.public_key()), point_bytes(recipient)
    key, nonce = _schedule(ephemeral.exchange(ec.ECDH(), recipient), enc, recipient_bytes)
    return enc, AESGCM(key).encrypt(nonce, plaintext, enc + recipient_bytes)


def open_sealed(recipient: ec.EllipticCurvePrivateKey, enc: ec.EllipticCurvePublicKey, ciphertext: bytes) -> bytes:
    """Raises InvalidTag if the message was sealed to another key or changed."""
    enc_bytes, recipient_bytes = point_bytes(enc), point_bytes(recipient.public_key())
    key, nonce = _schedule(recipient.exchange(ec.ECDH(), enc), enc_bytes, recipient_bytes)
    return AESGCM(key).decrypt(nonce, ciphertext, enc_bytes + recipient_bytes)


def point_bytes(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _schedule(dh: bytes, enc: bytes, recipient: bytes) -> tuple[bytes, bytes]:
    prk = _extract(KEM_SUITE, b"", b"eae_prk", dh)
    shared_secret = _expand(KEM_SUITE, prk, b"shared_secret", enc + recipient, 32)
    context = b"\x00" + _extract(HPKE_SUITE, b"", b"psk_id_hash", b"") + _extract(HPKE_SUITE, b"", b"info_hash", INFO)
    secret = _extract(HPKE_SUITE, shared_secret, b"secret", b"")
    return _expand(HPKE_SUITE, secret, b"key", context, 32), _expand(HPKE_SUITE, secret, b"base_nonce", context, 12)


def _extract(suite: bytes, salt: bytes, label: bytes, secret: bytes) -> bytes:
    hmac = HMAC(salt or bytes(32), SHA256())
    hmac.update(VERSION + suite + label + secret)
    return hmac.finalize()


def _expand(suite: bytes, prk: bytes, label: bytes, info: bytes, length: int) -> bytes:
    labeled = length.to_bytes(2, "big") + VERSION + suite + label + info
    return HKDFExpand(SHA256(), length, labeled).derive(prk)
