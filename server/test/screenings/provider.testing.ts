import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ScreeningRequest } from '@countersign/contract/connectors/screening-provider'
import { Webhook } from 'standardwebhooks'

/** A service that looks addresses up, on the loopback. It refuses what is not signed. */
export interface ScreeningService {
  readonly url: string
  readonly secret: string
  /** Answers of JSON, or of something else; `hangs`: none. */
  answer: object | { readonly status: number; readonly text: string } | 'hangs'
  /** What it was asked, with the id of the question. */
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
export interface AddressDesk {
  readonly url: string
  /** The payments that it was given, in their order; a repeat is not one more. */
  readonly paid: string[]
  /** What happens as a payment arrives, before it counts. */
  arrives: (id: string) => Promise<void>
  close(): Promise<void>
}

export async function addressDesk(): Promise<AddressDesk> {
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
  const self: AddressDesk = {
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
