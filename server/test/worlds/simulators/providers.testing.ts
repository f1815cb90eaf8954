import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ScreeningRequest } from '@countersign/contract/connectors/screening-provider'
import { Webhook } from 'standardwebhooks'
import type {
  VerificationSubmission,
  VerifierAnswer,
  VerifierEvent,
} from '../../../src/kernel/ports/verifier.ts'

/** A verification provider on the loopback. It refuses unsigned requests. */
export interface VerificationProvider {
  readonly url: string
  readonly secret: string
  answer: VerifierAnswer | 'later' | 'failure' | 'nonsense'
  /** Its cases: a repeated id counts once. */
  readonly cases: Map<string, VerificationSubmission>
  /** Resolves when the next submission has arrived. */
  next(): Promise<VerificationSubmission>
  /** An event as it sends it. */
  report(event: VerifierEvent, at?: Date): { headers: Record<string, string>; body: Buffer }
  stop(): Promise<void>
}

export async function verificationProvider(): Promise<VerificationProvider> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = new Webhook(secret)
  const arrivals = new EventEmitter()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      const body = Buffer.concat(chunks).toString()
      try {
        const { type, ...submission } = webhook.verify(body, headers) as VerificationSubmission & {
          type: string
        }
        if (type !== 'verification.submitted') throw new Error(type)
        self.cases.set(headers['webhook-id']!, submission)
        const { status, text } = answerOf(self.answer)
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(text)
        arrivals.emit('arrival', submission)
      } catch {
        response.writeHead(401).end()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const self: VerificationProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cases`,
    secret,
    answer: 'later',
    cases: new Map(),
    next: () => once(arrivals, 'arrival').then(([submission]) => submission as VerificationSubmission),
    report(event, at = new Date()) {
      const body = JSON.stringify(event)
      const headers = {
        'webhook-id': event.eventId,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': webhook.sign(event.eventId, at, body),
      }
      return { headers, body: Buffer.from(body) }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return self
}

function answerOf(answer: VerificationProvider['answer']): { status: number; text: string } {
  if (answer === 'later') return { status: 202, text: '' }
  if (answer === 'failure') return { status: 500, text: 'secret of the provider' }
  if (answer === 'nonsense') return { status: 200, text: '{"decision":"PERHAPS"}' }
  return { status: 200, text: JSON.stringify(answer) }
}

/** A service that screens addresses, on the loopback. It refuses unsigned requests. */
export interface ScreeningService {
  readonly url: string
  readonly secret: string
  /** A response of JSON, or of something else; `hangs`: no response. */
  answer: object | { readonly status: number; readonly text: string } | 'hangs'
  /** The requests that it received, with their webhook ids. */
  readonly asked: (ScreeningRequest & { readonly webhookId: string })[]
  close(): Promise<void>
}

export const CLEAR = { outcome: 'CLEAR' } as const

export async function screeningService(): Promise<ScreeningService> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = new Webhook(secret)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = request.headers as Record<string, string>
    try {
      const body = webhook.verify(Buffer.concat(chunks).toString(), headers) as ScreeningRequest
      self.asked.push({ ...body, webhookId: headers['webhook-id']! })
    } catch {
      response.writeHead(401).end()
      return
    }
    const { answer } = self
    if (answer === 'hangs') return
    const [status, text] = 'text' in answer ? [answer.status, answer.text] : [200, JSON.stringify(answer)]
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(text)
  })
  const self: ScreeningService = {
    url: await listening(server),
    secret,
    answer: CLEAR,
    asked: [],
    close: () => closed(server),
  }
  return self
}

/** A connector that pays addresses at once, each name once. */
export interface AddressProvider {
  readonly url: string
  /** The payments that it received, in order; a repeat does not count. */
  readonly paid: string[]
  /** Runs when a payment arrives, before it counts. */
  arrives: (id: string) => Promise<void>
  close(): Promise<void>
}

export async function startAddressProvider(): Promise<AddressProvider> {
  const paid: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const id =
      request.method === 'POST'
        ? JSON.parse(Buffer.concat(chunks).toString()).id
        : request.url!.split('/').at(-1)!
    if (request.method === 'POST') await self.arrives(id)
    if (request.method === 'POST' && !paid.includes(id)) paid.push(id)
    const [status, body] = paid.includes(id)
      ? [200, { id, status: 'DELIVERED', transactionHash: `0x${'ab'.repeat(32)}` }]
      : [404, { code: 'PAYMENT_NOT_FOUND', message: 'It was never given here' }]
    response.writeHead(Number(status), { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  const self: AddressProvider = {
    url: await listening(server),
    paid,
    arrives: async () => {},
    close: () => closed(server),
  }
  return self
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
