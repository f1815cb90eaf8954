package main

import (
	"encoding/json"
	"fmt"
	"os"

	"example.com/countersign/signing"
)

// device is the customer's device. It has the key of the session, the backend has not; here both are in one process.
type device struct {
	key    *signing.Key
	quorum string
}

func openDevice() *device {
	key, err := signing.GenerateKey()
	check(err)
	return &device{key: key, quorum: os.Getenv("QUORUM_PUBLIC_KEY")}
}

func (d *device) seal(bundle, account string) string {
	sealed, err := d.key.SealCode("000000", bundle, signing.Pin{QuorumPublicKey: d.quorum, AccountID: account})
	check(err)
	return sealed
}

func (d *device) approveSignIn(payload, account string) string {
	stamp, err := d.key.StampSignIn(payload, signing.Pin{QuorumPublicKey: d.quorum, AccountID: account})
	check(err)
	return stamp
}

// approve signs the quote that the customer was shown, and nothing else.
func (d *device) approve(payload, account, quote string) string {
	var said struct{ Operation, Account, Quote string }
	check(json.Unmarshal([]byte(payload), &said))
	if said.Operation != "quote_execute" || said.Account != account || said.Quote != quote {
		fail(fmt.Errorf("not what the customer confirmed: %s", payload))
	}
	stamp, err := d.key.Stamp(payload)
	check(err)
	return stamp
}

type delivery struct {
	Body    string            `json:"body"`
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
}

// webhook is a delivery as it arrives, with the secret that signs it.
func (d *device) webhook() delivery {
	check(json.NewEncoder(os.Stdout).Encode(map[string]string{"ask": "webhook"}))
	var answer delivery
	check(json.NewDecoder(os.Stdin).Decode(&answer))
	return answer
}

func (d *device) finish(outcome map[string]any) {
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"outcome": outcome}))
}
