import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generateKeyPair, signMessage } from './p256.ts'
import { makeStamp, parseStamp, verifyStamp } from './stamp.ts'

const session = generateKeyPair()
const payload = '{"amount":5,"to":"ünïcode"}'
const good = JSON.parse(Buffer.from(makeStamp(session, payload), 'base64url').toString()) as {
  publicKey: string
  scheme: string
  signature: string
}

function url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}

/** Adds white space to the JSON, so that its length has this remainder and every padding occurs. */
function spaced(remainder: number): string {
  let text = JSON.stringify(good)
  while (text.length % 3 !== remainder) text += ' '
  return text
}

describe('a valid stamp', () => {
  test('parses, and verifies only for the exact bytes of its payload', () => {
    const stamp = parseStamp(makeStamp(session, payload))!
    expect(stamp.publicKey).toBe(session.publicKey.compressedHex)
    expect(verifyStamp(stamp, payload)).toBe(true)
    expect(verifyStamp(stamp, `${payload} `)).toBe(false)
    expect(verifyStamp(stamp, payload.normalize('NFD'))).toBe(false)
    expect(verifyStamp({ ...stamp, publicKey: generateKeyPair().publicKey.compressedHex }, payload)).toBe(
      false,
    )
  })

  test('can be made for any payload with any key', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const stamp = parseStamp(makeStamp(session, text))
        return stamp !== undefined && verifyStamp(stamp, text) && !verifyStamp(stamp, `${text}.`)
      }),
      { numRuns: 50 },
    )
  })

  test('may have its properties in any order', () => {
    const { publicKey, scheme, signature } = good
    const orders = [
      { publicKey, scheme, signature },
      { publicKey, signature, scheme },
      { scheme, publicKey, signature },
      { scheme, signature, publicKey },
      { signature, publicKey, scheme },
      { signature, scheme, publicKey },
    ]
    for (const members of orders) expect(parseStamp(url(JSON.stringify(members)))?.publicKey).toBe(publicKey)
  })

  test('may be base64url without padding or standard base64 with padding, for any length', () => {
    for (const remainder of [0, 1, 2]) {
      const bytes = Buffer.from(spaced(remainder))
      expect(parseStamp(bytes.toString('base64url'))?.publicKey).toBe(good.publicKey)
      expect(parseStamp(bytes.toString('base64'))?.publicKey).toBe(good.publicKey)
    }
  })

  test('is the same with spaces, escapes and upper-case hex in its JSON', () => {
    const text = JSON.stringify({ ...good, signature: good.signature.toUpperCase() }, null, 2)
    const stamp = parseStamp(url(text.replace('"scheme"', '"\\u0073cheme"')))
    expect(stamp && verifyStamp(stamp, payload)).toBe(true)
  })

  test('may have 2 KiB, and is rejected with one character more', () => {
    const text = JSON.stringify(good).padEnd(1536)
    expect(url(text)).toHaveLength(2048)
    expect(parseStamp(url(text))).toBeDefined()
    expect(parseStamp(url(`${text} `))).toBeUndefined()
  })
})

describe('a malformed stamp', () => {
  const json = JSON.stringify(good)
  const withChange = (change: Record<string, unknown>) => url(JSON.stringify({ ...good, ...change }))
  const withoutPadding = url(spaced(1))
  const { uncompressedHex, compressedHex } = session.publicKey
  /** Equal bytes for a lenient decoder: one of the four leftover bits of the last character is set. */
  const leftover = withoutPadding.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))

  test('is made from an encoding that is itself valid', () => {
    expect(parseStamp(withChange({}))).toBeDefined()
    expect(parseStamp(withoutPadding)).toBeDefined()
    expect(parseStamp(`${withoutPadding}==`)).toBeDefined()
    expect(Buffer.from(leftover, 'base64url')).toEqual(Buffer.from(withoutPadding, 'base64url'))
    expect(leftover).not.toBe(withoutPadding)
  })

  test.each([
    ['empty', ''],
    ['the JSON itself', json],
    ['an unknown scheme', withChange({ scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1' })],
    ['the scheme in lower case', withChange({ scheme: good.scheme.toLowerCase() })],
    ['an upper-case key', withChange({ publicKey: compressedHex.toUpperCase() })],
    ['an uncompressed key', withChange({ publicKey: uncompressedHex })],
    ['a hybrid key', withChange({ publicKey: `06${uncompressedHex.slice(2)}` })],
    ['a key off the curve', withChange({ publicKey: `02${'f'.repeat(64)}` })],
    ['a key cut short', withChange({ publicKey: compressedHex.slice(0, -2) })],
    ['no key', withChange({ publicKey: undefined })],
    ['no scheme', withChange({ scheme: undefined })],
    ['no signature', withChange({ signature: undefined })],
    ['an empty signature', withChange({ signature: '' })],
    ['a signature that is not hex', withChange({ signature: `${good.signature}zz` })],
    ['a signature of odd length', withChange({ signature: good.signature.slice(1) })],
    ['a signature that is an array', withChange({ signature: [good.signature] })],
    ['an unknown property', withChange({ extra: '' })],
    ['the same key twice', url(json.replace('{', `{"publicKey":"${compressedHex}",`))],
    ['another key before the right one', url(json.replace('{', '{"publicKey":"02",'))],
    ['a number as a key before the right one', url(json.replace('{', '{"publicKey":1,'))],
    ['a key with an escaped name before the right one', url(json.replace('{', '{"public\\u004bey":"02",'))],
    ['the scheme twice', url(json.replace('}', `,"scheme":"${good.scheme}"}`))],
    ['the signature twice', url(json.replace('}', `,"signature":"${good.signature}"}`))],
    ['padding one short', `${withoutPadding}=`],
    ['padding one too many', `${withoutPadding}===`],
    ['padding that is not needed', `${url(spaced(0))}=`],
    ['a whole group of padding', `${url(spaced(0))}====`],
    ['padding in the middle', `${url('{"publicKey')}==${url(json)}`],
    ['leftover bits', leftover],
    ['leftover bits, padded', `${leftover}==`],
    ['a space before', ` ${url(json)}`],
    ['a newline after', `${url(json)}\n`],
    ['a space inside', `${url(json).slice(0, 8)} ${url(json).slice(8)}`],
    ['junk after', `${url(json)}!`],
    ['a character outside latin-1', `${url(json)}\u{1f600}`],
    ['an array', url('[]')],
    ['null', url('null')],
    ['a string', url('"stamp"')],
    ['a byte order mark', url(`\ufeff${json}`)],
    ['two documents', url(json + json)],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x7b, 0x7d]).toString('base64url')],
    ['deep nesting', url('['.repeat(1500))],
    ['__proto__', url(`{"__proto__":${json}}`)],
  ])('is rejected: %s', (_description, header) => {
    expect(parseStamp(header)).toBeUndefined()
  })

  test('is rejected without throwing if it is arbitrary text, or arbitrary JSON in base64url', () => {
    const hostile = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.base64String(),
      fc.json().map(url),
    )
    fc.assert(fc.property(hostile, (header) => parseStamp(header) === undefined))
  })

  test('parses but does not verify if only its signature is not DER', () => {
    for (const signature of ['00', `${good.signature}00`, good.signature.slice(0, -2)]) {
      const stamp = parseStamp(withChange({ signature }))!
      expect(verifyStamp(stamp, payload)).toBe(false)
    }
    const raw = Buffer.from(signMessage(session, Buffer.from(payload), 'ieee-p1363')).toString('hex')
    expect(verifyStamp(parseStamp(withChange({ signature: raw }))!, payload)).toBe(false)
  })
})
