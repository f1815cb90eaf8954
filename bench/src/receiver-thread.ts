import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { AGES_MAX, Cell, type ReceiverData } from './receiver-data.ts'

/**
 * The program of a receiver's thread. See `receiver.ts`. A real receiver is on another machine, so this one
 * reads only the parts of HTTP that the server sends, which takes less time than `node:http`.
 */

const { cells, ages, hangingPath }: ReceiverData = workerData
const HEAD_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: *(\d+)/i
const TIMESTAMP = /"timestamp":"([^"]+)"/
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n'

const server = createServer({ noDelay: true }, (socket) => {
  cells[Cell.connections] = (cells[Cell.connections] ?? 0) + 1
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
      receive(socket, request)
    }
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
parentPort?.postMessage(typeof address === 'object' ? address?.port : undefined)

/** The first request in a text, with its body, or undefined if it is not complete. */
function takeRequest(text: string): string | undefined {
  const headLength = text.indexOf(HEAD_END) + HEAD_END.length
  if (headLength < HEAD_END.length) return undefined
  const length = headLength + Number(LENGTH.exec(text.slice(0, headLength))?.[1] ?? 0)
  return text.length < length ? undefined : text.slice(0, length)
}

function receive(socket: Socket, request: string): void {
  if (request.startsWith(`POST ${hangingPath} `)) return
  const count = cells[Cell.requests] ?? 0
  // Reads an event's time without the cost of parsing the whole body.
  ages[count % AGES_MAX] = Date.now() - Date.parse(TIMESTAMP.exec(request)?.[1] ?? '')
  cells[Cell.lastAt] = performance.timeOrigin + performance.now()
  cells[Cell.requests] = count + 1
  const delayMs = cells[Cell.delayMs] ?? 0
  if (delayMs > 0) void setTimeout(delayMs).then(() => socket.write(RESPONSE))
  else socket.write(RESPONSE)
}
