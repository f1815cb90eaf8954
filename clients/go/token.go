package signing

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"time"
)

var tokenHeader = base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"ES256","typ":"JWT"}`))

// checkToken checks the token that a sign-in by code signs in its second call: a compact ES256 JWT of the quorum key for this wallet
// and this key.
func checkToken(token, publicKey string, pin Pin) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || parts[0] != tokenHeader {
		return errNoToken
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return errNoToken
	}
	if !isTokenSigned(parts[0]+"."+parts[1], signature, pin.QuorumPublicKey) {
		return &RefusedError{"The token is not signed by the quorum key."}
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return errNoToken
	}
	var claims struct {
		OrganizationID string `json:"organization_id"`
		PublicKey      string `json:"public_key"`
		Exp            string `json:"exp"`
	}
	if json.Unmarshal(body, &claims) != nil {
		return errNoToken
	}
	if claims.OrganizationID != pin.AccountID {
		return &RefusedError{"The token is for another wallet."}
	}
	if claims.PublicKey != publicKey {
		return &RefusedError{"The token is for another key."}
	}
	if expiresAt, err := strconv.ParseInt(claims.Exp, 10, 64); err != nil || expiresAt <= time.Now().UnixMilli() {
		return &RefusedError{"The token has expired."}
	}
	return nil
}

func isTokenSigned(signed string, signature []byte, publicKey string) bool {
	key, err := verificationKey(publicKey)
	hash := sha256.Sum256([]byte(signed))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	return err == nil && ecdsa.Verify(key, hash[:], r, s)
}
