import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { createServer, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { CERT, KEY } from '@countersign/server/base/http-client/localhost-certificate.testing'
import { AGES_MAX, Cell, type ReceiverData } from './receiver-data.ts'

/**
 * The program of a receiver's thread. See `receiver.ts`. A real receiver is on another machine, so this one
 * reads only the parts of HTTP/1.1 that the server sends, which takes less time than `node:http`.
 */

const { cells, ages, hangingPath }: ReceiverData = workerData
const HEAD_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: *(\d+)/i
const TIMESTAMP = /"timestamp":"([^"]+)"/
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n'

const server = createServer({ noDelay: true }, (socket) => {
  countConnection()
  let unread = ''
  // The sender may close a connection at any time.
  socket.on('error', () => socket.destroy())
  // One character for each byte, so that lengths are right.
  socket.setEncoding('latin1').on('data', (text: string) => {
    unread += text
    for (;;) {
      const request = takeRequest(unread)
      if (!request) return
      unread = unread.slice(request.length)
      if (!request.startsWith(`POST ${hangingPath} `)) receive(request, () => socket.write(RESPONSE))
    }
  })
})

const secureServer = createSecureServer({ cert: CERT, key: KEY })
secureServer.on('session', countConnection)
secureServer.on('stream', (stream, { ':path': path }) => {
  let body = ''
  stream.on('error', () => stream.destroy())
  stream.setEncoding('latin1').on('data', (text: string) => {
    body += text
  })
  stream.on('end', () => {
    if (path !== hangingPath) receive(body, () => stream.respond({ ':status': 200 }, { endStream: true }))
  })
})

cells[Cell.port] = await listen(server, '127.0.0.1')
cells[Cell.securePort] = await listen(secureServer, 'localhost')
parentPort?.postMessage('ready')

/** Returns the port, which the system chooses. */
async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver is not listening.')
  return address.port
}

function countConnection(): void {
  cells[Cell.connections] = (cells[Cell.connections] ?? 0) + 1
}

/** The first request in a text, with its body, or undefined if it is not complete. */
function takeRequest(text: string): string | undefined {
  const headLength = text.indexOf(HEAD_END) + HEAD_END.length
  if (headLength < HEAD_END.length) return undefined
  const length = headLength + Number(LENGTH.exec(text.slice(0, headLength))?.[1] ?? 0)
  return text.length < length ? undefined : text.slice(0, length)
}

function receive(request: string, respond: () => void): void {
  const count = cells[Cell.requests] ?? 0
  ages[count % AGES_MAX] = Date.now() - readTime(request)
  cells[Cell.lastAt] = performance.timeOrigin + performance.now()
  cells[Cell.requests] = count + 1
  const delayMs = cells[Cell.delayMs] ?? 0
  if (delayMs > 0) void setTimeout(delayMs).then(respond)
  else respond()
}

/** Reads an event's time without the cost of parsing the whole body. */
function readTime(request: string): number {
  const [, time] = TIMESTAMP.exec(request) ?? []
  if (time === undefined) throw new Error('A webhook without the time of its event arrived.')
  return Date.parse(time)
}
