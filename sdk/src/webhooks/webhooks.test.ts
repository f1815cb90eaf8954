import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../time/system-clock.ts'
import { verifySvcSignature, verifyWebhook, WebhookVerificationError } from './webhooks.ts'

const SECRET = `whsec_${randomBytes(32).toString('base64')}`
const ID = 'Event:01900000-0000-7000-8000-000000000001'

/** An event with an amount that a number cannot hold. */
const PAYLOAD = JSON.stringify({
  id: ID,
  type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED',
  timestamp: '2026-01-01T00:00:00.000Z',
  objectId: 'InternalAccount:1',
  sequence: 3,
  data: { id: 'InternalAccount:1', balance: { amount: 0, currency: { code: 'USD' } } },
}).replace('"amount":0', '"amount":9007199254740993')

const secondsAgo = (seconds: number) => new Date(systemClock() - seconds * 1000)

/** The headers that the library of Standard Webhooks would send. */
function signedByLibrary(payload: string, at = secondsAgo(0), secret = SECRET) {
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(ID, at, payload),
  }
}

describe('a webhook signed by Standard Webhooks', () => {
  test('is verified and returns the event with exact amounts', async () => {
    const event = await verifyWebhook({ payload: PAYLOAD, headers: signedByLibrary(PAYLOAD), secret: SECRET })
    if (event.type !== 'INTERNAL_ACCOUNT.BALANCE_UPDATED') throw new Error(event.type)
    expect(event.data.balance.amount).toBe(9007199254740993n)
    expect(event).toMatchObject({ id: ID, sequence: 3, objectId: 'InternalAccount:1' })
  })

  test('is verified from bytes and with any type of header object', async () => {
    const headers = signedByLibrary(PAYLOAD)
    const forms = [
      new Headers(headers),
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ]
    for (const form of forms)
      for (const payload of [PAYLOAD, Buffer.from(PAYLOAD), new TextEncoder().encode(PAYLOAD)])
        expect((await verifyWebhook({ payload, headers: form, secret: SECRET })).id).toBe(ID)
  })

  test('is verified with either secret and either signature during a rotation', async () => {
    const other = `whsec_${randomBytes(32).toString('base64')}`
    const headers = signedByLibrary(PAYLOAD)
    const both = {
      ...headers,
      'webhook-signature': `v1a,AAAA ${signedByLibrary(PAYLOAD, undefined, other)['webhook-signature']} ${headers['webhook-signature']}`,
    }
    expect((await verifyWebhook({ payload: PAYLOAD, headers: both, secret: SECRET })).id).toBe(ID)
    expect((await verifyWebhook({ payload: PAYLOAD, headers: both, secret: other })).id).toBe(ID)
    expect((await verifyWebhook({ payload: PAYLOAD, headers, secret: [other, SECRET] })).id).toBe(ID)
    expect(new Webhook(SECRET).verify(PAYLOAD, both)).toMatchObject({ id: ID })
  })

  test('is rejected if a part is changed or missing, or the timestamp is too old or too new', async () => {
    const good = signedByLibrary(PAYLOAD)
    const refused = async (headers: Record<string, string | undefined>, payload = PAYLOAD, secret = SECRET) =>
      expect(verifyWebhook({ payload, headers, secret }), JSON.stringify(headers)).rejects.toBeInstanceOf(
        WebhookVerificationError,
      )
    await refused(good, `${PAYLOAD} `)
    await refused(good, PAYLOAD, `whsec_${randomBytes(32).toString('base64')}`)
    await refused({ ...good, 'webhook-id': `${ID}0` })
    for (const name of Object.keys(good)) await refused({ ...good, [name]: undefined })
    const signature = good['webhook-signature']
    const bad = ['', 'v1', 'v1,', signature.slice(3), signature.replace('v1', 'v2'), signature.slice(0, -4)]
    for (const text of [...bad, `${signature}=`, `v1,${createHmac('sha256', 'x').digest('base64')}`])
      await refused({ ...good, 'webhook-signature': text })
    for (const timestamp of ['x', '-1', '1.5', '9'.repeat(20)])
      await refused({ ...good, 'webhook-timestamp': timestamp })
    await refused(signedByLibrary(PAYLOAD, secondsAgo(320)))
    await refused(signedByLibrary(PAYLOAD, secondsAgo(-320)))
  })

  test('is rejected with a hint to pass the raw body if a framework has parsed it', async () => {
    const headers = signedByLibrary(PAYLOAD)
    const parsed = JSON.parse(PAYLOAD)
    // Printed again with spaces, as some frameworks do.
    const printed = JSON.stringify(parsed, null, 2)
    await expect(verifyWebhook({ payload: printed, headers, secret: SECRET })).rejects.toThrow(
      /^No signature matches the secret\. The raw body is needed/,
    )
    const verification = verifyWebhook({ payload: parsed, headers, secret: SECRET })
    await expect(verification).rejects.toThrow(/^payload is not the raw body\. .*express\.raw/)
    await expect(verification).rejects.toBeInstanceOf(TypeError)
  })

  test('is checked against the time that `now` returns', async () => {
    const headers = signedByLibrary(PAYLOAD, secondsAgo(3600))
    const request = { payload: PAYLOAD, headers, secret: SECRET }
    expect((await verifyWebhook({ ...request, now: secondsAgo(3600) })).id).toBe(ID)
    expect((await verifyWebhook({ ...request, toleranceSeconds: 4000 })).id).toBe(ID)
  })

  test('requires a secret in the expected format', async () => {
    for (const secret of ['', 'whsec_', 'secret', 'whsec_???'])
      await expect(
        verifyWebhook({ payload: PAYLOAD, headers: signedByLibrary(PAYLOAD), secret }),
      ).rejects.toBeInstanceOf(TypeError)
  })

  test('returns an event of an unknown type unchanged', async () => {
    const payload = PAYLOAD.replace('INTERNAL_ACCOUNT.BALANCE_UPDATED', 'SOMETHING.NEW')
    const event = await verifyWebhook({ payload, headers: signedByLibrary(payload), secret: SECRET })
    expect(event).toMatchObject({ type: 'SOMETHING.NEW', data: { balance: { amount: 9007199254740993n } } })
  })
})

describe('X-Svc-Signature', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const toHex = (text: string | undefined) => Buffer.from(text!, 'base64url').toString('hex')
  const point = `04${toHex(x)}${toHex(y)}`
  const header = (payload: string, key = privateKey) =>
    JSON.stringify({ v: '1', s: sign('sha256', Buffer.from(payload), key).toString('base64') })

  test('is verified with the public key of the server and returns the event', async () => {
    for (let turn = 0; turn < 20; turn++) {
      const event = await verifySvcSignature(PAYLOAD, header(PAYLOAD), point)
      expect(event).toMatchObject({ id: ID, data: { balance: { amount: 9007199254740993n } } })
    }
  })

  test('is rejected for a different body, a different key or a malformed header', async () => {
    const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
    const good = header(PAYLOAD)
    const { s } = JSON.parse(good)
    const bad = [
      header(`${PAYLOAD} `),
      header(PAYLOAD, stranger),
      '',
      'null',
      '{',
      '{}',
      s,
      JSON.stringify({ v: '2', s }),
      JSON.stringify({ v: '1', s: `${s}AAAA` }),
      JSON.stringify({ v: '1', s: '' }),
      JSON.stringify({ v: '1', s: 1 }),
    ]
    await expect(verifySvcSignature(PAYLOAD, header(`${PAYLOAD} `), point)).rejects.toThrow(
      'The raw body is needed',
    )
    for (const text of bad)
      await expect(verifySvcSignature(PAYLOAD, text, point), text).rejects.toBeInstanceOf(
        WebhookVerificationError,
      )
    await expect(verifySvcSignature(PAYLOAD, good, `${point}00`)).rejects.toBeInstanceOf(TypeError)
  })
})
