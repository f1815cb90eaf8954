package signing

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"testing"
)

type pair struct{ PrivateKey, PublicKey, UncompressedPublicKey string }

type stamp struct{ PublicKey, Scheme, Signature string }

// The vectors that all clients share, of the server's own making: clients/vectors.json, or the file that VECTORS names.
var vectors = readVectors()

type vectorFile struct {
	AccountID       string
	QuorumPublicKey string
	Key, Target     pair
	Stamps          []struct{ Payload, Stamp string }
	SignInTokens    []struct {
		Comment, Token string
		Valid          bool
	}
	TargetBundles []struct {
		Comment, Bundle string
		Valid           bool
	}
	SessionKeys   []struct{ Comment, Sealed, PublicKey string }
	WalletExports []struct{ Comment, Sealed, Phrase string }
}

func readVectors() (file vectorFile) {
	text, err := os.ReadFile(cmp.Or(os.Getenv("VECTORS"), "../vectors.json"))
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		panic(err)
	}
	return file
}

func pin() Pin {
	return Pin{QuorumPublicKey: vectors.QuorumPublicKey, AccountID: vectors.AccountID}
}

func keyOf(t *testing.T, one pair) *Key {
	t.Helper()
	scalar, err := hex.DecodeString(one.PrivateKey)
	must(t, err)
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	must(t, err)
	key, err := NewKey(private)
	must(t, err)
	return key
}

func TestAKeyWritesItsPublicHalfInBothForms(t *testing.T) {
	key := keyOf(t, vectors.Key)
	if key.PublicKey() != vectors.Key.PublicKey || key.ClientPublicKey() != vectors.Key.UncompressedPublicKey {
		t.Error(key.PublicKey(), key.ClientPublicKey())
	}
}

func TestAStampHasTheFormOfTheSharedOnesAndSignsTheExactCharacters(t *testing.T) {
	key := keyOf(t, vectors.Key)
	for _, one := range vectors.Stamps {
		made, err := key.Stamp(one.Payload)
		must(t, err)
		for _, text := range []string{one.Stamp, made} {
			read := readStamp(t, text)
			if read.PublicKey != vectors.Key.PublicKey || read.Scheme != readStamp(t, one.Stamp).Scheme {
				t.Error(text)
			}
			if !verifies(t, key, read, one.Payload) || verifies(t, key, read, one.Payload+" ") {
				t.Error("wrong signature", text)
			}
		}
	}
}

func TestACodeIsSealedToTheTargetOfAValidBundleOnly(t *testing.T) {
	key, target := keyOf(t, vectors.Key), keyOf(t, vectors.Target)
	for _, one := range vectors.TargetBundles {
		sealed, err := key.SealCode("000000", one.Bundle, pin())
		if expectRefused(t, one.Comment, one.Valid, err) {
			continue
		}
		var bundle struct{ EncappedPublic, Ciphertext string }
		must(t, json.Unmarshal([]byte(sealed), &bundle))
		enc, err := pointFromHex(bundle.EncappedPublic)
		must(t, err)
		ciphertext, err := hex.DecodeString(bundle.Ciphertext)
		must(t, err)
		opened, err := open(target.agreement, enc, ciphertext)
		must(t, err)
		var content map[string]string
		must(t, json.Unmarshal(opened, &content))
		if len(content) != 2 || content["otp_code"] != "000000" || content["public_key"] != key.PublicKey() {
			t.Error(content)
		}
	}
}

func TestATokenIsSignedIfTheQuorumKeyIssuedItForThisWalletAndKey(t *testing.T) {
	key := keyOf(t, vectors.Key)
	for _, one := range vectors.SignInTokens {
		made, err := key.StampSignIn(one.Token, pin())
		if !expectRefused(t, one.Comment, one.Valid, err) && !verifies(t, key, readStamp(t, made), one.Token) {
			t.Error(one.Comment)
		}
	}
}

func TestASessionKeyOpensIfItIsWholeAndSealedToThisKey(t *testing.T) {
	for _, one := range vectors.SessionKeys {
		opened, err := keyOf(t, vectors.Key).OpenSessionKey(one.Sealed)
		if !expectRefused(t, one.Comment, one.PublicKey != "", err) && opened.PublicKey() != one.PublicKey {
			t.Error(one.Comment, opened.PublicKey())
		}
	}
}

func TestARecoveryPhraseOpensIfItIsOfThisWalletAndSealedToThisKey(t *testing.T) {
	for _, one := range vectors.WalletExports {
		phrase, err := keyOf(t, vectors.Key).OpenWalletExport(one.Sealed, pin())
		if !expectRefused(t, one.Comment, one.Phrase != "", err) && phrase != one.Phrase {
			t.Error(one.Comment, phrase)
		}
	}
}

// expectRefused is true for an expected error.
func expectRefused(t *testing.T, comment string, isValid bool, err error) bool {
	t.Helper()
	if isValid {
		must(t, err)
		return false
	}
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("%s: %v", comment, err)
	}
	return true
}

func readStamp(t *testing.T, text string) (read stamp) {
	t.Helper()
	content, err := base64.RawURLEncoding.DecodeString(text)
	must(t, err)
	must(t, json.Unmarshal(content, &read))
	return read
}

func verifies(t *testing.T, key *Key, read stamp, payload string) bool {
	t.Helper()
	signature, err := hex.DecodeString(read.Signature)
	must(t, err)
	hash := sha256.Sum256([]byte(payload))
	return ecdsa.VerifyASN1(&key.signing.PublicKey, hash[:], signature)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
