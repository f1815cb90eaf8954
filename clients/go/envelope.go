package signing

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// RefusedError is a bundle or token that must not be used. Its text says why.
type RefusedError struct{ reason string }

func (e *RefusedError) Error() string { return e.reason }

var (
	errUnreadable = &RefusedError{"The bundle cannot be read."}
	errNoToken    = &RefusedError{"This is not the token of a sign-in by code."}
	errNoKey      = &RefusedError{"The bundle has no valid public key."}
)

// openEnvelope returns the data of an envelope that the quorum key signed for this wallet.
func openEnvelope(text string, pin Pin) (map[string]any, error) {
	envelope, err := jsonObject([]byte(text))
	if err != nil {
		return nil, err
	}
	if envelope["version"] != "v1.0.0" {
		return nil, &RefusedError{"The version of the bundle is not v1.0.0."}
	}
	if envelope["enclaveQuorumPublic"] != strings.ToLower(pin.QuorumPublicKey) {
		return nil, &RefusedError{"The bundle is not signed by the quorum key."}
	}
	content, err := bytesFromHex(envelope["data"])
	if err != nil {
		return nil, err
	}
	signature, err := bytesFromHex(envelope["dataSignature"])
	if err != nil {
		return nil, err
	}
	if !isSigned(pin.QuorumPublicKey, content, signature) {
		return nil, &RefusedError{"The signature of the bundle is not valid."}
	}
	data, err := jsonObject(content)
	if err != nil {
		return nil, err
	}
	if data["organizationId"] != pin.AccountID {
		return nil, &RefusedError{"The bundle is for another wallet."}
	}
	return data, nil
}

func isSigned(publicKey string, content, signature []byte) bool {
	key, err := verificationKey(publicKey)
	hash := sha256.Sum256(content)
	return err == nil && ecdsa.VerifyASN1(key, hash[:], signature)
}

func verificationKey(publicKey string) (*ecdsa.PublicKey, error) {
	point, err := bytesFromHex(publicKey)
	if err != nil {
		return nil, err
	}
	return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
}

// pointFromHex reads a point in the uncompressed form, 130 hex characters.
func pointFromHex(value any) (*ecdh.PublicKey, error) {
	content, err := bytesFromHex(value)
	if err != nil {
		return nil, err
	}
	point, err := ecdh.P256().NewPublicKey(content)
	if err != nil {
		return nil, errNoKey
	}
	return point, nil
}

func pointFromCompressed(content []byte) (*ecdh.PublicKey, error) {
	x, y := elliptic.UnmarshalCompressed(elliptic.P256(), content)
	if x == nil {
		return nil, errNoKey
	}
	point := make([]byte, 65)
	point[0] = 4
	x.FillBytes(point[1:33])
	y.FillBytes(point[33:])
	return ecdh.P256().NewPublicKey(point)
}

func bytesFromHex(value any) ([]byte, error) {
	text, _ := value.(string)
	content, err := hex.DecodeString(text)
	if err != nil || len(content) == 0 {
		return nil, errUnreadable
	}
	return content, nil
}

func jsonObject(text []byte) (map[string]any, error) {
	var object map[string]any
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, errUnreadable
	}
	return object, nil
}
