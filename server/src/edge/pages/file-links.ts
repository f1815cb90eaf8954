import type { FastifyInstance } from 'fastify'
import type { App } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { FILES_PATH, openLink } from '../../people/documents/links.ts'
import { findClientAddress } from '../http/request/address.ts'
import { toApiError } from '../http/response/errors.ts'
import { sendError } from '../http/response/refuse.ts'

/** Prevents browsers from running or displaying the content under the server's origin. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Serves files through signed links outside the API. The link is the credential. */
export function addFileLinks(server: FastifyInstance, app: App): void {
  server.get<{ Params: { token: string } }>(
    `${FILES_PATH}:token`,
    { exposeHeadRoute: false },
    async (request, reply) => {
      try {
        const found = await openLink(app, request.params.token, findClientAddress(app, request), app.log)
        if (!found) return sendError(app, reply, new ApiError('NOT_FOUND'))
        const { document, bytes } = found
        bytes.on('error', (error) =>
          app.log.error({ ...request.trace, err: error, document: document.id }, 'failed to read a document'),
        )
        return reply
          .headers(HEADERS)
          .header('Content-Disposition', formatDisposition(document.file_name))
          .header('Content-Length', Number(document.bytes))
          .type(document.content_type)
          .send(bytes)
      } catch (error) {
        const { refusal, isFault } = toApiError(error)
        if (isFault) app.log.error({ ...request.trace, err: error }, 'failed to serve a file link')
        return sendError(app, reply, refusal)
      }
    },
  )
}

/** Builds the `Content-Disposition` header (RFC 6266) with the file name in ASCII and unchanged. */
function formatDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`
}
