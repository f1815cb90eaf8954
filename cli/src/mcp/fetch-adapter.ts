import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'

/** Converts a Node request to a web Request, as the protocol library expects. */
export function toWebRequest(message: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', rawHeaders } = message
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(message) as unknown as BodyInit, duplex: 'half' } : {}),
  })
}

/** Sends a web Response, streaming its body. Stops if the client disconnects. */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers))
  if (!response.body) {
    to.end()
    return
  }
  try {
    await pipeline(Readable.fromWeb(response.body as ReadableStream), to)
  } catch (error) {
    if (!to.destroyed) throw error
  }
}
