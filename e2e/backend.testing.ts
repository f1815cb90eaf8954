import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Countersign, toJson } from '@countersign/sdk'
import { build } from 'esbuild'
import { isOwn, type PageCall, readCall } from './gate.testing.ts'

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
  /** All text that was sent to the page, to search for secrets in it. */
  readonly sent: string[]
  /** Every call that was forwarded to the API, as method and path. */
  readonly passedOn: string[]
  close(): void
}

/**
 * The backend of an app: serves the page, knows its customer (`me`; an app has a login for that), and adds the API's
 * credentials to the calls that it forwards. It forwards only the calls of the table in `gate.testing.ts`, for the
 * customer's own records. `quorumPublicKey` is built into the page.
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
  const countersign = new Countersign({ baseUrl, tokenId, clientSecret })
  const challenges = new Set<string>()
  const sent: string[] = []
  const passedOn: string[] = []

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
    const call = url.pathname.startsWith('/api/') ? await callOf(request, url) : undefined
    if (!call || !(await mayPass(call)))
      return send(
        403,
        'application/json',
        '{"status":403,"code":"FORBIDDEN","message":"This page may not make this call."}',
      )
    const headers = new Headers({ Authorization: authorization })
    for (const name of HEADERS_PASSED_ON)
      if (typeof request.headers[name] === 'string') headers.set(name, request.headers[name])
    const query = new URLSearchParams(call.query)
    const body = call.body === undefined ? {} : { body: toJson(call.body) }
    passedOn.push(`${method} ${call.path}`)
    const reply = await fetch(`${baseUrl}${call.path}?${query}`, { method, headers, ...body })
    if (reply.status === 201) challenges.delete(challengeIn(call))
    for (const name of ['Idempotency-Replayed', 'Retry-After'])
      if (reply.headers.has(name)) response.setHeader(name, reply.headers.get(name)!)
    send(reply.status, 'application/json', await reply.text())
  }

  async function callOf(request: IncomingMessage, url: URL): Promise<PageCall | undefined> {
    const text = await textOf(request)
    url.pathname = url.pathname.slice('/api'.length)
    try {
      return readCall(request.method ?? 'GET', url, text)
    } catch {
      return undefined
    }
  }

  /** A passkey is registered only with a challenge of this backend, and once. */
  async function mayPass(call: PageCall): Promise<boolean> {
    const { type } = (call.body ?? {}) as { readonly type?: unknown }
    if (call.name === 'credential_create' && type === 'PASSKEY' && !challenges.has(challengeIn(call)))
      return false
    return isOwn(countersign, me.customerId, call)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    sent,
    passedOn,
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

function challengeIn({ body }: PageCall): string {
  return String((body as { readonly challenge?: unknown } | undefined)?.challenge)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
