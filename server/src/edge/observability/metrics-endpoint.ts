import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { App } from '../../kernel/operation/app.ts'
import { oneAtATime } from '../../kernel/operation/one-at-a-time.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { withTimeout } from '../../kernel/operation/timeout.ts'
import { findWatchFigures } from './watch-figures.ts'

/** Well below the ten-second timeout of Prometheus. */
const WATCHES_MS_MAX = 2000
const BEARER = /^Bearer +([^\s]+) *$/i

/**
 * `GET /metrics` for Prometheus, protected by METRICS_TOKEN. Without a token, it is open in the sandbox and
 * 404 in production. Throws 401 `UNAUTHORIZED`.
 */
export function addMetrics(server: FastifyInstance, app: App, isReady: () => Promise<boolean>): void {
  const { metricsToken, mode } = app.config
  if (metricsToken === undefined && mode === 'production') return
  const expected = metricsToken === undefined ? undefined : digest(metricsToken)
  const watches = oneAtATime(() => findWatchFigures(app).catch(() => undefined))
  server.get('/metrics', async (request, reply) => {
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (expected && !timingSafeEqual(digest(token), expected))
      throw new ApiError('UNAUTHORIZED', {
        reason: token === '' ? 'Missing credentials' : 'Invalid credentials',
        headers: { 'WWW-Authenticate': 'Bearer realm="countersign metrics"' },
      })
    app.metrics.setWatched(await withTimeout(WATCHES_MS_MAX, watches()))
    return reply
      .type(app.metrics.contentType)
      .header('Cache-Control', 'no-store')
      .send(await app.metrics.text(isReady))
  })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
