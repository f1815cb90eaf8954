import type { IncomingMessage, Server, ServerResponse } from 'node:http'

export interface HttpResponse {
  readonly status: number
  readonly body: unknown
}

export const ok = (body: unknown): HttpResponse => ({ status: 200, body })

/** An error response. */
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

/** Reads the request body as bytes. Throws a 413 Refusal if it is too large. */
export async function readRequestBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  const pieces: AsyncIterable<Buffer> = request
  for await (const part of pieces) {
    length += part.length
    if (length <= bytesMax) parts.push(part)
    // Reads and discards the remaining bytes up to a limit, so that the caller receives the refusal.
    else if (length > UNREAD_BYTES_MAX) break
  }
  if (length > bytesMax)
    throw new Refusal(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax} bytes.`)
  return Buffer.concat(parts)
}

/** Parses the JSON object in a body. Throws a 400 Refusal if it is not one. */
export function parseObject(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>
  } catch {
    // Invalid JSON or UTF-8 is refused below.
  }
  throw new Refusal(400, 'INVALID_INPUT', 'The body must be a JSON object.')
}

export function sendResponse(response: ServerResponse, { status, body }: HttpResponse): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(status === 413 ? { connection: 'close' } : {}),
  })
  response.end(text)
}

/** Returns the handler's response. Turns its error into an error response. */
export async function runHandler(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal)
      return { status: error.status, body: { code: error.code, message: error.message } }
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
      return { status: 400, body: {} }
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    return { status: 500, body: { code: 'INTERNAL', message: 'The bank failed unexpectedly.' } }
  }
}

/** Listens on a port; 0 picks a free one. Returns the URL. */
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
