// Package signing has the keys of a customer's device: stamps, sealed one-time codes, opened bundles.
package signing

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
)

const (
	encBytes        = 33
	sessionKeyBytes = encBytes + 32 + 16
)

// Key is a P-256 key that signs for a session, or that the server seals to. It belongs on the customer's device, not on a backend.
type Key struct {
	signing   *ecdsa.PrivateKey
	agreement *ecdh.PrivateKey
}

// Pin is what a device knows without the server: the key of the server's enclave, 130 hex characters, and its own wallet.
type Pin struct {
	QuorumPublicKey string
	AccountID       string
}

// GenerateKey makes a new key. Every sign-in by code needs one.
func GenerateKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return NewKey(private)
}

// NewKey uses an existing P-256 key, such as one that was read from a key store.
func NewKey(private *ecdsa.PrivateKey) (*Key, error) {
	agreement, err := private.ECDH()
	if err != nil {
		return nil, err
	}
	if agreement.Curve() != ecdh.P256() {
		return nil, &RefusedError{"The key is not a key of P-256."}
	}
	return &Key{signing: private, agreement: agreement}, nil
}

// PublicKey is 66 hex characters, compressed, as in stamps.
func (k *Key) PublicKey() string {
	point := k.agreement.PublicKey().Bytes()
	return hex.EncodeToString(append([]byte{2 + point[64]&1}, point[1:33]...))
}

// ClientPublicKey is the clientPublicKey of a call whose result is sealed to this key: 130 hex characters.
func (k *Key) ClientPublicKey() string {
	return hex.EncodeToString(k.agreement.PublicKey().Bytes())
}

// Stamp signs the characters as received, for Svc-Wallet-Signature. It does not check what they authorize.
func (k *Key) Stamp(payloadToSign string) (string, error) {
	hash := sha256.Sum256([]byte(payloadToSign))
	signature, err := ecdsa.SignASN1(rand.Reader, k.signing, hash[:])
	if err != nil {
		return "", err
	}
	stamp, err := json.Marshal(map[string]string{
		"publicKey": k.PublicKey(),
		"scheme":    "SIGNATURE_SCHEME_TK_API_P256",
		"signature": hex.EncodeToString(signature),
	})
	return base64.RawURLEncoding.EncodeToString(stamp), err
}

// SealCode seals a one-time code with this key to an otpEncryptionTargetBundle, and returns the encryptedOtpBundle. It returns a
// RefusedError unless the quorum key signed the bundle for this wallet.
func (k *Key) SealCode(code, bundle string, pin Pin) (string, error) {
	data, err := openEnvelope(bundle, pin)
	if err != nil {
		return "", err
	}
	target, err := pointFromHex(data["targetPublic"])
	if err != nil {
		return "", err
	}
	content, err := json.Marshal(map[string]string{"otp_code": code, "public_key": k.PublicKey()})
	if err != nil {
		return "", err
	}
	enc, ciphertext, err := seal(target, content)
	if err != nil {
		return "", err
	}
	sealed, err := json.Marshal(map[string]string{
		"encappedPublic": hex.EncodeToString(enc),
		"ciphertext":     hex.EncodeToString(ciphertext),
	})
	return string(sealed), err
}

// StampSignIn checks and signs the token in the first response of a sign-in by code.
func (k *Key) StampSignIn(payloadToSign string, pin Pin) (string, error) {
	if err := checkToken(payloadToSign, k.PublicKey(), pin); err != nil {
		return "", err
	}
	return k.Stamp(payloadToSign)
}

// OpenSessionKey opens an encryptedSessionSigningKey, and returns the key that signs for the session.
func (k *Key) OpenSessionKey(sealed string) (*Key, error) {
	content, ok := decodeBase58Check(sealed)
	if !ok || len(content) != sessionKeyBytes {
		return nil, &RefusedError{"This is not a sealed session key."}
	}
	enc, err := pointFromCompressed(content[:encBytes])
	if err != nil {
		return nil, err
	}
	scalar, err := open(k.agreement, enc, content[encBytes:])
	if err != nil {
		return nil, err
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	if err != nil {
		return nil, &RefusedError{"The sealed secret is not a private key."}
	}
	return NewKey(private)
}

// OpenWalletExport opens encryptedWalletCredentials, and returns the recovery phrase.
func (k *Key) OpenWalletExport(sealed string, pin Pin) (string, error) {
	data, err := openEnvelope(sealed, pin)
	if err != nil {
		return "", err
	}
	enc, err := pointFromHex(data["encappedPublic"])
	if err != nil {
		return "", err
	}
	ciphertext, err := bytesFromHex(data["ciphertext"])
	if err != nil {
		return "", err
	}
	phrase, err := open(k.agreement, enc, ciphertext)
	return string(phrase), err
}
