import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Countersign } from '@countersign/sdk'
import { build } from 'esbuild'
import { listen } from '../test/ports.testing.ts'

const PAGE = fileURLToPath(new URL('./page/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'main.js': 'text/javascript; charset=utf-8',
}

export interface Backend {
  /** `http://localhost:<port>`, where passkeys work without TLS. */
  readonly origin: string
  /** All text sent to the page, in which tests search for secrets. */
  readonly sent: string[]
  close(): void
}

/**
 * An app's backend. It serves the page, has a single customer (`me`; a real app has a login for that), and
 * creates the customer's token; the page calls the API itself. `quorumPublicKey` is built into the page.
 */
export async function startBackend(options: {
  readonly baseUrl: string
  readonly tokenId: string
  readonly clientSecret: string
  readonly quorumPublicKey: string
  readonly me: { readonly customerId: string } & Readonly<Record<string, string>>
}): Promise<Backend> {
  const { baseUrl, tokenId, clientSecret, quorumPublicKey, me } = options
  const files: Record<string, string> = {
    'index.html': await readFile(`${PAGE}index.html`, 'utf8'),
    'style.css': await readFile(`${PAGE}style.css`, 'utf8'),
    'main.js': await buildBundle(quorumPublicKey),
  }
  const countersign = new Countersign({ baseUrl, tokenId, clientSecret })
  const sent: string[] = []

  async function respond({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, type: string, text: string) => {
      sent.push(text)
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text)
    }
    const { pathname } = new URL(url!, 'http://localhost')
    const file = pathname === '/' ? 'index.html' : pathname.slice(1)
    if (method === 'GET' && Object.hasOwn(files, file)) return send(200, TYPES[file]!, files[file]!)
    // Only pages of this origin get a token, and only for their own customer.
    if (headers['sec-fetch-site'] !== 'same-origin')
      return send(403, 'text/plain', 'Only for pages of this app.')
    if (method === 'GET' && pathname === '/me')
      return send(200, 'application/json', JSON.stringify({ ...me, baseUrl }))
    if (method !== 'POST' || pathname !== '/token') return send(404, 'text/plain', 'Not found.')
    const body = { customerId: me.customerId, permissions: ['VIEW' as const, 'TRANSACT' as const] }
    const { accessToken } = (await countersign.call('customer_token_create', { body })).body
    send(200, 'application/json', JSON.stringify({ accessToken }))
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  const port = await listen(server)
  return {
    origin: `http://localhost:${port}`,
    sent,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function buildBundle(quorumPublicKey: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${PAGE}main.ts`],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: { QUORUM_PUBLIC_KEY: JSON.stringify(quorumPublicKey) },
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}
