import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Countersign } from '@countersign/sdk'
import { build } from 'esbuild'
import { makeBackend } from './backend.ts'
import { createSandboxRoutes } from './sandbox-routes.ts'

/**
 * Builds the page, serves it with its backend, and allows its origin to call the API. `folder` is the folder
 * of this example. Resolves to the origin.
 */
export async function serveExample(options: {
  readonly countersign: Countersign
  readonly baseUrl: string
  readonly folder: string
  readonly port: number
}): Promise<{ readonly origin: string; readonly server: Server }> {
  const { countersign, baseUrl, folder, port } = options
  const quorumPublicKey = await countersign.quorumPublicKey()
  const { outputFiles } = await build({
    entryPoints: [`${folder}/page.tsx`],
    tsconfig: fileURLToPath(new URL('../../tsconfig.json', `file://${folder}/`)),
    outdir: folder,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: {
      BASE_URL: JSON.stringify(baseUrl),
      QUORUM_PUBLIC_KEY: JSON.stringify(quorumPublicKey),
      'process.env.NODE_ENV': '"production"',
    },
    logLevel: 'warning',
  })
  const bundled = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  const server = makeBackend(
    countersign,
    {
      'GET /': ['text/html; charset=utf-8', await readFile(`${folder}/index.html`, 'utf8')],
      'GET /page.js': ['text/javascript; charset=utf-8', bundled('.js')],
      'GET /page.css': ['text/css; charset=utf-8', bundled('.css')],
    },
    createSandboxRoutes(countersign),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  await countersign.config.update({ allowedOrigins: [origin] })
  return { origin, server }
}
