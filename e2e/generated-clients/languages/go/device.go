package main

import (
	"bufio"
	"encoding/json"
	"os"
)

// device is the customer's device, on the other side of a pipe: it has the key of the session, the backend has not.
type device struct{ answers *bufio.Reader }

type delivery struct {
	Body    string            `json:"body"`
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
}

func openDevice() *device {
	return &device{answers: bufio.NewReader(os.Stdin)}
}

func (d *device) seal(bundle, account string) string {
	return ask[string](d, map[string]any{"ask": "seal", "bundle": bundle, "accountId": account})
}

func (d *device) approveSignIn(payload, account string) string {
	return ask[string](d, map[string]any{"ask": "approveSignIn", "payload": payload, "accountId": account})
}

func (d *device) approve(payload, account, quote string) string {
	return ask[string](d, map[string]any{"ask": "approve", "payload": payload, "accountId": account, "quoteId": quote})
}

func (d *device) webhook() delivery {
	return ask[delivery](d, map[string]any{"ask": "webhook"})
}

func (d *device) finish(outcome map[string]any) {
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"outcome": outcome}))
}

func ask[T any](d *device, question map[string]any) T {
	check(json.NewEncoder(os.Stdout).Encode(question))
	line, err := d.answers.ReadBytes('\n')
	check(err)
	var answer T
	check(json.Unmarshal(line, &answer))
	return answer
}
