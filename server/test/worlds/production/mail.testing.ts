import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { listen, stopListening } from '../../../../test/ports.testing.ts'
import { createOp, type Op } from '../../../src/kernel/operation/app.ts'
import { makeOtpCredential } from '../../../src/people/credentials/credentials.ts'
import { makeCustomer } from '../../../src/people/customers/customers.ts'
import { openCustomerAccounts } from '../../../src/people/customers/wallets.ts'
import { makeOtpMessage } from '../../../src/people/messages/messages.ts'
import { getPlatformConfig, type PlatformConfig } from '../../../src/people/platforms/platform-config.ts'
import { makePlatform } from '../../../src/people/platforms/platforms.ts'
import { makeOtpChallenge, replaceChallenge } from '../../../src/people/sign-in/one-time-codes.ts'
import { insert, update, type Write } from '../../../src/storage/commit/writes.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import type { MessageRow } from '../../../src/storage/rows/sign-in.ts'
import type { CredentialRow, InternalAccountRow, PlatformRow } from '../../../src/storage/rows/tables.ts'
import {
  type Options,
  openServer,
  type Settings,
  type SharedServer,
  type TestServer,
} from '../server.testing.ts'

/**
 * An e-mail as received by a server: the envelope, the headers with lower-case names, and the decoded parts
 * by type.
 */
export interface Mail {
  readonly mailFrom: string
  readonly rcptTo: readonly string[]
  readonly raw: string
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly parts: ReadonlyMap<string, string>
}

/**
 * A mail server on the loopback interface that requires a login. `answer` can refuse after each stage, with
 * an SMTP code and text.
 */
export interface MailServer {
  port: number
  readonly mails: Mail[]
  answer: (stage: 'RCPT' | 'DATA', mail?: Mail) => string | undefined
  /** Resolves when the next mail has arrived. */
  next(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export const SMTP_LOGIN = { user: 'relay@ops.example', password: 'p@ss:wörd/1' }

async function openMailServer(): Promise<MailServer> {
  let server: SMTPServer
  const arrivals = new EventEmitter()
  const self: MailServer = {
    port: 0,
    mails: [],
    answer: () => undefined,
    next: () => once(arrivals, 'arrival').then(() => {}),
    async start() {
      server = new SMTPServer({
        disabledCommands: ['STARTTLS'],
        disableReverseLookup: true,
        logger: false,
        onAuth({ username, password }, _session, done) {
          const isKnown = username === SMTP_LOGIN.user && password === SMTP_LOGIN.password
          done(
            isKnown ? null : toSmtpError('535 5.7.8 Authentication failed'),
            isKnown ? { user: username } : undefined,
          )
        },
        onRcptTo(_address, _session, done) {
          done(toSmtpError(self.answer('RCPT')))
        },
        onData(stream, { envelope }, done) {
          const chunks: Buffer[] = []
          stream.on('data', (chunk: Buffer) => chunks.push(chunk))
          stream.on('end', () => {
            const mail = parseMail(Buffer.concat(chunks).toString('latin1'), envelope)
            self.mails.push(mail)
            arrivals.emit('arrival')
            done(toSmtpError(self.answer('DATA', mail)))
          })
        },
      })
      server.on('error', () => {})
      server.listen(self.port, '127.0.0.1')
      await once(server.server, 'listening')
      self.port = (server.server.address() as AddressInfo).port
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
  await self.start()
  return self
}

function toSmtpError(reply: string | undefined): Error | null {
  if (reply === undefined) return null
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })
}

function parseMail(
  raw: string,
  envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] },
): Mail {
  const { headers, body } = splitEntity(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type')![0]!)![1]!
  // The line break before a boundary belongs to the boundary.
  const entities = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1)
  const parts = entities.map((entity): [string, string] => {
    const part = splitEntity(entity.replace(/^\r\n/, ''))
    const type = part.headers.get('content-type')![0]!.split(';')[0]!
    const encoding = part.headers.get('content-transfer-encoding')?.[0]
    return [type, decode(part.body, encoding).replaceAll('\r\n', '\n')]
  })
  return {
    mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
    rcptTo: envelope.rcptTo.map(({ address }) => address),
    raw,
    headers,
    parts: new Map(parts),
  }
}

function splitEntity(text: string) {
  const end = text.indexOf('\r\n\r\n')
  const headers = new Map<string, string[]>()
  for (const line of text
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), decodeWords(line.slice(colon + 1).trim())])
  }
  return { headers, body: text.slice(end + 4) }
}

/** RFC 2047: `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`. */
function decodeWords(text: string): string {
  // Whitespace between two encoded words is dropped.
  const words = text.replaceAll(/\?=\s+=\?/g, '?==?')
  return words.replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
    kind.toUpperCase() === 'B'
      ? Buffer.from(word, 'base64').toString()
      : decode(word.replaceAll('_', '=20'), 'quoted-printable'),
  )
}

function decode(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString()
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

interface SmsRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly form: URLSearchParams
}

/** An SMS gateway on the loopback interface. `answer` can refuse, with a status and a message. */
export interface SmsGateway {
  readonly url: string
  readonly requests: SmsRequest[]
  answer: () => { status: number; body?: string; location?: string } | 'silence'
  /** Resolves when the next message has arrived. */
  next(): Promise<void>
  stop(): Promise<void>
}

export async function openSmsGateway(): Promise<SmsGateway> {
  const arrivals = new EventEmitter()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      self.requests.push({
        method,
        path,
        headers,
        form: new URLSearchParams(Buffer.concat(chunks).toString()),
      })
      arrivals.emit('arrival')
      const reply = self.answer()
      if (reply === 'silence') return
      const { status, body = '{"sid":"SM1","status":"queued"}', location } = reply
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...(location ? { location } : {}) })
        .end(body)
    })
  })
  const port = await listen(server)
  const self: SmsGateway = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    answer: () => ({ status: 201 }),
    next: () => once(arrivals, 'arrival').then(() => {}),
    stop: () => stopListening(server),
  }
  return self
}

/** A production server that sends e-mail and SMS to servers in this process. */
export interface Mailing {
  readonly service: TestServer
  readonly smtp: MailServer
  readonly sms: SmsGateway
  newPlatform(wallet?: Partial<WalletConfig>): Promise<TestPlatform>
  close(): Promise<void>
}

/** The gateway's password, with characters that would have to be escaped in a URL. */
export const SMS_TOKEN = 'tok/en:+=é'

type WalletConfig = PlatformConfig['embeddedWalletConfig']

/** Opens the servers. Unless `isLive`, the clock stands still, and jobs run only when a test moves a platform's clock. */
export async function openMailing(
  settings: Settings = {},
  { isLive = false, ...options }: Options & { readonly isLive?: boolean } = {},
): Promise<Mailing> {
  const [smtp, sms] = await Promise.all([openMailServer(), openSmsGateway()])
  const login = `${encodeURIComponent(SMTP_LOGIN.user)}:${encodeURIComponent(SMTP_LOGIN.password)}`
  const service = await openServer(
    {
      COUNTERSIGN_MODE: 'production',
      SMTP_URL: `smtp://${login}@127.0.0.1:${smtp.port}`,
      SMTP_FROM: 'Codes <codes@ops.example>',
      SMTP_SENDER_DOMAINS: '{"*": ["unicorn.example"]}',
      SMS_URL: `${sms.url}/`,
      SMS_ACCOUNT_SID: 'AC0123456789',
      SMS_AUTH_TOKEN: SMS_TOKEN,
      SMS_FROM: '+15550001111',
      ...settings,
    },
    { ...options, listens: false },
  )
  const fixedTime = service.app.clock()
  if (!isLive) Object.assign(service.app, { clock: () => fixedTime })
  return {
    service,
    smtp,
    sms,
    newPlatform: (wallet) => TestPlatform.create(service, wallet),
    async close() {
      await service.close()
      await Promise.all([smtp.stop(), sms.stop()])
    },
  }
}

async function commit(service: SharedServer, writes: readonly Write[]): Promise<void> {
  const result = await service.app.committer.commit(writes)
  if (!result.done) throw new Error(`Not written: ${result.name}`)
}

interface Holder {
  readonly account: InternalAccountRow
  readonly credential: CredentialRow
}

let customers = 0

/** A platform of a production service. The test moves its clock. */
export class TestPlatform {
  readonly service: SharedServer
  readonly id: string

  constructor(service: SharedServer, id: string) {
    this.service = service
    this.id = id
  }

  static async create(service: SharedServer, wallet: Partial<WalletConfig> = {}): Promise<TestPlatform> {
    const { app } = service
    const { row, writes } = makePlatform(
      { now: app.clock(), random: randomBytes, mode: app.config.mode, enclave: app.enclave.forOperation() },
      'Test',
    )
    await commit(service, writes)
    const platform = new TestPlatform(service, row.id)
    const { embeddedWalletConfig } = getPlatformConfig(await platform.op())
    await platform.change({
      config: { ...row.config, embeddedWalletConfig: { ...embeddedWalletConfig, ...wallet } },
    })
    return platform
  }

  async row(): Promise<PlatformRow> {
    const { read } = this.service.app
    return read.selectFrom('platforms').selectAll().where('id', '=', this.id).executeTakeFirstOrThrow()
  }

  async op(): Promise<Op> {
    return createOp(this.service.app, await this.row(), { kind: 'job', jobId: 'test' })
  }

  async change(set: Partial<PlatformRow>): Promise<void> {
    const { version } = await this.row()
    await commit(this.service, [update('platforms', this.id, {}, { ...set, version: version + 1 })])
  }

  commit(writes: readonly Write[]): Promise<void> {
    return commit(this.service, writes)
  }

  /** Moves the platform's clock, then runs what is due, except webhooks. */
  async advance(seconds: number): Promise<void> {
    const { clock_offset_ms } = await this.row()
    await this.change({ clock_offset_ms: clock_offset_ms + BigInt(Math.round(seconds * 1000)) })
    await this.service.jobs.runDue(this.id)
  }

  /** Creates an approved customer with a wallet, and a credential whose codes are sent to `contact`. */
  async holder(contact = `Ada.${++customers}@Example.com`): Promise<Holder> {
    const op = await this.op()
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' } as const
    const email = contact.startsWith('+') ? `sms${++customers}@example.com` : contact
    const created = makeCustomer(op, getPlatformConfig(op), { ...body, email })
    const customer = { ...created, verification_status: 'APPROVED' } as const
    await this.commit([
      insert('customers', customer),
      ...openCustomerAccounts(op, getPlatformConfig(op), undefined, customer),
    ])
    const account = await op.read
      .selectFrom('internal_accounts')
      .selectAll()
      .where('customer_id', '=', customer.id)
      .where('type', '=', 'EMBEDDED_WALLET')
      .executeTakeFirstOrThrow()
    if (contact.startsWith('+'))
      await this.commit([insert('credentials', makeOtpCredential(op, account.id, 'SMS_OTP', contact))])
    const credential = await op.read
      .selectFrom('credentials')
      .selectAll()
      .where('account_id', '=', account.id)
      .where('contact', '=', contact)
      .executeTakeFirstOrThrow()
    return { account, credential }
  }

  /**
   * Issues a code as the challenge call does. `code` is the value shown in the message in place of the actual
   * code.
   */
  async challenge(
    { account, credential }: Holder,
    code?: string,
  ): Promise<{ code: string; bundle: string; id: string }> {
    const op = await this.op()
    const { read } = op
    const currentCredential = await read
      .selectFrom('credentials')
      .selectAll()
      .where('id', '=', credential.id)
      .executeTakeFirstOrThrow()
    const created = makeOtpChallenge(op, currentCredential, account)
    const sent = { challengeId: created.challengeId, code: code ?? created.code }
    await this.commit([
      created.write,
      replaceChallenge(op, currentCredential, created.challengeId),
      ...makeOtpMessage(op, credential, account, sent),
    ])
    const { id } = await read
      .selectFrom('messages')
      .select('id')
      .where('challenge_id', '=', created.challengeId)
      .executeTakeFirstOrThrow()
    return { code: sent.code, bundle: created.bundle, id }
  }

  async message(id: string): Promise<MessageRow> {
    const { read } = this.service.app
    return read.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  }

  /** Reads all rows of messages and jobs as text. */
  async stored(): Promise<string> {
    const { rows } = await this.service.app.db.query<{ text: string }>(
      `SELECT m::text AS text FROM messages m WHERE platform_id = $1
       UNION ALL SELECT j::text FROM jobs j WHERE platform_id = $1`,
      [extractUuid(this.id)],
    )
    return rows.map(({ text }) => text).join('\n')
  }
}
