import type { IncomingMessage, Server, ServerResponse } from 'node:http'

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

/**
 * The longest idle time of a caller's connection. Longer than the caller's own limit, so that the caller
 * closes it.
 */
const IDLE_CONNECTION_MS = 75_000

const UNREAD_BYTES_MAX = 8 * 1024 * 1024

/** The body of a request, byte for byte. Throws a 413 Refusal if it is too long. */
export async function bodyOf(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  const pieces: AsyncIterable<Buffer> = request
  for await (const part of pieces) {
    length += part.length
    if (length <= bytesMax) parts.push(part)
    // The rest is read and discarded up to a limit, so that the caller receives the refusal.
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

/** The response to a call, or its refusal. */
export async function attempt(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal)
      return { status: error.status, body: { code: error.code, message: error.message } }
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
      return { status: 400, body: {} }
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    return { status: 500, body: { code: 'INTERNAL', message: 'The bank has made a mistake' } }
  }
}

/** Serves on a port, 0 for a free one. Returns the URL. */
export function listen(server: Server, port: number, host: string): Promise<string> {
  server.keepAliveTimeout = IDLE_CONNECTION_MS
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      const bound = typeof address === 'object' && address ? address.port : port
      resolve(`http://${host}:${bound}`)
    })
  })
}
