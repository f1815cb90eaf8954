import { API } from '@countersign/contract/api'
import { LOGGED_BODY_BYTES_MAX } from '@countersign/contract/platforms/request-log'
import { expect, test } from 'vitest'
import { masked, maySecretsBeIn } from '../../src/audit/mask.ts'
import { bodyShown } from '../../src/audit/request-log.ts'

/** The names of all members of a schema that holds a text, at any depth. */
function textsIn(schema: unknown, found: Set<string>): Set<string> {
  if (Array.isArray(schema)) for (const one of schema) textsIn(one, found)
  else if (typeof schema === 'object' && schema !== null) {
    const { properties } = schema as { properties?: Record<string, { type?: string }> }
    for (const [name, { type }] of Object.entries(properties ?? {})) if (type === 'string') found.add(name)
    for (const one of Object.values(schema)) textsIn(one, found)
  }
  return found
}

const LOOKS_SECRET =
  /secret|token$|password|signature|^pan|cvv|cvc|otp|bundle|deviceCode|cardNumber|privateKey|signingKey|credentials$|assertion$|attestation/i

/** No secrets: which statement about its maker a new passkey is asked for. */
const SHOWN: readonly string[] = ['attestation']

test('every text of the contract whose name looks like a secret is masked, in requests and in answers', () => {
  const names = textsIn(Object.values(API), new Set())
  const secret = [...names].filter((name) => LOOKS_SECRET.test(name))
  expect(secret.length).toBeGreaterThan(10)
  const written = secret.filter((name) => !maySecretsBeIn(JSON.stringify({ in: [{ [name]: 'x' }] }), false))
  expect(written).toEqual(SHOWN)
  const shown = secret.filter((name) =>
    (masked({ in: [{ [name]: 'x' }] }) as { in: object[] }).in.some((one) => Object.values(one)[0] === 'x'),
  )
  expect(shown).toEqual(SHOWN)
})

test('a secret is masked however its name is written, and a body without one is kept as it was written', () => {
  for (const name of ['"clientSecret"', '"client\\u0053ecret"', '"clientSecret" \n'])
    expect(bodyShown(`{ "a": [{ ${name}: "x" }] }`, true, true)).toBe('{"a":[{"clientSecret":"***"}]}')
  expect(bodyShown('{ "code": 1 }', true, true)).toBe('{"code":"***"}')
  expect(bodyShown('{ "code": 1 }', false, true)).toBe('{ "code": 1 }')
  expect(bodyShown('{ "a": "token" }', true, true)).toBe('{ "a": "token" }')
  expect(bodyShown('{ "a": "\u0000" }', false, true)).not.toContain('\u0000')
})

test('a body over 8 KiB is cut between letters, and one that is no JSON is left out', () => {
  const text = bodyShown(JSON.stringify({ name: 'é'.repeat(LOGGED_BODY_BYTES_MAX) }), true)!
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LOGGED_BODY_BYTES_MAX)
  expect(Buffer.byteLength(text)).toBeGreaterThan(LOGGED_BODY_BYTES_MAX - 16)
  expect(text.endsWith('é…')).toBe(true)
  expect(bodyShown('clientSecret=x', true)).toBeNull()
})
