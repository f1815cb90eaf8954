import { readFileSync } from 'node:fs'
import { fastify } from 'fastify'

/** The comparison: a Fastify route that only answers the bytes of a file, as JSON. */
export async function serveBareRoute(file: string): Promise<void> {
  const body = readFileSync(file, 'utf8')
  const server = fastify()
  server.get('/', async (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
  await server.listen({ host: '127.0.0.1', port: 0 })
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.')
  process.stdout.write(`port ${address.port}\n`)
}
