import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJsonObject } from '../json-object.ts'
import {
  checkClientData,
  classifyPasskeyOrigin,
  decodePasskeyField,
  LOCALHOST_ANY_PORT,
} from './client-data.ts'
import { COSE_ALGORITHMS } from './cose-algorithms.ts'

function check(origin: string, origins: readonly string[]) {
  const clientData = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge: 'AAAA', origin }))
  return checkClientData(clientData, 'webauthn.get', ['AAAA'], origins)
}

describe('the origin of a passkey response', () => {
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
  ])('may be %s if every port of localhost is allowed: %s', (origin, accepted) => {
    expect(check(origin, [LOCALHOST_ANY_PORT])).toBe(accepted ? undefined : 'origin')
  })

  test('is not matched with any other pattern', () => {
    for (const pattern of ['https://*.example', 'https://wallet.example:*', '*', 'https://*'])
      expect(check('https://wallet.example', [pattern])).toBe('origin')
  })

  const android = `android:apk-key-hash:${'A'.repeat(43)}`
  test('may be any of several allowed origins, including origins of apps', () => {
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
  ])('%s has the kind %s', (origin, kind) => expect(classifyPasskeyOrigin(origin)).toBe(kind))
})

describe('the parts of a passkey response', () => {
  test('are decoded from base64url with or without its padding, and rejected otherwise', () => {
    for (const text of ['AAE', 'AAE=', 'AA', 'AA==']) expect(decodePasskeyField(text, 8)).toBeDefined()
    for (const text of ['', '=', 'AAE==', 'AA=', 'AAAA====', 'A A=', 'AB', 'AB==', '+/8=', 'AAE\n'])
      expect(decodePasskeyField(text, 8)).toBeUndefined()
    expect(decodePasskeyField('A'.repeat(12), 8)).toBeUndefined()
    expect(decodePasskeyField('A'.repeat(11), 8)).toHaveLength(8)
  })

  test('may use exactly the supported COSE algorithms', () =>
    expect(COSE_ALGORITHMS).toEqual([-7, -35, -36, -8, -53, -257]))

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
  ])('are rejected unless the JSON is a single object without duplicate names: %s', (text) =>
    expect(readJsonObject(text)).toBeUndefined(),
  )

  test('may be unusual but valid JSON objects', () => {
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
