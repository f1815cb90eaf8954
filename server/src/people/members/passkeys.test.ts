import { expect, test } from 'vitest'
import { relyingPartyAt } from './passkeys.ts'

test.each([
  ['https://north.pay.example.com', 'north.pay.example.com'],
  ['http://localhost:8787', 'localhost'],
  ['http://north.localhost:8080', 'north.localhost'],
  ['http://north.pay.example.com', undefined],
  ['http://localhost.example.com', undefined],
  ['http://evillocalhost', undefined],
  ['https://127.0.0.1:8787', undefined],
])('a passkey is for the host of its cell, by TLS or on this machine: %s', (origin, rpId) => {
  expect(relyingPartyAt(origin)?.rpId).toBe(rpId)
})
