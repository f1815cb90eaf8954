import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { AGES_MAX, Cell, type ReceiverData } from './receiver-data.ts'

/** The program of a receiver's thread. See `receiver.ts`. */

const { cells, ages, hangingPath }: ReceiverData = workerData
const TIMESTAMP = /"timestamp":"([^"]+)"/

const server = createServer((request, response) => {
  if (request.url === hangingPath) return
  const arrivedAt = Date.now()
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const count = cells[Cell.requests] ?? 0
    ages[count % AGES_MAX] = arrivedAt - readTime(Buffer.concat(chunks))
    cells[Cell.lastAt] = performance.timeOrigin + performance.now()
    cells[Cell.requests] = count + 1
    const delayMs = cells[Cell.delayMs] ?? 0
    if (delayMs > 0) void setTimeout(delayMs).then(() => response.end())
    else response.end()
  })
})
server.on('connection', () => {
  cells[Cell.connections] = (cells[Cell.connections] ?? 0) + 1
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
parentPort?.postMessage(typeof address === 'object' ? address?.port : undefined)

/** Reads an event's time without the cost of parsing the whole body. */
function readTime(body: Buffer): number {
  return Date.parse(TIMESTAMP.exec(body.toString('latin1'))?.[1] ?? '')
}
