package signing

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"strings"
)

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// Sealed keys have about 116 characters.
const base58CharactersMax = 256

// decodeBase58Check is false for a longer text, other characters and a wrong checksum.
func decodeBase58Check(text string) ([]byte, bool) {
	if len(text) > base58CharactersMax {
		return nil, false
	}
	number := new(big.Int)
	for _, character := range text {
		digit := strings.IndexRune(base58Alphabet, character)
		if digit < 0 {
			return nil, false
		}
		number.Mul(number, big.NewInt(58)).Add(number, big.NewInt(int64(digit)))
	}
	zeros := len(text) - len(strings.TrimLeft(text, "1"))
	content := append(make([]byte, zeros), number.Bytes()...)
	if len(content) < 4 {
		return nil, false
	}
	content, checksum := content[:len(content)-4], content[len(content)-4:]
	once := sha256.Sum256(content)
	twice := sha256.Sum256(once[:])
	return content, bytes.Equal(twice[:4], checksum)
}
