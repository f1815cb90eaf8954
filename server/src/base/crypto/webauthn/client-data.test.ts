import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJsonObject } from '../json-object.ts'
import { checkClientData, LOCALHOST_ANY_PORT, passkeyBytes, passkeyOriginKind } from './client-data.ts'
import { COSE_ALGORITHMS } from './cose-algorithms.ts'

function check(origin: string, origins: readonly string[]) {
  const clientData = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge: 'AAAA', origin }))
  return checkClientData(clientData, 'webauthn.get', ['AAAA'], origins)
}

describe('origins', () => {
  test.each([
    ['http://localhost', true],
    ['http://localhost:1', true],
    ['http://localhost:5173', true],
    ['http://localhost:65535', true],
    ['http://localhost:65536', false],
    ['http://localhost:0', false],
    ['http://localhost:08', false],
    ['http://localhost:*', false],
    ['http://localhost:', false],
    ['https://localhost', false],
    ['http://localhost.evil.example', false],
    ['http://localhost:80@evil.example', false],
    ['http://LOCALHOST', false],
    ['http://127.0.0.1', false],
  ])('%s under any port of localhost: %s', (origin, accepted) => {
    expect(check(origin, [LOCALHOST_ANY_PORT])).toBe(accepted ? undefined : 'origin')
  })

  test('no other pattern is accepted', () => {
    for (const pattern of ['https://*.example', 'https://wallet.example:*', '*', 'https://*'])
      expect(check('https://wallet.example', [pattern])).toBe('origin')
  })

  const android = `android:apk-key-hash:${'A'.repeat(43)}`
  test('several origins, and those of apps', () => {
    const origins = [
      'https://other.example',
      'ios:bundle-id:com.example.wallet',
      android,
      'https://wallet.example',
    ]
    for (const origin of origins) expect(check(origin, origins)).toBeUndefined()
    for (const origin of origins) expect(check(`${origin}x`, origins)).toBe('origin')
  })

  test.each([
    ['https://wallet.example', 'web'],
    ['https://wallet.example:8443', 'web'],
    ['https://wallet.example:443', undefined],
    ['https://wallet.example/', undefined],
    ['https://Wallet.example', undefined],
    ['https://user@wallet.example', undefined],
    ['https://*.example:*', undefined],
    ['https://', undefined],
    ['http://wallet.example', undefined],
    ['http://localhost', 'localhost'],
    ['http://localhost:3000', 'localhost'],
    [LOCALHOST_ANY_PORT, 'localhost'],
    [android, 'app'],
    [`${android}=`, undefined],
    ['ios:bundle-id:com.example.wallet', 'app'],
    ['ios:bundle-id:', undefined],
    ['null', undefined],
    ['', undefined],
  ])('kind of %s: %s', (origin, kind) => expect(passkeyOriginKind(origin)).toBe(kind))
})

describe('building blocks', () => {
  test('base64url with its padding or without, and nothing else', () => {
    for (const text of ['AAE', 'AAE=', 'AA', 'AA==']) expect(passkeyBytes(text, 8)).toBeDefined()
    for (const text of ['', '=', 'AAE==', 'AA=', 'AAAA====', 'A A=', 'AB', 'AB==', '+/8=', 'AAE\n'])
      expect(passkeyBytes(text, 8)).toBeUndefined()
    expect(passkeyBytes('A'.repeat(12), 8)).toBeUndefined()
    expect(passkeyBytes('A'.repeat(11), 8)).toHaveLength(8)
  })

  test('the algorithms on offer', () => expect(COSE_ALGORITHMS).toEqual([-7, -35, -36, -8, -53, -257]))

  test.each([
    ['{"a":1,"a":1}'],
    ['{"a":{"b":1,"\\u0062":2}}'],
    ['{"a":[{"b":1},{"c":1,"c":2}]}'],
    ['{"__proto__":1,"__proto__":2}'],
    ['{"a":"\\u0000"}'],
    ['{"\\u0000":1}'],
    ['{"a":["\\ud800"]}'],
    ['[]'],
    ['null'],
    ['"a"'],
    ['{"a":1}{}'],
    ['\ufeff{}'],
    ['{"a":1,}'],
    [''],
  ])('not one JSON object with each name once: %s', (text) => expect(readJsonObject(text)).toBeUndefined())

  test('JSON objects that look strange and are valid', () => {
    for (const text of [
      '{}',
      '{"a":"b\\":c\\":"}',
      '{"a:\\"":"\\\\" , "b" : ":"}',
      '{"x":{"a":1},"y":{"a":1}}',
      '{"__proto__":{"a":1}}',
    ])
      expect(readJsonObject(text), text).toBeDefined()
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value)
        const clean = !text.includes('\\u0000')
        return !clean || readJsonObject(text) !== undefined
      }),
    )
    expect(readJsonObject(`{"a":${'['.repeat(8000)}${']'.repeat(8000)}}`)).toBeDefined()
  })
})
