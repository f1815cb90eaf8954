import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from '../../kernel/operation/operation.ts'
import { chooseEncoding, FOR_EVER } from './packed.ts'

/** The path of the console, whose client-side router handles all paths below it. */
export const CONSOLE_PATH = '/console'

/** The output folder of Vite, relative to the built program and to the sources. */
const FOLDER = ['../../console/dist', '../../../../console/dist']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, 'index.html')))

const NONCE_PLACE = /__NONCE__/g
const NONCE_BYTES = 16

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Pages may connect only to this server, must not be framed, and run no inline scripts. Styles added by
 * components carry the response's nonce.
 */
function buildPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Serves the console: one page for all paths below it, and the files that the page loads. */
export function addConsole(server: FastifyInstance): void {
  const sendPage = async (_: unknown, reply: FastifyReply) => {
    if (!FOLDER) throw new ApiError('NOT_FOUND', { message: 'The console is not built. Run npm run build.' })
    const nonce = randomBytes(NONCE_BYTES).toString('base64url')
    const page = await readFile(join(FOLDER, 'index.html'), 'utf8')
    return reply
      .type('text/html; charset=utf-8')
      .headers({
        'Content-Security-Policy': buildPolicy(nonce),
        'X-Frame-Options': 'DENY',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cache-Control': 'no-store',
      })
      .send(page.replace(NONCE_PLACE, nonce))
  }
  server.get(CONSOLE_PATH, async (_request, reply) => reply.redirect(`${CONSOLE_PATH}/`))
  server.get(`${CONSOLE_PATH}/`, sendPage)
  server.get(`${CONSOLE_PATH}/*`, sendPage)

  let names: Promise<ReadonlySet<string>> | undefined
  server.get<{ Params: { name: string } }>(`${CONSOLE_PATH}/assets/:name`, async (request, reply) => {
    names ??= listAssetNames()
    const { name } = request.params
    const type = TYPES[extname(name)]
    // Names are looked up in the list of files, so that a path cannot escape the folder.
    if (!FOLDER || !type || !(await names).has(name)) throw new ApiError('NOT_FOUND')
    const [encoding, ending] = chooseEncoding(request) ?? [undefined, '']
    if (encoding) reply.header('Content-Encoding', encoding)
    return reply
      .type(type)
      .header('Vary', 'Accept-Encoding')
      .header('Cache-Control', FOR_EVER)
      .send(await readFile(join(FOLDER, 'assets', `${name}${ending}`)))
  })
}

async function listAssetNames(): Promise<ReadonlySet<string>> {
  return new Set(FOLDER ? await readdir(join(FOLDER, 'assets')) : [])
}
