import type { FastifyInstance } from 'fastify'
import type { App } from '../../kernel/operation/app.ts'
import { CARD_PAGE_SECURITY_POLICY, renderCardPage } from '../../outside/sandbox/card-page.ts'
import { CARD_PAGE_PATH } from '../../outside/sandbox/card-processor.ts'

/** Serves the card page of the sandbox. In production the card processor serves it from its own URL. */
export function addCardPage(server: FastifyInstance, app: App): void {
  if (app.config.mode !== 'sandbox') return
  server.get<{ Params: { reference: string } }>(`${CARD_PAGE_PATH}:reference`, async (request, reply) => {
    const { isFound, html } = await renderCardPage(app.lookup, request.params.reference)
    reply
      .code(isFound ? 200 : 404)
      .header('Cache-Control', 'no-store')
      .header('Content-Security-Policy', CARD_PAGE_SECURITY_POLICY)
      .type('text/html; charset=utf-8')
    return html
  })
}
