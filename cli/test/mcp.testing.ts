import { spawn } from 'node:child_process'
import { isObject } from '@countersign/contract/core/decode'
import { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import {
  type OAuthClientProvider as AuthProvider2,
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import type { OAuthClientProvider as AuthProvider1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, inject } from 'vitest'
import { makeFundedCustomer, makePlatform } from '../../sdk/test/platform.testing.ts'
import { timeLimit } from '../../test/machine-speed.ts'
import { PROGRAM } from './shop.testing.ts'

/**
 * The clients that programs use: `@modelcontextprotocol/sdk` 1.x, and `@modelcontextprotocol/client` 2.x with
 * the 2026 protocol or an earlier one.
 */
export const CLIENTS = ['1.x', '2.x', '2.x legacy'] as const
export type ClientKind = (typeof CLIENTS)[number]

interface Result {
  readonly isError: boolean
  /** The result or the error, from the text that a model reads. */
  readonly body: Record<string, unknown>
  /** The messages before the result. */
  readonly sentences: readonly string[]
}

export interface Connected {
  call(name: string, input?: Record<string, unknown>): Promise<Result>
  listTools(): Promise<readonly ListedTool[]>
  /** Everything that the client received outside the protocol, and its errors. */
  readonly noise: readonly string[]
  close(): Promise<void>
}

interface ListedTool {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: { readonly required?: readonly string[] | undefined }
  readonly outputSchema?: object | undefined
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
}

interface Program {
  readonly args: readonly string[]
  readonly env?: Record<string, string>
  readonly cwd: string
}

/** Connects a client to `countersign mcp` over standard input and output. */
export async function connectStdio(kind: ClientKind, { args, env = {}, cwd }: Program): Promise<Connected> {
  const command = {
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--base-url', inject('baseUrl'), ...args],
    env,
    cwd,
    stderr: 'pipe' as const,
  }
  const transport = kind === '1.x' ? new Stdio1(command) : new Stdio2(command)
  const noise: string[] = []
  transport.stderr?.on('data', (text: Buffer) => noise.push(text.toString('utf8')))
  return connect(kind, transport, noise)
}

/** Connects a client to `countersign mcp --http`, with an agent's token or with its own sign-in. */
export async function connectHttp(
  kind: ClientKind,
  url: string,
  identity: { readonly accessToken: string } | { readonly authProvider: AuthProvider },
): Promise<Connected> {
  const options =
    'accessToken' in identity
      ? { requestInit: { headers: { Authorization: `Bearer ${identity.accessToken}` } } }
      : identity
  const transport = kind === '1.x' ? new Http1(new URL(url), options) : new Http2(new URL(url), options)
  return connect(kind, transport, [])
}

/** The part of a client that signs in with OAuth, in both versions. */
export type AuthProvider = AuthProvider1 & AuthProvider2

/** Fetches the token with the parameters of the redirect back to the client. */
export async function finishSignIn(
  kind: ClientKind,
  url: string,
  authProvider: AuthProvider,
  parameters: URLSearchParams,
): Promise<void> {
  if (kind === '1.x') await new Http1(new URL(url), { authProvider }).finishAuth(parameters.get('code') ?? '')
  else await new Http2(new URL(url), { authProvider }).finishAuth(parameters)
}

async function connect(
  kind: ClientKind,
  transport: Stdio1 | Stdio2 | Http1 | Http2,
  noise: string[],
): Promise<Connected> {
  const name = { name: 'test', version: '1' }
  const mode = kind === '2.x' ? 'auto' : 'legacy'
  const client = kind === '1.x' ? new Client1(name) : new Client2(name, { versionNegotiation: { mode } })
  client.onerror = (error) => noise.push(String(error))
  // Their declarations are incompatible under exactOptionalPropertyTypes.
  await client.connect(transport as Transport)
  if (client instanceof Client2) expect(client.getProtocolEra()).toBe(kind === '2.x' ? 'modern' : 'legacy')
  return {
    noise,
    close: () => client.close(),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => readResult(await client.callTool({ name, arguments: input })),
  }
}

/** A success has the same content in both forms; an error has only the text. */
function readResult({ isError, content, structuredContent }: Readonly<Record<string, unknown>>): Result {
  const blocks = Array.isArray(content) ? content : []
  const texts = blocks.map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : ''))
  const body = JSON.parse(texts.at(-1) ?? '')
  expect(structuredContent).toEqual(isError === true ? undefined : body)
  return { isError: isError === true, body, sentences: texts.slice(0, -1) }
}

const STARTS_MS = timeLimit(30_000)

/** Starts `countersign mcp --http` on a free port. Returns a function that stops it. */
export async function startHttp(...args: string[]) {
  const all = [PROGRAM, 'mcp', '--http', '--port', '0', '--base-url', inject('baseUrl'), ...args]
  const child = spawn(process.execPath, all, { env: { PATH: process.env.PATH } })
  let output = ''
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    const look = (text: Buffer) => {
      output += text
      const [, found] = /^Listening on (http:\S+\/mcp)\. /m.exec(output) ?? []
      if (found) resolve(found)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    closed.then((code) => reject(new Error(`It ended with ${code}: ${output}`)))
    setTimeout(() => reject(new Error(`It does not listen: ${output}`)), STARTS_MS).unref()
  })
  const end = () => {
    child.kill('SIGTERM')
    return closed
  }
  return { url, end, output: () => output }
}

/** Creates an agent that is not connected yet, and its device code. */
export async function makeDeviceCode() {
  const countersign = new Countersign(await makePlatform())
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1n })
  const params = { accountId: customer.usdId }
  await countersign.call('sandbox_account_fund', { params, body: { amount: 100_000n } })
  const { agent, deviceCode } = await countersign.agents.create({
    name: 'Shopper',
    customerId: customer.customerId,
    policy: {
      permissions: ['VIEW_TRANSACTIONS', 'CREATE_TRANSFERS', 'CREATE_QUOTES', 'EXECUTE_QUOTES'],
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USD', perTransactionLimit: 10_000n },
      approvalThresholds: { amount: 2_000n },
    },
  })
  return { countersign, customer, agentId: agent.id, code: deviceCode.code }
}

/** Creates an agent with its token. */
export async function makeAgent() {
  const { code, ...agent } = await makeDeviceCode()
  const { accessToken } = await Agent.redeem({ baseUrl: inject('baseUrl'), code })
  return { ...agent, accessToken }
}
