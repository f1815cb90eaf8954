import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the range of ephemeral ports: an outgoing connection could otherwise take a port before its server
 * restarts.
 */
const FIRST = 11_000
const END = 32_000

/**
 * Finds a port on 127.0.0.1 on which nothing listens.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST, END)
    if (await isFree(port)) return port
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
