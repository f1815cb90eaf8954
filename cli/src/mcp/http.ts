import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { CountersignError } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { checkBaseUrl } from '../connection/credentials.ts'
import { readWireWord } from '../connection/wire-word.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { getErrorMessage, getErrorSentence } from '../terminal/thrown.ts'
import { BASE_URL } from './agent-token.ts'
import { AuthorizationServer } from './authorization.ts'
import { handleAuthorization, type ReadText } from './authorization-routes.ts'
import { buildChallenge, type Challenge, checkToken, PATH, readBearerToken } from './bearer.ts'
import { sendResponse, toWebRequest } from './fetch-adapter.ts'
import { InFlight } from './in-flight.ts'
import { createServerFactory } from './tool-server.ts'

/** The options of `countersign mcp --http`. */
export interface HttpOptions {
  readonly baseUrl?: string
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Additional host names by which clients reach this server. */
  readonly allowedHosts: readonly string[]
  /** This server's address as clients see it, if it differs, such as behind a TLS proxy. */
  readonly publicUrl?: string
}

const BODY_BYTES_MAX = 64 * 1024
const FORM_BYTES_MAX = 16 * 1024
const CONNECTIONS_MAX = 1_000
const REQUEST_TIMEOUT_MS = 30_000
/** The time that requests in progress may take to finish when the process is stopping. */
const DRAIN_MS = 5_000

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

/**
 * `countersign mcp --http`: serves the tools over streamable HTTP at `/mcp` until the signal is aborted. Each
 * request acts as the agent whose token it carries. The only state is the codes of sign-ins, for up to a
 * minute; throws Failure if the address cannot be listened on.
 */
export async function serveHttp(options: HttpOptions, signal: AbortSignal): Promise<void> {
  const baseUrl = options.baseUrl === undefined ? BASE_URL : checkBaseUrl(options.baseUrl)
  const publicOrigin = readPublicOrigin(options)
  const word = readWireWord()
  const report = (error: unknown) => {
    // API and protocol errors go only to the client, so that strangers cannot flood the output.
    if (!(error instanceof CountersignError)) io().stderr.write(`${getErrorMessage(error)}\n`)
  }
  const [newServer, sdk] = await Promise.all([
    createServerFactory(report),
    import('@modelcontextprotocol/server'),
  ])
  const createAgent = (accessToken: string) => Agent.withToken({ baseUrl, accessToken, ...word })
  const handler = sdk.createMcpHandler(
    ({ authInfo }) => newServer(async () => createAgent(authInfo?.token ?? '')),
    { maxRequestBodySize: BODY_BYTES_MAX },
  )
  const authorization = new AuthorizationServer(
    async (code) => (await Agent.redeem({ baseUrl, code, ...word })).accessToken,
  )
  const readText: ReadText = async (request) => {
    const body = await sdk.readRequestBody(request, FORM_BYTES_MAX)
    return body.tooLarge ? undefined : body.text
  }
  const getOrigin = ({ headers }: IncomingMessage) => publicOrigin ?? `http://${headers.host}`
  const hosts = [...sdk.localhostAllowedHostnames(), ...listHostNames(options, publicOrigin)]
  // Rejects requests from other sites' pages and for other host names.
  const isAllowed = ({ headers }: IncomingMessage) =>
    sdk.validateHostHeader(headers.host, hosts).ok && sdk.validateOriginHeader(headers.origin, hosts).ok
  const inFlight = new InFlight()
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const endpoint = {
      handler,
      isOwn: isAllowed,
      inFlight,
      createAgent,
      authorization,
      readText,
      getOrigin,
    }
    handleRequest(endpoint, request, response).catch((error: unknown) => {
      report(error)
      response.destroy()
    })
  })
  server.maxConnections = CONNECTIONS_MAX
  await listen(server, options)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  io().stdout.write(
    `Listening on ${formatAddress(options.host, port)}${PATH}. A client signs in with a device code, or sends the token of its agent: "Authorization: Bearer …".\n`,
  )
  if (!signal.aborted) await once(signal, 'abort')
  await close(server, handler, inFlight)
}

interface Endpoint {
  readonly handler: McpHttpHandler
  readonly isOwn: (request: IncomingMessage) => boolean
  readonly inFlight: InFlight
  readonly createAgent: (accessToken: string) => Agent
  readonly authorization: AuthorizationServer
  readonly readText: ReadText
  readonly getOrigin: (request: IncomingMessage) => string
}

async function handleRequest(
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { isOwn, inFlight, getOrigin, authorization, readText } = endpoint
  if (!isOwn(request)) return refuse(response, 403, 'This Host or Origin is not allowed.')
  const origin = getOrigin(request)
  const isTool = request.url?.split('?')[0] === PATH
  const token = isTool ? readBearerToken(request.headers.authorization) : ''
  if (token === undefined) return refuseToken(response, buildChallenge(origin))
  const end = inFlight.begin(token)
  if (!end) return refuse(response, 429, 'Too many concurrent requests.', { 'Retry-After': '1' })
  const controller = new AbortController()
  response.once('close', () => {
    end()
    controller.abort()
  })
  const { signal } = controller
  if (isTool) return handleToolRequest(endpoint, { request, response, token, origin, signal })
  const authorizationResponse = await handleAuthorization(
    authorization,
    origin,
    toWebRequest(request, signal),
    readText,
  )
  if (!authorizationResponse) return refuse(response, 404, `Not found. The only endpoint is ${PATH}.`)
  await sendResponse(authorizationResponse, response)
}

interface ToolRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly token: string
  readonly origin: string
  readonly signal: AbortSignal
}

async function handleToolRequest(
  { handler, createAgent }: Endpoint,
  { request, response, token, origin, signal }: ToolRequest,
): Promise<void> {
  const tokenError = await checkToken(createAgent(token), signal)
  if (tokenError?.status === 401) return refuseToken(response, buildChallenge(origin, 'invalid_token'))
  if (tokenError)
    return refuse(response, 429, tokenError.message, {
      'Retry-After': String(tokenError.retryAfterSeconds ?? 60),
    })
  const authInfo = { token, clientId: 'agent', scopes: [] }
  await sendResponse(await handler.fetch(toWebRequest(request, signal), { authInfo }), response)
}

function refuseToken(response: ServerResponse, { status, message, headers }: Challenge): void {
  refuse(response, status, message, headers)
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  // The body was not read, so the connection cannot be reused.
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json', Connection: 'close' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}

function listHostNames(
  { host, allowedHosts }: HttpOptions,
  publicOrigin: string | undefined,
): readonly string[] {
  const names = [...allowedHosts, ...(publicOrigin === undefined ? [] : [new URL(publicOrigin).hostname])]
  if (!ANY_ADDRESS.has(host)) return [bracketHost(host), ...names]
  if (names.length > 0) return names
  throw new Failure(
    `--host ${host} listens on every address: list the host names that clients use, such as --allowed-hosts mcp.example.com.`,
  )
}

function readPublicOrigin({ publicUrl }: HttpOptions): string | undefined {
  if (publicUrl === undefined) return undefined
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new Failure(
    `--public-url must be a URL without a path, such as https://mcp.example.com, not "${publicUrl}".`,
  )
}

const bracketHost = (host: string) => (host.includes(':') ? `[${host}]` : host)

const formatAddress = (host: string, port: number) => `http://${bracketHost(host)}:${port}`

async function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw new Failure(`Cannot listen on ${formatAddress(host, port)}: ${getErrorSentence(error)}`)
  }
}

async function close(server: Server, handler: McpHttpHandler, inFlight: InFlight): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const drained = new AbortController()
  await Promise.race([inFlight.waitUntilIdle(), pause(DRAIN_MS, undefined, { signal: drained.signal })])
  drained.abort()
  await handler.close()
  server.closeAllConnections()
  await closed
}
