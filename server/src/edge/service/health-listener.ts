import { type FastifyInstance, fastify } from 'fastify'

/** Enough for a few concurrent probes without keep-alive. */
const CONNECTIONS_MAX = 64
const REQUEST_MS_MAX = 5_000
const PATHS = ['/healthz', '/readyz', '/metrics'] as const

export interface ProbeListener {
  readonly port: number
  close(): Promise<void>
}

/**
 * Listens on a separate port for probes and metrics, so that callers who exhaust the API's connections cannot
 * block them. Port 0 means any free port.
 */
export async function listenForProbes(
  api: FastifyInstance,
  { host, healthPort: port }: { readonly host: string; readonly healthPort: number },
): Promise<ProbeListener> {
  const probes = fastify({ requestTimeout: REQUEST_MS_MAX, keepAliveTimeout: 1, forceCloseConnections: true })
  for (const path of PATHS)
    probes.get(path, async (request, reply) => {
      reply.hijack()
      reply.raw.setHeader('Connection', 'close')
      api.routing(request.raw, reply.raw)
    })
  probes.server.maxConnections = CONNECTIONS_MAX
  await probes.listen({ host, port })
  const address = probes.server.address()
  const listening = typeof address === 'object' && address ? address.port : port
  return { port: listening, close: () => probes.close() }
}
