import { pino } from 'pino'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deliverMessage } from '../../../src/people/messages/deliver-message.ts'
import { createSmsSender } from '../../../src/people/messages/sms.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import {
  openSmsGateway,
  SMS_TOKEN,
  type SmsGateway,
  type TestPlatform,
} from '../../worlds/production/mail.testing.ts'
import { type Worlds, world } from '../../worlds/world.testing.ts'

const CODE = 'QX7KM2WZ9'
const OK = () => ({ status: 201 })

let gateway: SmsGateway
let production: Worlds['production+mail']
let platform: TestPlatform

beforeAll(async () => {
  production = await world('production+mail')
  gateway = production.sms
})
beforeEach(async () => {
  gateway.requests.length = 0
  platform = await production.newPlatform({ appName: 'Unicorn' })
})
afterEach(() => {
  gateway.answer = OK
})

let numberCount = 0
const newNumber = () => `+1415555${1000 + ++numberCount}`

describe('a code is sent by SMS', () => {
  test("in one line, in the format of Twilio's API", async () => {
    const to = newNumber()
    const { code, id } = await platform.challenge(await platform.holder(to))
    await platform.advance(0)
    expect(gateway.requests).toHaveLength(1)
    const [{ method, path, headers, form }] = gateway.requests as [SmsGateway['requests'][number]]
    expect({ method, path }).toEqual({
      method: 'POST',
      path: '/2010-04-01/Accounts/AC0123456789/Messages.json',
    })
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`AC0123456789:${SMS_TOKEN}`).toString('base64')}`,
      'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded\b/),
      'idempotency-key': id,
    })
    expect([...form.keys()].sort()).toEqual(['Body', 'From', 'To'])
    expect(form.get('To')).toBe(to)
    expect(form.get('From')).toBe('+15550001111')
    expect(form.get('Body')).toBe(
      `Your Unicorn code is ${code}. It works once and expires in 5 minutes. If you did not request it, ignore this.`,
    )
    const delivered = { channel: 'SMS', state: 'DELIVERED', attempts: 1, sealed_content: null, subject: null }
    expect(await platform.message(id)).toMatchObject(delivered)
  })

  test('in one line and with the full code, whatever the app is called', async () => {
    platform = await production.newPlatform({ appName: `A\r\n&To=+1999\u2028${'🦄'.repeat(100)}` })
    const to = newNumber()
    const { code } = await platform.challenge(await platform.holder(to))
    await platform.advance(0)
    const { form } = gateway.requests[0]!
    expect(form.getAll('To')).toEqual([to])
    expect(form.get('Body')).toMatch(
      new RegExp(`^Your A &To=\\+1999 🦄+ code is ${code}\\. [^\\n\\r\\u2028]+$`, 'u'),
    )
    expect([...form.get('Body')!].length).toBeLessThan(160)
  })
})

describe('a text message', () => {
  test.each([
    ['throttles requests', { status: 429, body: '{"code":20429}' }],
    ['returns 503', { status: 503, body: 'oops' }],
    ['refuses the credentials', { status: 401, body: '{"code":20003}' }],
    [
      'returns a response that is too long',
      { status: 500, body: `{"code":1,"message":"${'x'.repeat(100_000)}"}` },
    ],
  ])('is retried if the gateway %s', async (_, response) => {
    const { id } = await platform.challenge(await platform.holder(newNumber()))
    gateway.answer = () => response
    await platform.advance(0)
    expect(await platform.message(id)).toMatchObject({ state: 'QUEUED', attempts: 1 })
    gateway.answer = OK
    await platform.advance(1)
    expect(await platform.message(id)).toMatchObject({ state: 'DELIVERED', attempts: 2 })
    expect(gateway.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([id, id])
  })

  test('is not retried if the gateway refuses it permanently', async () => {
    const { id } = await platform.challenge(await platform.holder(newNumber()))
    gateway.answer = () => ({ status: 400, body: '{"code":21610,"message":"unsubscribed"}' })
    await platform.advance(0)
    const failed = { state: 'FAILED', failure_reason: 'REFUSED', sealed_content: null }
    expect(await platform.message(id)).toMatchObject(failed)
    expect(await platform.stored()).not.toContain('message.deliver')
  })

  test('is given up when its code expires', async () => {
    const { id } = await platform.challenge(await platform.holder(newNumber()))
    await platform.advance(300)
    expect(gateway.requests).toHaveLength(0)
    expect(await platform.message(id)).toMatchObject({ state: 'FAILED', failure_reason: 'EXPIRED' })
  })

  test('does not follow a redirect, which would reveal the credentials', async () => {
    const otherGateway = await openSmsGateway()
    const { id } = await platform.challenge(await platform.holder(newNumber()))
    gateway.answer = () => ({ status: 307, location: `${otherGateway.url}/` })
    await platform.advance(0)
    expect(otherGateway.requests).toHaveLength(0)
    expect(await platform.message(id)).toMatchObject({ state: 'QUEUED', attempts: 1 })
    await otherGateway.stop()
  })

  test('times out if the gateway does not respond', async () => {
    gateway.answer = () => 'silence'
    const send = createSmsSender(production.service.app.config.sms!, 50)
    await expect(send({ id: 'Message:1', to: newNumber(), text: 'x' })).rejects.toThrow(
      'SMS gateway: took more than 50 ms',
    )
  })

  test.each(['15550001111', '+0123', '+1555 000', '+1555&To=+1999', 'whatsapp:+15550001111'])(
    'is not sent to an invalid number: %s',
    async (recipient) => {
      const holder = await platform.holder(newNumber())
      await platform.commit([update('credentials', holder.credential.id, {}, { contact: recipient })])
      const credential = { ...holder.credential, contact: recipient }
      const { id } = await platform.challenge({ ...holder, credential })
      await platform.advance(0)
      expect(gateway.requests).toHaveLength(0)
      expect(await platform.message(id)).toMatchObject({ state: 'FAILED', failure_reason: 'REFUSED' })
    },
  )
})

test('no log contains the code, the number or the token, even if the gateway repeats them', async () => {
  const to = newNumber()
  const { id } = await platform.challenge(await platform.holder(to), CODE)
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const op = { ...(await platform.op()), log }
  gateway.answer = () => ({
    status: 500,
    body: JSON.stringify({ code: 1, message: `${CODE} ${to} ${SMS_TOKEN}` }),
  })
  await deliverMessage(op, { messageId: id })
  gateway.answer = () => ({ status: 400, body: JSON.stringify({ code: 21211, message: `${CODE} ${to}` }) })
  await deliverMessage(op, { messageId: id })
  expect(lines.map((line) => JSON.parse(line).reason)).toEqual([
    'SMS gateway: 500 (1)',
    'SMS gateway: 400 (21211)',
  ])
  for (const secret of [CODE, to, to.slice(1), SMS_TOKEN]) expect(lines.join('')).not.toContain(secret)
})
