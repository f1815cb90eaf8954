import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { AddressRefused, isRefusedHost, publicLookup } from './addresses.ts'

export interface PostOptions {
  /** For all of it: look-up, connection, request, answer. */
  readonly timeoutMs: number
  /** Connect to the public internet only. */
  readonly publicOnly: boolean
  /** How names are looked up where connections are not free. */
  readonly lookup?: LookupFunction
}

/** An answer: its status, and as much of its body as is read. */
export interface Posted {
  readonly status: number
  readonly body: Uint8Array
  /** False where the body is longer than what is read of it. */
  readonly isWhole: boolean
}

/** No answer. `code` is the system's word for what happened, such as ECONNREFUSED; or TIMEOUT, ADDRESS_REFUSED. */
export class NoAnswer extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export const ANSWER_BYTES_MAX = 64 * 1024

/**
 * Sends a POST over a connection of its own and gives the answer, whatever its status; a redirect is an answer like any
 * other. Throws NoAnswer.
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  options: PostOptions,
): Promise<Posted> {
  if (!URL.canParse(url)) throw new NoAnswer('INVALID_URL')
  const target = new URL(url)
  if (options.publicOnly && isRefusedHost(target.hostname)) throw new NoAnswer('ADDRESS_REFUSED')
  return new Promise((resolve, reject) => {
    const send = target.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(target, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': body.length },
      // No connection is kept: the other side may close an idle one just as it is used.
      agent: false,
      ...(options.publicOnly ? { lookup: options.lookup ?? publicLookup() } : {}),
    })
    const timer = setTimeout(() => fail('TIMEOUT'), options.timeoutMs)
    const settle = () => {
      clearTimeout(timer)
      request.destroy()
    }
    const fail = (code: string) => {
      reject(new NoAnswer(code))
      settle()
    }
    request.on('error', (error) => fail(codeOf(error)))
    request.on('close', () => fail('ECONNRESET'))
    request.on('response', (response) => {
      const status = response.statusCode!
      const chunks: Uint8Array[] = []
      let length = 0
      const finish = (isWhole: boolean) => {
        resolve({ status, body: Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX), isWhole })
        settle()
      }
      response.on('error', (error) => fail(codeOf(error)))
      response.on('data', (chunk: Uint8Array) => {
        chunks.push(chunk)
        length += chunk.length
        if (length > ANSWER_BYTES_MAX) finish(false)
      })
      response.on('end', () => finish(true))
    })
    request.end(body)
  })
}

function codeOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.code
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : 'FAILED'
}
