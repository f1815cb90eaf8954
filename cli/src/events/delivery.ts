import { createHmac } from 'node:crypto'
import { createWireSpelling } from '@countersign/contract/core/wire-word'
import { ConnectionError, type Countersign, type PlatformEvent, toJson } from '@countersign/sdk'
import { readWireWord } from '../connection/wire-word.ts'
import { getErrorMessage } from '../terminal/thrown.ts'

/** The result of one delivery attempt: the response status, or the error if there was no response. */
export interface DeliveryResult {
  readonly status?: number
  readonly error?: string
  readonly ms: number
}

const TIMEOUT_MS = 10_000
/** The cache time of secrets. A replaced secret stays valid for longer than this. */
const SECRETS_CACHE_MS = 30_000
const PREFIX = 'whsec_'

/** Signs events like webhooks and delivers them to a local server. */
export class Delivery {
  readonly #countersign: Countersign
  readonly #target: string
  #secrets: readonly Buffer[] = []
  #readAt = Number.NEGATIVE_INFINITY

  constructor(countersign: Countersign, target: string) {
    this.#countersign = countersign
    this.#target = target
  }

  /** Makes one delivery attempt. Rejects with CountersignError if the API denies access to the secrets. */
  async attempt(event: PlatformEvent): Promise<DeliveryResult> {
    const body = Buffer.from(formatBody(event))
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
    if (performance.now() - this.#readAt < SECRETS_CACHE_MS) return this.#secrets
    try {
      const { data } = await this.#countersign.webhookSecrets.list()
      this.#secrets = data.map(({ secret }) => Buffer.from(secret.slice(PREFIX.length), 'base64'))
      this.#readAt = performance.now()
    } catch (error) {
      // Keep delivering while the Countersign server is down: the cached secrets are still valid.
      if (!(error instanceof ConnectionError) || this.#secrets.length === 0) throw error
    }
    return this.#secrets
  }
}

/** Builds the three headers of Standard Webhooks 1.0, with one signature per secret. `seconds` is Unix time. */
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

/**
 * Formats the event as a webhook body: without its delivery status, and with the server's own spelling of
 * field names.
 */
function formatBody({ deliveryStatus: _, ...envelope }: PlatformEvent): string {
  return toJson(createWireSpelling(readWireWord().wireWord).outward(envelope))
}

/** Ctrl-C does not abort this request, because its response may confirm that the event arrived. */
async function post(
  url: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<{ status: number } | { error: string }> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal,
    })
    await response.body?.cancel()
    return { status: response.status }
  } catch (error) {
    return { error: findErrorCode(error) }
  }
}

function findErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return getErrorMessage(error)
  if (error.name === 'TimeoutError') return 'TIMEOUT'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message
}
