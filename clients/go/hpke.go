package signing

import (
	"crypto/ecdh"
	"crypto/hpke"
	"slices"
)

var info = []byte("turnkey_hpke")

// seal returns the encapsulated key, 65 bytes, and the ciphertext with its tag.
func seal(recipient *ecdh.PublicKey, plaintext []byte) (enc, ciphertext []byte, err error) {
	public, err := hpke.NewDHKEMPublicKey(recipient)
	if err != nil {
		return nil, nil, err
	}
	enc, sender, err := hpke.NewSender(public, hpke.HKDFSHA256(), hpke.AES256GCM(), info)
	if err != nil {
		return nil, nil, err
	}
	ciphertext, err = sender.Seal(slices.Concat(enc, recipient.Bytes()), plaintext)
	return enc, ciphertext, err
}

func open(recipient *ecdh.PrivateKey, enc *ecdh.PublicKey, ciphertext []byte) ([]byte, error) {
	private, err := hpke.NewDHKEMPrivateKey(recipient)
	if err != nil {
		return nil, err
	}
	opener, err := hpke.NewRecipient(enc.Bytes(), private, hpke.HKDFSHA256(), hpke.AES256GCM(), info)
	if err != nil {
		return nil, err
	}
	plaintext, err := opener.Open(slices.Concat(enc.Bytes(), recipient.PublicKey().Bytes()), ciphertext)
	if err != nil {
		return nil, &RefusedError{"The bundle is not sealed to this key."}
	}
	return plaintext, nil
}
