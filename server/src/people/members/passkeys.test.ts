import { expect, test } from 'vitest'
import { findRelyingParty } from './passkeys.ts'

test.each([
  ['https://north.pay.example.com', 'north.pay.example.com'],
  ['http://localhost:8787', 'localhost'],
  ['http://north.localhost:8080', 'north.localhost'],
  ['http://north.pay.example.com', undefined],
  ['http://localhost.example.com', undefined],
  ['http://evillocalhost', undefined],
  ['https://127.0.0.1:8787', undefined],
])('passkeys require TLS and a host name, or localhost: %s has the relying party %s', (origin, rpId) => {
  expect(findRelyingParty(origin)?.rpId).toBe(rpId)
})
