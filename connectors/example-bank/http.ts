import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export const ok = (body: unknown): Answer => ({ status: 200, body })

/** A refusal, as its caller sees it. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const UNREAD_BYTES_MAX = 8 * 1024 * 1024

/** The body of a request, byte for byte. Throws a 413 Refusal if it is too long. */
export async function bodyOf(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  const pieces: AsyncIterable<Buffer> = request
  for await (const part of pieces) {
    length += part.length
    if (length <= bytesMax) parts.push(part)
    // The rest is read and thrown away, so that the caller hears the refusal; up to a limit.
    else if (length > UNREAD_BYTES_MAX) break
  }
  if (length > bytesMax)
    throw new Refusal(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax} bytes.`)
  return Buffer.concat(parts)
}

/** The JSON object of a body. Refusal: 400. */
export function objectOf(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>
  } catch {
    // It is no JSON, or no text at all.
  }
  throw new Refusal(400, 'INVALID_INPUT', 'The body must be a JSON object.')
}

export function send(response: ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(status === 413 ? { connection: 'close' } : {}),
  })
  response.end(text)
}
