import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../kernel/operation/operation.ts'
import { readDocsFile } from './docs-folder.ts'
import { makeOnce } from './once.ts'
import { FOR_EVER, type Packed, pack, sendPacked } from './packed.ts'

const FOLDER = '/docs/files'

/** Files of `docs/reference` that the pages load. */
const FILES = { 'page.css': 'text/css', 'page.js': 'text/javascript', 'try.js': 'text/javascript' } as const

export type SiteFile = keyof typeof FILES

const names = Object.keys(FILES).filter((name): name is SiteFile => name in FILES)

const getPacked = makeOnce(async (name) =>
  pack(await readDocsFile(`reference/${name}`), getContentType(name)),
)

function getContentType(name: string): string {
  return name.endsWith('.css') ? FILES['page.css'] : FILES['page.js']
}

/** The URL of a file, which changes with its content. */
export async function findFileAddress(name: SiteFile): Promise<string> {
  return `${FOLDER}/${toHashedName(name, await getPacked(name))}`
}

/** `page.css` becomes `page.Xk3….css`. */
function toHashedName(name: string, { hash }: Packed): string {
  const [stem = '', ending = ''] = basename(name).split('.')
  return `${stem}.${hash}.${ending}`
}

/** Serves the styles and scripts of the documentation pages. */
export function addSiteFiles(server: FastifyInstance): void {
  server.get<{ Params: { name: string } }>(`${FOLDER}/:name`, async (request, reply) => {
    for (const name of names) {
      const packed = await getPacked(name)
      if (toHashedName(name, packed) === request.params.name)
        return sendPacked(request, reply, packed, FOR_EVER)
    }
    throw new ApiError('NOT_FOUND')
  })
}
