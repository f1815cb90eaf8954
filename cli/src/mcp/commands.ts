import { type Command, InvalidArgumentError, Option } from 'commander'
import { Failure } from '../terminal/failure.ts'
import { untilInterrupted } from '../terminal/interrupted.ts'
import { io } from '../terminal/io.ts'
import type { McpOptions } from './agent-token.ts'
import { serveHttp } from './http.ts'
import { serveStdio } from './stdio.ts'

interface Options extends Omit<McpOptions, 'token'> {
  readonly http?: boolean
  readonly host?: string
  readonly port?: number
  readonly allowedHosts?: string
  readonly publicUrl?: string
}

const HOST = '127.0.0.1'
const PORT = 8788

/** Adds `countersign mcp`. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description(
      'tools for an AI agent: a Model Context Protocol server over standard input and output, or HTTP',
    )
    .addOption(
      new Option(
        '--base-url <url>',
        'base address of the server (default: http://127.0.0.1:8787/2025-10-13)',
      ).env('COUNTERSIGN_BASE_URL'),
    )
    .addOption(
      new Option('--code <code>', 'a device code: redeemed once, its token is stored').env(
        'COUNTERSIGN_DEVICE_CODE',
      ),
    )
    .addOption(
      new Option('--token-file <file>', 'file for the token (default: agent.json in the data directory)').env(
        'COUNTERSIGN_AGENT_TOKEN_FILE',
      ),
    )
    .option(
      '--http',
      'serve over streamable HTTP, at /mcp; each client signs in with a device code or sends the token of its agent',
    )
    .option('--host <address>', `with --http: the address to listen on (default: ${HOST})`)
    .option('--port <number>', `with --http: the port to listen on (default: ${PORT})`, readPort)
    .option('--allowed-hosts <names>', 'with --http: further host names of this server, separated by commas')
    .option(
      '--public-url <url>',
      'with --http: the URL at which clients reach it through a proxy, without /mcp',
    )
    .addHelpText('after', '\nCOUNTERSIGN_AGENT_TOKEN: the token itself, instead of a code and a file.')
    .action(serve)
}

async function serve({ http, host, port, allowedHosts, publicUrl, ...options }: Options): Promise<void> {
  const token = io().env.COUNTERSIGN_AGENT_TOKEN
  if (!http) {
    if ([host, port, allowedHosts, publicUrl].some((option) => option !== undefined))
      throw new Failure('--host, --port, --allowed-hosts and --public-url require --http.')
    return serveStdio({ ...options, ...(token ? { token } : {}) })
  }
  const { baseUrl, code, tokenFile } = options
  if (token || code !== undefined || tokenFile !== undefined)
    throw new Failure(
      'With --http, each client sends the token of its agent: omit --code, --token-file and their variables.',
    )
  const names = (allowedHosts ?? '').split(',').map((name) => name.trim())
  await untilInterrupted((signal) =>
    serveHttp(
      {
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(publicUrl === undefined ? {} : { publicUrl }),
        host: host ?? HOST,
        port: port ?? PORT,
        allowedHosts: names.filter((name) => name !== ''),
      },
      signal,
    ),
  )
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}
