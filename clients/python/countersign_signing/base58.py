"""Base58check, as in Bitcoin: the last four bytes are a checksum."""

from hashlib import sha256

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
# Sealed keys have about 116 characters.
CHARACTERS_MAX = 256


def decode(text: str) -> bytes:
    """Raises ValueError for a longer text, other characters and a wrong checksum."""
    if len(text) > CHARACTERS_MAX:
        raise ValueError("The text is too long.")
    number = 0
    for character in text:
        number = number * 58 + ALPHABET.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    content = bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
    if sha256(sha256(content[:-4]).digest()).digest()[:4] != content[-4:]:
        raise ValueError("The checksum is wrong.")
    return content[:-4]
