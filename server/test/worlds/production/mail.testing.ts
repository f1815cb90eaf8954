import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as a server received it: the envelope, the headers with lower-case names, and the decoded parts by type. */
export interface Mail {
  readonly mailFrom: string
  readonly rcptTo: readonly string[]
  readonly raw: string
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly parts: ReadonlyMap<string, string>
}

/**
 * A mail server on the loopback that requires a login. `answer` may refuse, with an SMTP code and text, after
 * each stage.
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

export async function mailServer(): Promise<MailServer> {
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
          const known = username === SMTP_LOGIN.user && password === SMTP_LOGIN.password
          done(
            known ? null : smtpError('535 5.7.8 Authentication failed'),
            known ? { user: username } : undefined,
          )
        },
        onRcptTo(_address, _session, done) {
          done(smtpError(self.answer('RCPT')))
        },
        onData(stream, { envelope }, done) {
          const chunks: Buffer[] = []
          stream.on('data', (chunk: Buffer) => chunks.push(chunk))
          stream.on('end', () => {
            const mail = parseMail(Buffer.concat(chunks).toString('latin1'), envelope)
            self.mails.push(mail)
            arrivals.emit('arrival')
            done(smtpError(self.answer('DATA', mail)))
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

function smtpError(answer: string | undefined): Error | null {
  if (answer === undefined) return null
  return Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) })
}

function parseMail(
  raw: string,
  envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] },
): Mail {
  const { headers, body } = splitEntity(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type')![0]!)![1]!
  // The line end before a boundary is the boundary's.
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
  // Space between two encoded words is dropped.
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

export interface SmsRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly form: URLSearchParams
}

/** An SMS gateway on the loopback. `answer` may refuse, with a status and a message. */
export interface SmsGateway {
  readonly url: string
  readonly requests: SmsRequest[]
  answer: () => { status: number; body?: string; location?: string } | 'silence'
  /** Resolves when the next message has arrived. */
  next(): Promise<void>
  stop(): Promise<void>
}

export async function smsGateway(): Promise<SmsGateway> {
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
      const answer = self.answer()
      if (answer === 'silence') return
      const { status, body = '{"sid":"SM1","status":"queued"}', location } = answer
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...(location ? { location } : {}) })
        .end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const self: SmsGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answer: () => ({ status: 201 }),
    next: () => once(arrivals, 'arrival').then(() => {}),
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return self
}
