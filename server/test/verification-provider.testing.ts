import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { VerificationSubmission, VerifierAnswer, VerifierEvent } from '../src/ports/verifier.ts'

/** A verification provider on the loopback. It refuses what is not signed. */
export interface VerificationProvider {
  readonly url: string
  readonly secret: string
  answer: VerifierAnswer | 'later' | 'failure' | 'nonsense'
  /** Its cases: what came again under the same id is one. */
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
