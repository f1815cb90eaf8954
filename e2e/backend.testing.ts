import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { API, type EndpointName } from '@countersign/contract/api'
import { build } from 'esbuild'

/** What the page may ask of the API. Whatever moves money among these takes the customer's signature. */
const PASSED_ON: readonly EndpointName[] = [
  'customer_internal_account_list',
  'credential_list',
  'credential_challenge',
  'credential_verify',
  'credential_create',
  'credential_delete',
  'session_list',
  'session_refresh',
  'session_delete',
  'internal_account_export',
  'quote_create',
  'quote_execute',
  'transaction_get',
]
const HEADERS_PASSED_ON = ['content-type', 'idempotency-key', 'svc-wallet-signature', 'request-id']

const PAGE = fileURLToPath(new URL('./page/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'main.js': 'text/javascript; charset=utf-8',
}

export interface Backend {
  /** `http://localhost:<port>`, where passkeys work without TLS. */
  readonly origin: string
  /** Every byte of text that the page was sent, to look for what it must not be sent. */
  readonly sent: string[]
  close(): void
}

/**
 * The backend of an app: serves the page, knows who its customer is, has the API's credentials and adds them to the
 * calls that it passes on. `quorumPublicKey` is built into the page.
 */
export async function startBackend(options: {
  readonly baseUrl: string
  readonly tokenId: string
  readonly clientSecret: string
  readonly quorumPublicKey: string
  readonly me: { readonly customerId: string } & Readonly<Record<string, string>>
}): Promise<Backend> {
  const { baseUrl, tokenId, clientSecret, quorumPublicKey, me } = options
  const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  const files: Record<string, string> = {
    'index.html': await readFile(`${PAGE}index.html`, 'utf8'),
    'style.css': await readFile(`${PAGE}style.css`, 'utf8'),
    'main.js': await bundle(quorumPublicKey),
  }
  const challenges = new Set<string>()
  const sent: string[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request
    const url = new URL(request.url!, 'http://localhost')
    const send = (status: number, type: string, text: string) => {
      sent.push(text)
      response.writeHead(status, { 'Content-Type': type }).end(text)
    }
    const file = url.pathname === '/' ? 'index.html' : url.pathname.slice(1)
    if (files[file] !== undefined) return send(200, TYPES[file]!, files[file])
    if (url.pathname === '/me') return send(200, 'application/json', JSON.stringify(me))
    if (url.pathname === '/passkey-challenge' && method === 'POST') {
      const challenge = randomBytes(32).toString('base64url')
      challenges.add(challenge)
      return send(200, 'application/json', JSON.stringify({ challenge }))
    }
    const body = await textOf(request)
    const path = url.pathname.replace(/^\/api/, '')
    if (!url.pathname.startsWith('/api/') || !isPassedOn(method, path, url, body))
      return send(403, 'application/json', '{"status":403,"code":"FORBIDDEN","message":"Not for this page."}')
    const headers = new Headers({ Authorization: authorization })
    for (const name of HEADERS_PASSED_ON)
      if (typeof request.headers[name] === 'string') headers.set(name, request.headers[name])
    const reply = await fetch(baseUrl + path + url.search, { method, headers, ...(body && { body }) })
    for (const name of ['Idempotency-Replayed', 'Retry-After'])
      if (reply.headers.has(name)) response.setHeader(name, reply.headers.get(name)!)
    send(reply.status, 'application/json', await reply.text())
  }

  function isPassedOn(method: string, path: string, url: URL, body: string): boolean {
    const name = PASSED_ON.find((name) => API[name].method === method && patternOf(API[name].path).test(path))
    if (name === 'customer_internal_account_list') return url.searchParams.get('customerId') === me.customerId
    if (name !== 'credential_create') return name !== undefined
    const { type, challenge } = JSON.parse(body) as { type: string; challenge: string }
    return type !== 'PASSKEY' || challenges.has(challenge)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    sent,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function bundle(quorumPublicKey: string): Promise<string> {
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

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
