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

/**
 * JSON whose encoding has the wanted remainder, so that every padding occurs: white space does not matter.
 */
function spaced(remainder: number): string {
  let text = JSON.stringify(good)
  while (text.length % 3 !== remainder) text += ' '
  return text
}

describe('a good stamp', () => {
  test('parses, verifies for its payload byte by byte, and for no other', () => {
    const stamp = parseStamp(makeStamp(session, payload))!
    expect(stamp.publicKey).toBe(session.publicKey.compressedHex)
    expect(verifyStamp(stamp, payload)).toBe(true)
    expect(verifyStamp(stamp, `${payload} `)).toBe(false)
    expect(verifyStamp(stamp, payload.normalize('NFD'))).toBe(false)
    expect(verifyStamp({ ...stamp, publicKey: generateKeyPair().publicKey.compressedHex }, payload)).toBe(
      false,
    )
  })

  test('any payload, any key', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const stamp = parseStamp(makeStamp(session, text))
        return stamp !== undefined && verifyStamp(stamp, text) && !verifyStamp(stamp, `${text}.`)
      }),
      { numRuns: 50 },
    )
  })

  test('the members come in all six orders', () => {
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

  test('base64url without padding and standard base64 with it, whatever the length', () => {
    for (const remainder of [0, 1, 2]) {
      const bytes = Buffer.from(spaced(remainder))
      expect(parseStamp(bytes.toString('base64url'))?.publicKey).toBe(good.publicKey)
      expect(parseStamp(bytes.toString('base64'))?.publicKey).toBe(good.publicKey)
    }
  })

  test('JSON with spaces, escapes and upper-case hex of the signature is the same stamp', () => {
    const text = JSON.stringify({ ...good, signature: good.signature.toUpperCase() }, null, 2)
    const stamp = parseStamp(url(text.replace('"scheme"', '"\\u0073cheme"')))
    expect(stamp && verifyStamp(stamp, payload)).toBe(true)
  })

  test('2 KiB is read, a character more is not', () => {
    const text = JSON.stringify(good).padEnd(1536)
    expect(url(text)).toHaveLength(2048)
    expect(parseStamp(url(text))).toBeDefined()
    expect(parseStamp(url(`${text} `))).toBeUndefined()
  })
})

describe('malformed', () => {
  const json = JSON.stringify(good)
  const with_ = (change: Record<string, unknown>) => url(JSON.stringify({ ...good, ...change }))
  const withoutPadding = url(spaced(1))
  const { uncompressedHex, compressedHex } = session.publicKey
  /** Equal bytes for a lenient decoder: one of the four leftover bits of the last character is set. */
  const leftover = withoutPadding.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))

  test('the encoding that the cases below change is itself valid', () => {
    expect(parseStamp(with_({}))).toBeDefined()
    expect(parseStamp(withoutPadding)).toBeDefined()
    expect(parseStamp(`${withoutPadding}==`)).toBeDefined()
    expect(Buffer.from(leftover, 'base64url')).toEqual(Buffer.from(withoutPadding, 'base64url'))
    expect(leftover).not.toBe(withoutPadding)
  })

  test.each([
    ['empty', ''],
    ['the JSON itself', json],
    ['an unknown scheme', with_({ scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1' })],
    ['the scheme in lower case', with_({ scheme: good.scheme.toLowerCase() })],
    ['an upper-case key', with_({ publicKey: compressedHex.toUpperCase() })],
    ['an uncompressed key', with_({ publicKey: uncompressedHex })],
    ['a hybrid key', with_({ publicKey: `06${uncompressedHex.slice(2)}` })],
    ['a key off the curve', with_({ publicKey: `02${'f'.repeat(64)}` })],
    ['a key cut short', with_({ publicKey: compressedHex.slice(0, -2) })],
    ['no key', with_({ publicKey: undefined })],
    ['no scheme', with_({ scheme: undefined })],
    ['no signature', with_({ signature: undefined })],
    ['an empty signature', with_({ signature: '' })],
    ['a signature that is not hex', with_({ signature: `${good.signature}zz` })],
    ['a signature of odd length', with_({ signature: good.signature.slice(1) })],
    ['a signature that is an array', with_({ signature: [good.signature] })],
    ['a member more', with_({ extra: '' })],
    ['the same key twice', url(json.replace('{', `{"publicKey":"${compressedHex}",`))],
    ['another key first', url(json.replace('{', '{"publicKey":"02",'))],
    ['a key first that is a number', url(json.replace('{', '{"publicKey":1,'))],
    ['a key first, spelt with an escape', url(json.replace('{', '{"public\\u004bey":"02",'))],
    ['the scheme twice', url(json.replace('}', `,"scheme":"${good.scheme}"}`))],
    ['the signature twice', url(json.replace('}', `,"signature":"${good.signature}"}`))],
    ['padding one short', `${withoutPadding}=`],
    ['padding one too many', `${withoutPadding}===`],
    ['padding where none belongs', `${url(spaced(0))}=`],
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
  ])('refused: %s', (_what, header) => {
    expect(parseStamp(header)).toBeUndefined()
  })

  test('arbitrary text, and arbitrary JSON in base64url, is refused without throwing', () => {
    const hostile = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.base64String(),
      fc.json().map(url),
    )
    fc.assert(fc.property(hostile, (header) => parseStamp(header) === undefined))
  })

  test('a well-formed stamp with a signature that is not DER parses and does not verify', () => {
    for (const signature of ['00', `${good.signature}00`, good.signature.slice(0, -2)]) {
      const stamp = parseStamp(with_({ signature }))!
      expect(verifyStamp(stamp, payload)).toBe(false)
    }
    const raw = Buffer.from(signMessage(session, Buffer.from(payload), 'ieee-p1363')).toString('hex')
    expect(verifyStamp(parseStamp(with_({ signature: raw }))!, payload)).toBe(false)
  })
})
