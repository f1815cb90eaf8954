import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { fileURLToPath } from 'node:url'

/** Finds a port on 127.0.0.1 on which nothing listens, outside the range of ephemeral ports. */
export async function freePort(): Promise<number> {
  const { freePort }: { freePort(): Promise<number> } = await import(
    fileURLToPath(new URL('../scripts/free-port.mjs', import.meta.url))
  )
  return freePort()
}

/** Starts a server on a free port of 127.0.0.1, and returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port')
  return address.port
}

/** Breaks the connections of a server and stops it. */
export async function stopListening(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
