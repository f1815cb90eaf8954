"""The vectors that all clients share, of the server's own making: clients/vectors.json, or the file that VECTORS names."""

import json
import os
import unittest
from base64 import urlsafe_b64decode
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from countersign_signing import RefusedError, Key, envelope, hpke

PATH = os.environ.get("VECTORS", Path(__file__).resolve().parents[2] / "vectors.json")
VECTORS = json.loads(Path(PATH).read_text())
PINNED = {"quorum_public_key": VECTORS["quorumPublicKey"], "account_id": VECTORS["accountId"]}


def key_of(one: dict[str, str]) -> Key:
    return Key(ec.derive_private_key(int(one["privateKey"], 16), ec.SECP256R1()))


def read_stamp(stamp: str) -> dict[str, str]:
    members: dict[str, str] = json.loads(urlsafe_b64decode(stamp + "=" * (-len(stamp) % 4)))
    return members


def verify_stamp(stamp: str, payload: str) -> None:
    members = read_stamp(stamp)
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(members["publicKey"]))
    point.verify(bytes.fromhex(members["signature"]), payload.encode(), ec.ECDSA(SHA256()))


class Vectors(unittest.TestCase):
    def setUp(self) -> None:
        self.key = key_of(VECTORS["key"])
        self.target = key_of(VECTORS["target"])

    def test_a_key_writes_its_public_half_in_both_forms(self) -> None:
        self.assertEqual(self.key.public_key, VECTORS["key"]["publicKey"])
        self.assertEqual(self.key.client_public_key, VECTORS["key"]["uncompressedPublicKey"])

    def test_a_stamp_has_the_form_of_the_shared_ones_and_signs_the_exact_characters(self) -> None:
        for one in VECTORS["stamps"]:
            stamp = self.key.stamp(one["payload"])
            self.assertNotIn("=", stamp)
            given, made = read_stamp(one["stamp"]), read_stamp(stamp)
            self.assertEqual({**made, "signature": ""}, {**given, "signature": ""})
            verify_stamp(one["stamp"], one["payload"])
            verify_stamp(stamp, one["payload"])
            with self.assertRaises(InvalidSignature):
                verify_stamp(stamp, one["payload"] + " ")

    def test_a_code_is_sealed_to_the_target_of_a_valid_bundle_only(self) -> None:
        for one in VECTORS["targetBundles"]:
            with self.subTest(one["comment"]):
                if not one["valid"]:
                    with self.assertRaises(RefusedError):
                        self.key.seal_code("000000", one["bundle"], **PINNED)
                    continue
                sealed = json.loads(self.key.seal_code("000000", one["bundle"], **PINNED))
                enc = envelope.point_from_hex(sealed["encappedPublic"])
                opened = hpke.open_sealed(self.target._private_key, enc, bytes.fromhex(sealed["ciphertext"]))
                self.assertEqual(json.loads(opened), {"otp_code": "000000", "public_key": self.key.public_key})

    def test_a_token_is_signed_if_the_quorum_key_issued_it_for_this_wallet_and_key(self) -> None:
        for one in VECTORS["signInTokens"]:
            with self.subTest(one["comment"]):
                if one["valid"]:
                    verify_stamp(self.key.stamp_sign_in(one["token"], **PINNED), one["token"])
                else:
                    with self.assertRaises(RefusedError):
                        self.key.stamp_sign_in(one["token"], **PINNED)

    def test_a_session_key_opens_if_it_is_whole_and_sealed_to_this_key(self) -> None:
        for one in VECTORS["sessionKeys"]:
            with self.subTest(one["comment"]):
                if "publicKey" in one:
                    self.assertEqual(self.key.open_session_key(one["sealed"]).public_key, one["publicKey"])
                else:
                    with self.assertRaises(RefusedError):
                        self.key.open_session_key(one["sealed"])

    def test_a_recovery_phrase_opens_if_it_is_of_this_wallet_and_sealed_to_this_key(self) -> None:
        for one in VECTORS["walletExports"]:
            with self.subTest(one["comment"]):
                if "phrase" in one:
                    self.assertEqual(self.key.open_wallet_export(one["sealed"], **PINNED), one["phrase"])
                else:
                    with self.assertRaises(RefusedError):
                        self.key.open_wallet_export(one["sealed"], **PINNED)


if __name__ == "__main__":
    unittest.main()
