import { Agent, type ClientRequest, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { CONNECTOR_VERSION, callSigningId } from '@countersign/contract/connectors/protocol'
import { Webhook } from 'standardwebhooks'

/** A call made by the kit, valid or not. Omitted fields follow the protocol. */
export interface WireCall {
  readonly method: 'GET' | 'POST'
  /** Relative to the base URL. */
  readonly path: string
  readonly body?: unknown
  /** Sent instead of the body as JSON. */
  readonly raw?: string | Buffer
  /** The id of the object to create. */
  readonly createdId?: string
  /** Overrides headers after signing. Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Signs with these secrets instead. */
  readonly secrets?: readonly string[]
  /** Signs this instead of the actual body. */
  readonly signedBody?: string
  readonly signingId?: string
  readonly signedAt?: Date
}

export interface WireResponse {
  readonly status: number
  /** The parsed body. Undefined if it is not JSON. */
  readonly body: unknown
  readonly text: string
}

const REPLY_BYTES_MAX = 32 * 1024 * 1024

/** The point at which the kit breaks a call's connection. */
export type BreakPoint = 'in the middle of the body' | { readonly afterSendingMs: number }

/** The kit's HTTP client for the connector. */
export class Wire {
  readonly #base: URL
  readonly #secrets: readonly string[]
  readonly #timeoutMs: number
  readonly #agents = {
    http: new Agent({ keepAlive: true, maxSockets: 64 }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
  }

  constructor(base: string, secrets: readonly string[], timeoutMs: number) {
    this.#base = new URL(base.replace(/\/+$/, ''))
    this.#secrets = secrets
    this.#timeoutMs = timeoutMs
  }

  call(call: WireCall): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      const { request, body } = this.#prepareRequest(call, true)
      const fail = (error: Error) =>
        reject(new Error(`${call.method} ${call.path} got no response: ${error.message}`))
      request.on('timeout', () => request.destroy(new Error(`none within ${this.#timeoutMs} ms`)))
      request.on('error', fail)
      request.on('response', (response) => {
        const parts: Buffer[] = []
        let length = 0
        response.on('error', fail)
        response.on('data', (part: Buffer) => {
          length += part.length
          if (length > REPLY_BYTES_MAX) request.destroy(new Error('the response is too large'))
          else parts.push(part)
        })
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8')
          resolve({ status: response.statusCode ?? 0, body: tryParseJson(text), text })
        })
      })
      request.end(body)
    })
  }

  /** Starts a call and destroys its connection without waiting for the response. */
  breakOff(call: WireCall, breakPoint: BreakPoint): Promise<void> {
    return new Promise((resolve) => {
      const { request, body } = this.#prepareRequest(call, false)
      request.on('error', () => {})
      request.on('close', () => resolve())
      if (breakPoint === 'in the middle of the body') {
        request.flushHeaders()
        request.write(body.subarray(0, body.length / 2), () => setTimeout(() => request.destroy(), 20))
        return
      }
      request.end(body)
      request.on('finish', () => setTimeout(() => request.destroy(), breakPoint.afterSendingMs))
    })
  }

  close(): void {
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  #prepareRequest(call: WireCall, keepAlive: boolean): { request: ClientRequest; body: Buffer } {
    const { method, path, headers = {}, createdId } = call
    const text = call.raw ?? (call.body === undefined ? '' : JSON.stringify(call.body))
    const body = Buffer.isBuffer(text) ? text : Buffer.from(text)
    const allHeaders = {
      ...(body.length > 0 ? { 'content-type': 'application/json' } : {}),
      'content-length': String(body.length),
      'connector-version': CONNECTOR_VERSION,
      ...(createdId === undefined ? {} : { 'idempotency-key': createdId }),
      ...this.#buildSignature(call, body),
      ...headers,
    }
    const present = Object.fromEntries(
      Object.entries(allHeaders).filter((header): header is [string, string] => header[1] !== undefined),
    )
    const url = new URL(this.#base)
    const isSecure = url.protocol === 'https:'
    const agent = keepAlive ? (isSecure ? this.#agents.https : this.#agents.http) : false
    const options = {
      method,
      // Not built with URL, which would normalize a path that is meant to be malformed.
      path: `${url.pathname.replace(/\/$/, '')}${path}`,
      headers: present,
      agent,
      timeout: this.#timeoutMs,
    }
    return { request: isSecure ? httpsRequest(url, options) : httpRequest(url, options), body }
  }

  #buildSignature(call: WireCall, body: Buffer): Record<string, string> {
    const { method, path, createdId, secrets = this.#secrets.slice(0, 1), signedAt = new Date() } = call
    const id = call.signingId ?? callSigningId(method, path, createdId)
    const signed = call.signedBody ?? body
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, signedAt, signed)).join(' '),
    }
  }
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
