import { createHmac } from 'node:crypto'
import { wireSpelling } from '@countersign/contract/core/wire-word'
import { ConnectionError, type Countersign, type PlatformEvent, toJson } from '@countersign/sdk'
import { wireWord } from '../connection/wire-word.ts'
import { messageOf } from '../terminal/thrown.ts'

/** One attempt: the status of the response, or the reason for its absence. */
export interface Delivered {
  readonly status?: number
  readonly error?: string
  readonly ms: number
}

const TIMEOUT_MS = 10_000
/** Secrets are read again after this time: a replaced secret stays valid for longer. */
const SECRETS_MS = 30_000
const PREFIX = 'whsec_'

/** Signs events like a webhook and delivers them to a local server. */
export class Delivery {
  readonly #countersign: Countersign
  readonly #target: string
  #secrets: readonly Buffer[] = []
  #readAt = Number.NEGATIVE_INFINITY

  constructor(countersign: Countersign, target: string) {
    this.#countersign = countersign
    this.#target = target
  }

  /** Tries once. Rejects with CountersignError if the server refuses to show the secrets. */
  async attempt(event: PlatformEvent): Promise<Delivered> {
    const body = Buffer.from(bodyOf(event))
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Countersign-Listen/1',
      ...buildSignatureHeaders(await this.#validSecrets(), event.id, body, Math.floor(Date.now() / 1000)),
    }
    const startedMs = performance.now()
    const outcome = await post(this.#target, headers, body)
    return { ...outcome, ms: Math.round(performance.now() - startedMs) }
  }

  async #validSecrets(): Promise<readonly Buffer[]> {
    if (performance.now() - this.#readAt < SECRETS_MS) return this.#secrets
    try {
      const { data } = await this.#countersign.webhookSecrets.list()
      this.#secrets = data.map(({ secret }) => Buffer.from(secret.slice(PREFIX.length), 'base64'))
      this.#readAt = performance.now()
    } catch (error) {
      // Delivery to the local server does not need ours: the secrets read before still sign.
      if (!(error instanceof ConnectionError) || this.#secrets.length === 0) throw error
    }
    return this.#secrets
  }
}

/** The three headers of Standard Webhooks 1.0, with a signature by each secret. `seconds`: the time, since 1970. */
export function buildSignatureHeaders(
  secrets: readonly Uint8Array[],
  id: string,
  body: Uint8Array,
  seconds: number,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', secret).update(`${id}.${seconds}.`).update(body)
    return `v1,${mac.digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}

/** The event as webhooks have it: without its delivery status, and in the server's own spelling. */
function bodyOf({ deliveryStatus: _, ...envelope }: PlatformEvent): string {
  return toJson(wireSpelling(wireWord().wireWord).outward(envelope))
}

/** Not interrupted by Ctrl-C: a response on its way confirms that the event has arrived. */
async function post(
  url: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<{ status: number } | { error: string }> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal,
    })
    await answer.body?.cancel()
    return { status: answer.status }
  } catch (error) {
    return { error: codeOf(error) }
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error)
  if (error.name === 'TimeoutError') return 'TIMEOUT'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message
}
