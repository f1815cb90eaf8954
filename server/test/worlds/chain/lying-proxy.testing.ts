import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../../../../test/ports.testing.ts'

/** A call that the proxy has received. */
interface ProxiedCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The result of one call: a value, an error, or a fault that ruins the whole response. */
type ProxyResponse =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly spoil: (response: ServerResponse) => void }

/**
 * Produces a response. `truth` makes the call to the node itself, with the original or with different
 * parameters. If `truth` is not used, the node never receives the call.
 */
type Lie = (
  call: ProxiedCall,
  truth: (params?: readonly unknown[]) => Promise<ProxyResponse>,
) => ProxyResponse | Promise<ProxyResponse>

export type LieName = keyof typeof LIES

/** A proxy in front of a node. It forwards responses until a test makes it lie. */
export interface LyingProxy {
  readonly url: string
  /** Returns the calls of a method since the start, oldest first. Without a method, returns all calls. */
  calls(method?: string): readonly ProxiedCall[]
  /** Resolves with the next call of a method. */
  next(method: string): Promise<ProxiedCall>
  /**
   * Lies about a method (`*` means every method without its own lie), a number of times or until `honest` is
   * called.
   */
  lie(method: string, lie: Lie | LieName, times?: number): void
  /** Stops lying about a method, or altogether. */
  honest(method?: string): void
  close(): Promise<void>
}

const OTHER_ADDRESS = '0x000000000000000000000000000000000000dEaD'
const OLD_BLOCKS = 50n
const HUGE_BYTES = 100 * 1024 * 1024
const CHUNK = Buffer.alloc(1024 * 1024, '0')

interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly logIndex: string
}

/** Predefined lies, by name. */
export const LIES = {
  /** Claims to be a different chain: the id of Ethereum. */
  'other chain': () => ({ result: '0x1' }),
  /**
   * Reports a head that lags 50 blocks behind, in eth_blockNumber, and in eth_getBlockByNumber for names like
   * `latest`.
   */
  'old head': async ({ method, params }, truth) => {
    if (method === 'eth_blockNumber')
      return mapResult(await truth(), (head) => toHex(subtractOldBlocks(BigInt(head as string))))
    const [block, ...otherParams] = params
    const answer = await truth()
    if (typeof block !== 'string' || block.startsWith('0x') || !('result' in answer)) return answer
    const { number } = answer.result as { number: string }
    return truth([toHex(subtractOldBlocks(BigInt(number))), ...otherParams])
  },
  'no logs': () => ({ result: [] }),
  /** Omits the last log. */
  'missing log': async (_, truth) => mapResult(await truth(), (logs) => (logs as Log[]).slice(0, -1)),
  /** Attributes the logs to a contract that was not requested. */
  'foreign logs': async (_, truth) =>
    mapResult(await truth(), (logs) => (logs as Log[]).map((log) => ({ ...log, address: OTHER_ADDRESS }))),
  /** Repeats each log in a transaction that does not exist. */
  'made-up logs': async (_, truth) =>
    mapResult(await truth(), (logs) => [
      ...(logs as Log[]),
      ...(logs as Log[]).map((log) => ({ ...log, transactionHash: invertHash(log.transactionHash) })),
    ]),
  /** Sets the largest possible amount in each log. */
  'inflated logs': async (_, truth) =>
    mapResult(await truth(), (logs) =>
      (logs as Log[]).map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` })),
    ),
  /** Marks each log as removed by the node. */
  'removed logs': async (_, truth) =>
    mapResult(await truth(), (logs) => (logs as Log[]).map((log) => ({ ...log, removed: true }))),
  /**
   * Adds two malformed logs after each log: one with a fourth topic, like a log of a token without amounts,
   * and one with two data words.
   */
  'odd forms': async (_, truth) =>
    mapResult(await truth(), (logs) =>
      (logs as Log[]).flatMap((log) => [
        log,
        {
          ...log,
          logIndex: toHex(BigInt(log.logIndex) + 1_000n),
          topics: [...log.topics, log.data],
          data: '0x',
        },
        { ...log, logIndex: toHex(BigInt(log.logIndex) + 2_000n), data: `${log.data}${log.data.slice(2)}` },
      ]),
    ),
  /** Returns each log twice. */
  'repeated logs': async (_, truth) =>
    mapResult(await truth(), (logs) => [...(logs as Log[]), ...(logs as Log[])]),
  /** Sends 100 MB without ending the response. */
  huge: () => ({ spoil: sendHuge }),
  /** Keeps the connection open without responding. The node never receives the call. */
  silent: () => ({ spoil: () => {} }),
  /** Makes the call to the node but withholds the response. */
  'answer withheld': async (_, truth) => {
    await truth()
    return { spoil: () => {} }
  },
  'not JSON': () => ({ spoil: (response) => response.end('<html>Bad gateway</html>') }),
  /** Sends JSON that is not a response. */
  'not an answer': () => ({ spoil: (response) => response.end('{"hello":[]}') }),
  null: () => ({ result: null }),
  'rate limit': () => ({
    spoil: (response) => response.writeHead(429, { 'Retry-After': '1' }).end('Too many requests'),
  }),
  'limit exceeded': () => ({ error: { code: -32005, message: 'limit exceeded' } }),
  'internal error': () => ({ error: { code: -32603, message: 'internal error' } }),
  'server error': () => ({ spoil: (response) => response.writeHead(503).end() }),
  /** Makes the call to the node, then closes the connection without responding. */
  'answer lost': async (_, truth) => {
    await truth()
    return { spoil: (response) => response.destroy() }
  },
  /** Closes the connection before the node receives the call. */
  closed: () => ({ spoil: (response) => response.destroy() }),
} satisfies Readonly<Record<string, Lie>>

/** Delays the true response by this number of milliseconds. */
export function delayed(ms: number): Lie {
  return async (_, truth) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return truth()
  }
}

/** Holds back the true response until it is released. */
export function held(): { readonly lie: Lie; release(): void } {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return { lie: (_, truth) => released.then(() => truth()), release: () => release() }
}

function mapResult(answer: ProxyResponse, map: (result: unknown) => unknown): ProxyResponse {
  return 'result' in answer ? { result: map(answer.result) } : answer
}

const toHex = (value: bigint) => `0x${value.toString(16)}`
const subtractOldBlocks = (block: bigint) => (block > OLD_BLOCKS ? block - OLD_BLOCKS : 0n)
/** Returns a different hash of the same format. */
const invertHash = (hash: string) =>
  `0x${hash.slice(2).replace(/./g, (digit) => (15 - Number.parseInt(digit, 16)).toString(16))}`

/** Sends data without end, as fast as the client reads it. */
function sendHuge(response: ServerResponse): void {
  let remaining = HUGE_BYTES
  const send = () => {
    while (remaining > 0 && !response.destroyed) {
      remaining -= CHUNK.length
      if (!response.write(CHUNK)) return
    }
    response.end('"}')
  }
  response.on('drain', send)
  response.write('{"jsonrpc":"2.0","id":0,"result":"0x')
  send()
}

interface ActiveLie {
  readonly lie: Lie
  timesLeft: number
}

interface WireCall extends ProxiedCall {
  readonly id: unknown
}

/** Opens a proxy in front of the node at the URL `target`. */
export async function openLyingProxy(target: string): Promise<LyingProxy> {
  const received: ProxiedCall[] = []
  const liesByMethod = new Map<string, ActiveLie>()
  const arrivals = new EventEmitter().setMaxListeners(0)
  const respondToCall = async ({ method, params = [] }: WireCall): Promise<ProxyResponse> => {
    const call = { method, params }
    received.push(call)
    arrivals.emit(method, call)
    const activeLie = liesByMethod.get(method) ?? liesByMethod.get('*')
    const truth = (truthParams: readonly unknown[] = params) =>
      callNode(target, { method, params: truthParams })
    if (!activeLie || activeLie.timesLeft === 0) return truth()
    activeLie.timesLeft -= 1
    return activeLie.lie(call, truth)
  }
  const server = createServer((request, response) => {
    respond(request, response, respondToCall).catch(() => response.destroy())
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    calls: (method) => received.filter((call) => method === undefined || call.method === method),
    next: (method) => once(arrivals, method).then(([call]) => call as ProxiedCall),
    lie(method, lie, times = Number.POSITIVE_INFINITY) {
      liesByMethod.set(method, { lie: typeof lie === 'string' ? LIES[lie] : lie, timesLeft: times })
    },
    honest(method) {
      if (method === undefined) liesByMethod.clear()
      else liesByMethod.delete(method)
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * Responds to a request with one or several calls, in order. A fault in one of them ruins the whole response.
 */
async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  respondToCall: (call: WireCall) => Promise<ProxyResponse>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as WireCall | WireCall[]
  const calls = Array.isArray(body) ? body : [body]
  const answers: object[] = []
  for (const call of calls) {
    const answer = await respondToCall(call)
    if ('spoil' in answer) {
      answer.spoil(response)
      return
    }
    answers.push({ jsonrpc: '2.0', id: call.id, ...answer })
  }
  response
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
}

async function callNode(target: string, call: ProxiedCall): Promise<ProxyResponse> {
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
  })
  const { result, error } = (await response.json()) as {
    result?: unknown
    error?: { code: number; message: string }
  }
  return error ? { error } : { result }
}
