import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { listen, stopListening } from '../../test/ports.testing.ts'

const MAIN = fileURLToPath(new URL('../dist/example-bank/main.js', import.meta.url))
const BUILD = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))

export interface BankProcess {
  readonly url: string
  /** Kills the bank without giving it a chance to write anything. */
  readonly kill: () => Promise<void>
  /** Stops the bank with SIGTERM and returns its exit code. */
  readonly stop: () => Promise<number | null>
}

/**
 * Starts the built example bank in a separate process. `npm test` builds it first; vitest alone runs the last
 * build.
 */
export async function startBankProcess(options: {
  readonly port: number
  readonly folder: string
  readonly secrets: string
  readonly events?: string
  readonly behaviour?: object
}): Promise<BankProcess> {
  const { port, folder, secrets, events, behaviour = {} } = options
  if (!existsSync(MAIN)) await promisify(execFile)(process.execPath, [BUILD, 'connectors'])
  const child = spawn(
    process.execPath,
    [
      MAIN,
      ...['--port', String(port), '--data', folder, '--behaviour', JSON.stringify(behaviour)],
      ...(events === undefined ? [] : ['--events', events]),
    ],
    { env: { ...process.env, EXAMPLE_BANK_SECRET: secrets }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await waitUntilOpen(child, ended)
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    url: `http://127.0.0.1:${port}`,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

async function waitUntilOpen(child: ChildProcess, ended: Promise<number | null>): Promise<void> {
  const open = new Promise<void>((resolve) =>
    child.stdout!.on('data', (text: Buffer) => {
      if (text.includes('is open')) resolve()
    }),
  )
  const code = await Promise.race([open.then(() => undefined), ended])
  if (code !== undefined) throw new Error(`The bank exited with code ${code}.`)
}

export interface ForwardedCall {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

export interface ForwardedResponse {
  status: number
  body: string
}

/**
 * Handles calls between a client and a server. It may change calls and responses, or respond instead of the
 * server.
 */
export type Interceptor = (
  call: ForwardedCall,
  pass: (call: ForwardedCall) => Promise<ForwardedResponse>,
) => Promise<ForwardedResponse>

interface Proxy {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Starts a server that forwards calls to `target` through `between`. */
export async function openProxy(target: () => string, between: Interceptor): Promise<Proxy> {
  const pass = async ({ method, url, headers, body }: ForwardedCall): Promise<ForwardedResponse> => {
    const response = await fetch(`${target()}${url}`, { method, headers, ...(body === '' ? {} : { body }) })
    return { status: response.status, body: await response.text() }
  }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    try {
      for await (const part of request) parts.push(part as Buffer)
      const { method = '', url = '' } = request
      const body = Buffer.concat(parts).toString('utf8')
      const forwarded = await between(
        { method, url, headers: toForwardedHeaders(request.headers), body },
        pass,
      )
      response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(forwarded.body)
    } catch {
      request.socket.destroy()
    }
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => stopListening(server),
  }
}

function toForwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
}
