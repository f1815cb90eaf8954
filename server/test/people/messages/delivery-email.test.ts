import { createServer } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/ports.testing.ts'
import { createOp } from '../../../src/kernel/operation/app.ts'
import { canDeliver } from '../../../src/people/messages/channels.ts'
import { deliverMessage } from '../../../src/people/messages/deliver-message.ts'
import { createEmailSender } from '../../../src/people/messages/smtp.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import { type Mail, type MailServer, SMTP_LOGIN, TestPlatform } from '../../worlds/production/mail.testing.ts'
import { type Worlds, world } from '../../worlds/world.testing.ts'

const CODE = 'QX7KM2WZ9'

let smtp: MailServer
let production: Worlds['production+mail']
let platform: TestPlatform

beforeAll(async () => {
  production = await world('production+mail')
  smtp = production.smtp
})
beforeEach(async () => {
  smtp.mails.length = 0
  platform = await production.newPlatform()
})
afterEach(() => {
  smtp.answer = () => undefined
})

const readHeader = (mail: Mail | undefined, name: string) => mail?.headers.get(name)
const requireOnlyMail = () => {
  expect(smtp.mails).toHaveLength(1)
  return smtp.mails[0]!
}

describe('a code is sent by e-mail', () => {
  test("from the platform's sender, to the holder, as text and as HTML", { tags: 'smoke' }, async () => {
    platform = await production.newPlatform({
      appName: 'Ünïcorn & Söhne 🦄',
      sendFromEmailAddress: 'login@unicorn.example',
      sendFromEmailSenderName: 'Unicorn Löგin',
      replyToEmailAddress: 'help@unicorn.example',
      logoUrl: 'https://unicorn.example/logo.png?a=1&b="2',
      expirationSeconds: 600,
    })
    const holder = await platform.holder('Ada.First@Example.com')
    const { code, id } = await platform.challenge(holder)
    await platform.advance(0)
    const mail = requireOnlyMail()
    expect(mail).toMatchObject({ mailFrom: 'login@unicorn.example', rcptTo: ['Ada.First@example.com'] })
    expect(readHeader(mail, 'from')).toEqual([
      expect.stringMatching(/^"?Unicorn Löგin"? <login@unicorn\.example>$/),
    ])
    expect(readHeader(mail, 'to')).toEqual(['Ada.First@example.com'])
    expect(readHeader(mail, 'reply-to')).toEqual(['help@unicorn.example'])
    expect(readHeader(mail, 'subject')).toEqual(['Your Ünïcorn & Söhne 🦄 sign-in code'])
    expect(readHeader(mail, 'auto-submitted')).toEqual(['auto-generated'])
    expect(readHeader(mail, 'message-id')).toEqual([`<${id.slice('Message:'.length)}@unicorn.example>`])
    expect(mail.parts.get('text/plain')).toBe(
      `Your Ünïcorn & Söhne 🦄 sign-in code is\n\n    ${code}\n\n` +
        'It works once and expires in 10 minutes. Do not share it with anyone.\n\n' +
        'If you did not request this code, ignore this message: nobody can sign in without it.\n',
    )
    const html = mail.parts.get('text/html')!
    expect(html).toContain('Your Ünïcorn &amp; Söhne 🦄 sign-in code is')
    expect(html).toContain(`>${code}</p>`)
    expect(html).toContain(
      '<img src="https://unicorn.example/logo.png?a=1&amp;b=&quot;2" alt="Ünïcorn &amp; Söhne 🦄"',
    )
    expect(await platform.message(id)).toMatchObject({
      state: 'DELIVERED',
      attempts: 1,
      sealed_content: null,
    })
  })

  test("from the server's sender if the platform has none, and without a logo that is not https", async () => {
    platform = await production.newPlatform({
      logoUrl: 'http://unicorn.example/logo.png',
      expirationSeconds: 119,
    })
    await platform.challenge(await platform.holder())
    await platform.advance(0)
    const mail = requireOnlyMail()
    expect(mail.mailFrom).toBe('codes@ops.example')
    expect(readHeader(mail, 'from')).toEqual(['Codes <codes@ops.example>'])
    expect(readHeader(mail, 'reply-to')).toBeUndefined()
    expect(mail.parts.get('text/html')).not.toContain('<img')
    expect(mail.parts.get('text/plain')).toContain('expires in 1 minute.')
  })
})

describe('an e-mail whose first attempt fails', () => {
  test('is retried with increasing delays until the server is back', async () => {
    const { id } = await platform.challenge(await platform.holder())
    await smtp.stop()
    try {
      const attempts: number[] = []
      for (const seconds of [0, 1, 1, 1, 4]) {
        await platform.advance(seconds)
        attempts.push((await platform.message(id)).attempts)
      }
      // The attempts are due after 0, 1, 2 more and 4 more seconds.
      expect(attempts).toEqual([1, 2, 2, 3, 4])
    } finally {
      await smtp.start()
    }
    await platform.advance(8)
    expect(requireOnlyMail().headers.get('message-id')).toEqual([
      expect.stringContaining(id.slice('Message:'.length)),
    ])
    expect(await platform.message(id)).toMatchObject({ state: 'DELIVERED', attempts: 5 })
  })

  test('is identical in every attempt, so that a duplicate can be recognised', async () => {
    const { id } = await platform.challenge(await platform.holder())
    smtp.answer = (stage) => (stage === 'DATA' ? '451 4.3.0 Later' : undefined)
    await platform.advance(0)
    smtp.answer = () => undefined
    await platform.advance(1)
    expect(smtp.mails).toHaveLength(2)
    for (const name of ['message-id', 'date', 'from', 'to', 'subject'])
      expect(readHeader(smtp.mails[1], name)).toEqual(readHeader(smtp.mails[0], name))
    expect(smtp.mails[1]!.parts).toEqual(smtp.mails[0]!.parts)
    await platform.advance(600)
    expect(smtp.mails).toHaveLength(2)
    expect(await platform.message(id)).toMatchObject({ state: 'DELIVERED', attempts: 2 })
  })

  test.each([
    { seconds: 59, what: 'sent one second before its code expires', state: 'DELIVERED', mails: 1 },
    { seconds: 60, what: 'given up when its code expires', state: 'FAILED', mails: 0 },
  ])('is $what', async ({ seconds, state, mails }) => {
    platform = await production.newPlatform({ expirationSeconds: 60 })
    const { id } = await platform.challenge(await platform.holder())
    await smtp.stop()
    await platform.advance(0)
    await smtp.start()
    await platform.advance(seconds)
    expect(smtp.mails).toHaveLength(mails)
    const failure_reason = state === 'FAILED' ? 'EXPIRED' : null
    expect(await platform.message(id)).toMatchObject({ state, failure_reason, sealed_content: null })
    expect(await platform.stored()).not.toContain('message.deliver')
  })

  test('is not retried if the recipient is refused permanently', async () => {
    const { id } = await platform.challenge(await platform.holder())
    smtp.answer = (stage) => (stage === 'RCPT' ? '550 5.1.1 Mailbox unavailable' : undefined)
    await platform.advance(0)
    const failed = { state: 'FAILED', failure_reason: 'REFUSED', sealed_content: null, attempts: 1 }
    expect(await platform.message(id)).toMatchObject(failed)
    expect(await platform.stored()).not.toContain('message.deliver')
  })

  test('is retried if the recipient is refused temporarily', async () => {
    const { id } = await platform.challenge(await platform.holder())
    smtp.answer = (stage) => (stage === 'RCPT' ? '450 4.2.1 Greylisted' : undefined)
    await platform.advance(0)
    expect(await platform.message(id)).toMatchObject({ state: 'QUEUED', attempts: 1 })
    smtp.answer = () => undefined
    await platform.advance(1)
    expect(requireOnlyMail()).toBeTruthy()
  })

  test('times out if the server does not respond', async () => {
    const silent = createServer()
    const port = await listen(silent)
    const send = createEmailSender({ ...production.service.app.config.smtp!, port }, 50)
    const mail = {
      id: 'Message:1',
      to: 'a@example.com',
      from: {},
      subject: 's',
      text: 't',
      html: 'h',
      date: new Date(0),
    }
    await expect(send(mail)).rejects.toThrow('SMTP: took more than 50 ms')
    silent.close()
  })
})

describe('an invalid code is not sent', () => {
  test('if a later one replaced it', async () => {
    const holder = await platform.holder()
    const first = await platform.challenge(holder)
    const second = await platform.challenge(holder)
    await platform.advance(0)
    expect(requireOnlyMail().parts.get('text/plain')).toContain(second.code)
    const failed = { state: 'FAILED', failure_reason: 'REPLACED', sealed_content: null }
    expect(await platform.message(first.id)).toMatchObject(failed)
  })

  test.each([
    ['was revoked', { revoked_at: new Date('2026-01-01T00:00:00Z') }],
    ['moved to another address', { contact: 'new@example.com' }],
    ['no longer has a challenge', { current_challenge_id: null }],
  ])('if its credential %s', async (_, change) => {
    const holder = await platform.holder()
    const { id } = await platform.challenge(holder)
    await platform.commit([update('credentials', holder.credential.id, {}, change)])
    await platform.advance(0)
    expect(smtp.mails).toHaveLength(0)
    expect(await platform.message(id)).toMatchObject({ state: 'FAILED', failure_reason: 'REPLACED' })
  })
})

describe('the code stays secret', () => {
  test('at rest: sealed while it waits, deleted once it is delivered', async () => {
    const { id } = await platform.challenge(await platform.holder(), CODE)
    const sealed = (await platform.message(id)).sealed_content!
    expect(Buffer.from(sealed).toString('latin1')).not.toContain(CODE)
    const stored = await platform.stored()
    expect(stored).toContain('message.deliver')
    expect(stored).not.toContain(CODE)
    const { enclave } = production.service.app
    expect(enclave.openText('message', id, sealed)).toContain(CODE)
    expect(() => enclave.openText('message', `${id}0`, sealed)).toThrow('cannot be opened')
    await platform.advance(0)
    expect(requireOnlyMail().parts.get('text/plain')).toContain(CODE)
    expect(await platform.message(id)).toMatchObject({ state: 'DELIVERED', sealed_content: null })
    expect(await platform.stored()).not.toContain(CODE)
  })

  test('in the log, even if the mail server repeats the mail and the login', async () => {
    const { id } = await platform.challenge(await platform.holder('secret.person@example.com'), CODE)
    smtp.answer = (stage) => (stage === 'DATA' ? `554 5.7.1 Spam: ${CODE} ${SMTP_LOGIN.password}` : undefined)
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const op = { ...createOp(production.service.app, await platform.row(), { kind: 'job', jobId: 'x' }), log }
    await deliverMessage(op, { messageId: id })
    const withWrongLogin = createEmailSender(
      { ...production.service.app.config.smtp!, login: { user: 'u', password: 'hunter22' } },
      5000,
    )
    await deliverMessage({ ...op, delivery: { email: withWrongLogin, sms: undefined } }, { messageId: id })
    expect(lines.map((line) => JSON.parse(line).reason)).toEqual([
      'SMTP: EMESSAGE DATA 554 5.7.1',
      'SMTP: EAUTH AUTH PLAIN 535 5.7.8',
    ])
    for (const secret of [CODE, SMTP_LOGIN.password, 'hunter22', 'secret.person'])
      expect(lines.join('')).not.toContain(secret)
  })
})

describe('nothing can inject a header or a recipient into a mail', () => {
  const HOSTILE =
    'Evil\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>\u2028\u202e"\' <x@y.example>,'

  test('through the names that a platform sets', async () => {
    platform = await production.newPlatform({
      appName: HOSTILE,
      sendFromEmailSenderName: HOSTILE,
      sendFromEmailAddress: 'login@unicorn.example',
      logoUrl: 'https://x.example/"><script>alert(2)</script>',
    })
    await platform.challenge(await platform.holder('a@example.com'))
    await platform.advance(0)
    const mail = requireOnlyMail()
    expect(mail).toMatchObject({ mailFrom: 'login@unicorn.example', rcptTo: ['a@example.com'] })
    expect([...mail.headers.keys()].sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-auto-response-suppress',
    ])
    for (const values of mail.headers.values()) expect(values).toHaveLength(1)
    expect(readHeader(mail, 'subject')![0]).toBe(
      'Your Evil Bcc: victim@example.com <script>alert(1)</script> "\' <x@y.example>, sign-in code',
    )
    expect(readHeader(mail, 'from')![0]).toMatch(/<login@unicorn\.example>$/)
    expect(mail.raw).not.toMatch(/^bcc:/im)
    expect(mail.parts.get('text/html')).not.toMatch(/<script|alert\(2\)<\//)
    expect(mail.parts.get('text/plain')).not.toContain('\u202e')
  })

  test.each([
    'a@example.com\r\nBcc: victim@example.com',
    'a@example.com, victim@example.com',
    '"victim@example.com,x"@example.com',
    'victim@example.com> <a@example.com',
    'a@example.com\u0000',
    'a b@example.com',
    'nobody',
  ])('through a recipient such as %j, to whom nothing is sent', async (recipient) => {
    const holder = await platform.holder()
    const credential = { ...holder.credential, contact: recipient }
    // PostgreSQL cannot store U+0000.
    const storedRecipient = recipient.replace('\u0000', '\u0001')
    await platform.commit([update('credentials', credential.id, {}, { contact: storedRecipient })])
    const { id } = await platform.challenge({
      ...holder,
      credential: { ...credential, contact: storedRecipient },
    })
    await platform.advance(0)
    expect(smtp.mails).toHaveLength(0)
    expect(await platform.message(id)).toMatchObject({ state: 'FAILED', failure_reason: 'REFUSED' })
  })
})

test('in production only a channel with settings can deliver messages', async () => {
  const op = await platform.op()
  expect(canDeliver(op, 'EMAIL')).toBe(true)
  const unconfigured = await (await TestPlatform.create(await world('production'))).op()
  expect(canDeliver(unconfigured, 'SMS')).toBe(false)
  expect(canDeliver({ ...unconfigured, mode: 'sandbox' }, 'SMS')).toBe(true)
})

test('a server without delivery settings leaves a message to a server that has them', async () => {
  const { id } = await platform.challenge(await platform.holder())
  const op = { ...(await platform.op()), delivery: { email: undefined, sms: undefined } }
  const writes = await deliverMessage(op, { messageId: id })
  expect(writes.map(({ write }) => write)).toEqual(['update', 'insert'])
})
