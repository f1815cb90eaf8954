import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { ScreeningRequest } from '@countersign/contract/connectors/screening-provider'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { listen, stopListening } from '../../../../test/ports.testing.ts'
import type {
  VerificationSubmission,
  VerifierEvent,
  VerifierResult,
} from '../../../src/kernel/ports/verifier.ts'
import { type Client, fund, newCustomer, newPlatform } from '../client.testing.ts'

/** An address on the sandbox's list, and one that is on no list. */
export const LISTED = '0x52908400098527886e0f7030069857d2e416bad0'
export const UNLISTED = '0x52908400098527886e0f7030069857d2e4169ee7'
export const FUNDED = 50_000_000
export const AMOUNT = 1_000_000

/** Creates a platform with a customer who has USDC. */
export async function ready() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USDC`)
  const usdc: string = body.data[0].id
  await fund(client, usdc, FUNDED)
  return { client, customer, usdc }
}

/** Pays in from a listed address, so that the money waits. Returns the deposit's id. */
export async function payInFromListed(client: Client): Promise<string> {
  const deposit = { amount: AMOUNT, currency: 'USDC', sender: { accountIdentifier: LISTED } }
  const { status, body } = await client.post('/sandbox/deposits', deposit)
  expect(status).toBe(201)
  return body.id
}

export async function newWallet(client: Client, customerId: string, address = LISTED): Promise<string> {
  const { status, body } = await client.post('/customers/external-accounts', {
    customerId,
    currency: 'USDC',
    accountInfo: { accountType: 'BASE_WALLET', address },
  })
  expect(status).toBe(201)
  return body.id
}

/** Makes a transfer out, and waits until its rail has been called or the payment is held. */
export async function sendPayment(client: Client, from: string, to: string): Promise<string> {
  const { status, body } = await client.post('/transfer-out', {
    source: { accountId: from },
    destination: { accountId: to },
    amount: AMOUNT,
  })
  expect(status).toBe(201)
  await client.advance(0)
  return body.id
}

export const statusOf = async (client: Client, id: string): Promise<string> =>
  (await client.get(`/transactions/${id}`)).body.status

export const listScreenings = async (client: Client, query = '') =>
  (await client.get(`/screenings?${query}`)).body.data

export async function findOnlyScreening(client: Client) {
  const screenings = await listScreenings(client)
  expect(screenings).toHaveLength(1)
  return screenings[0]
}

/** Reads the available and total USDC balance of a customer. */
export async function balances(client: Client, customerId: string): Promise<[number, number]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}&currency=USDC`)
  return [body.data[0].balance.amount, body.data[0].totalBalance.amount]
}

export const eventTypesOf = async (client: Client, objectId: string): Promise<string[]> =>
  (await client.events(`&objectId=${objectId}`)).map(({ type }) => type).sort()

/** Creates a screening that waits for a person. */
export async function newScreening({ client }: { readonly client: Client }) {
  const deposit = await payInFromListed(client)
  const screenings: { readonly id: string; readonly depositId?: string }[] = await listScreenings(client)
  return { Screening: screenings.find(({ depositId }) => depositId === deposit)!.id }
}

/** A verification provider on the loopback interface. It refuses unsigned requests. */
export interface VerificationProvider {
  readonly url: string
  readonly secret: string
  answer: VerifierResult | 'later' | 'failure' | 'nonsense'
  /** Its cases. A repeated id counts once. */
  readonly cases: Map<string, VerificationSubmission>
  /** Resolves when the next submission has arrived. */
  next(): Promise<VerificationSubmission>
  /** Signs an event as the provider does. */
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
        const { status, text } = buildResponse(self.answer)
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(text)
        arrivals.emit('arrival', submission)
      } catch {
        response.writeHead(401).end()
      }
    })
  })
  const port = await listen(server)
  const self: VerificationProvider = {
    url: `http://127.0.0.1:${port}/cases`,
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
    stop: () => stopListening(server),
  }
  return self
}

function buildResponse(answer: VerificationProvider['answer']): { status: number; text: string } {
  if (answer === 'later') return { status: 202, text: '' }
  if (answer === 'failure') return { status: 500, text: 'secret of the provider' }
  if (answer === 'nonsense') return { status: 200, text: '{"decision":"PERHAPS"}' }
  return { status: 200, text: JSON.stringify(answer) }
}

/** An address screening service on the loopback interface. It refuses unsigned requests. */
export interface ScreeningService {
  readonly url: string
  readonly secret: string
  /** The response: JSON, something else, or `hangs` for no response. */
  answer: object | { readonly status: number; readonly text: string } | 'hangs'
  /** The requests that it has received, with their webhook ids. */
  readonly asked: (ScreeningRequest & { readonly webhookId: string })[]
  close(): Promise<void>
}

export const CLEAR = { outcome: 'CLEAR' } as const

export async function openScreeningService(): Promise<ScreeningService> {
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
    url: `http://127.0.0.1:${await listen(server)}`,
    secret,
    answer: CLEAR,
    asked: [],
    close: () => stopListening(server),
  }
  return self
}

/** A connector that pays addresses immediately, each payment id once. */
export interface AddressProvider {
  readonly url: string
  /** The payments that it has received, in order, without repeats. */
  readonly paid: string[]
  /** Called when a payment arrives, before it counts. */
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
    url: `http://127.0.0.1:${await listen(server)}`,
    paid,
    arrives: async () => {},
    close: () => stopListening(server),
  }
  return self
}
