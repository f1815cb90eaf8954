import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { CountersignError } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { checkBaseUrl } from '../terminal/credentials.ts'
import { Failure } from '../terminal/failure.ts'
import { messageOf } from '../terminal/thrown.ts'
import { wireWord } from '../terminal/wire-word.ts'
import { requestOf, sendResponse } from './fetch-adapter.ts'
import { InFlight } from './in-flight.ts'
import { BASE_URL } from './token.ts'
import { toolServers } from './tool-server.ts'

/** The options of `countersign mcp --http`. */
export interface HttpOptions {
  readonly baseUrl?: string
  readonly host: string
  /** 0: one that is free. */
  readonly port: number
  /** Further names of hosts under which clients reach this one. */
  readonly allowedHosts: readonly string[]
}

const PATH = '/mcp'
const BODY_BYTES_MAX = 64 * 1024
const CONNECTIONS_MAX = 1_000
const REQUEST_TIMEOUT_MS = 30_000
/** How long requests under way may still take once this process is asked to end. */
const DRAIN_MS = 5_000

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

/**
 * `countersign mcp --http`: serves the tools over streamable HTTP at `/mcp` until the signal is aborted. Each request acts as the
 * agent whose token it brings, and nothing is kept between requests: there is no session to take over or to fill memory with. A page
 * of another site that reaches this address is refused by its Origin, and one that has its own name lead here by its Host.
 * Throws Failure for an address that cannot be listened on.
 */
export async function serveHttp(options: HttpOptions, signal: AbortSignal): Promise<void> {
  const baseUrl = options.baseUrl === undefined ? BASE_URL : checkBaseUrl(options.baseUrl)
  const word = wireWord()
  const report = (error: unknown) => {
    // What the API or the protocol refuses is told to the client: a stranger cannot fill the output with it.
    if (!(error instanceof CountersignError)) process.stderr.write(`${messageOf(error)}\n`)
  }
  const [newServer, sdk] = await Promise.all([toolServers(report), import('@modelcontextprotocol/server')])
  const handler = sdk.createMcpHandler(
    ({ authInfo }) =>
      newServer(async () => Agent.withToken({ baseUrl, accessToken: authInfo?.token ?? '', ...word })),
    { maxRequestBodySize: BODY_BYTES_MAX },
  )
  const hosts = [...sdk.localhostAllowedHostnames(), ...namesOf(options)]
  const isOwn = ({ headers }: IncomingMessage) =>
    sdk.validateHostHeader(headers.host, hosts).ok && sdk.validateOriginHeader(headers.origin, hosts).ok
  const inFlight = new InFlight()
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer({ handler, isOwn, inFlight }, request, response).catch((error: unknown) => {
      report(error)
      response.destroy()
    })
  })
  server.maxConnections = CONNECTIONS_MAX
  await listen(server, options)
  const { port } = server.address() as AddressInfo
  process.stdout.write(
    `Listening on ${addressOf(options.host, port)}${PATH}. A client sends the token of its agent: "Authorization: Bearer …".\n`,
  )
  if (!signal.aborted) await once(signal, 'abort')
  await close(server, handler, inFlight)
}

interface Endpoint {
  readonly handler: McpHttpHandler
  readonly isOwn: (request: IncomingMessage) => boolean
  readonly inFlight: InFlight
}

async function answer(
  { handler, isOwn, inFlight }: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isOwn(request)) return refuse(response, 403, 'This Host or Origin is not allowed.')
  if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `There is only ${PATH}.`)
  const [, token] = BEARER.exec(request.headers.authorization ?? '') ?? []
  if (token === undefined)
    return refuse(response, 401, 'Send the token of an agent: "Authorization: Bearer …".', {
      'WWW-Authenticate': 'Bearer realm="countersign"',
    })
  const ended = inFlight.begin(token)
  if (!ended) return refuse(response, 429, 'Too many requests at the same time.', { 'Retry-After': '1' })
  const controller = new AbortController()
  response.once('close', () => {
    ended()
    controller.abort()
  })
  const authInfo = { token, clientId: 'agent', scopes: [] }
  await sendResponse(await handler.fetch(requestOf(request, controller.signal), { authInfo }), response)
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  // The body was not read, so the connection cannot go on.
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json', Connection: 'close' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}

function namesOf({ host, allowedHosts }: HttpOptions): readonly string[] {
  if (!ANY_ADDRESS.has(host)) return [bracketed(host), ...allowedHosts]
  if (allowedHosts.length > 0) return allowedHosts
  throw new Failure(
    `--host ${host} listens on every address: name the hosts by which clients reach it, as --allowed-hosts mcp.example.com.`,
  )
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)

const addressOf = (host: string, port: number) => `http://${bracketed(host)}:${port}`

async function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw new Failure(`${addressOf(host, port)} cannot be listened on: ${messageOf(error)}`)
  }
}

async function close(server: Server, handler: McpHttpHandler, inFlight: InFlight): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const drained = new AbortController()
  await Promise.race([inFlight.none(), pause(DRAIN_MS, undefined, { signal: drained.signal })])
  drained.abort()
  await handler.close()
  server.closeAllConnections()
  await closed
}
