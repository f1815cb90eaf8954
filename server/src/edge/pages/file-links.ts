import type { FastifyInstance } from 'fastify'
import type { App } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { FILES_PATH, openLink } from '../../people/documents/links.ts'
import { addressOf } from '../http/request/address.ts'
import { asApiError } from '../http/response/errors.ts'
import { sendError } from '../http/response/refuse.ts'

/** Forces a download, so that no browser runs or shows the content under our origin. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Serves files through signed links. Not part of the API: the link itself is the credential. */
export function addFileLinks(server: FastifyInstance, app: App): void {
  server.get<{ Params: { token: string } }>(
    `${FILES_PATH}:token`,
    { exposeHeadRoute: false },
    async (request, reply) => {
      try {
        const found = await openLink(app, request.params.token, addressOf(app, request), app.log)
        if (!found) return sendError(app, reply, new ApiError('NOT_FOUND'))
        const { document, bytes } = found
        bytes.on('error', (error) =>
          app.log.error(
            { ...request.trace, err: error, document: document.id },
            'failed to read a document completely',
          ),
        )
        return reply
          .headers(HEADERS)
          .header('Content-Disposition', attachment(document.file_name))
          .header('Content-Length', Number(document.bytes))
          .type(document.content_type)
          .send(bytes)
      } catch (error) {
        const { refusal, isFault } = asApiError(error)
        if (isFault) app.log.error({ ...request.trace, err: error }, 'failed to serve a file link')
        return sendError(app, reply, refusal)
      }
    },
  )
}

/** The file name according to RFC 6266, in ASCII and unchanged. */
function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`
}
