/** An error that the node answered with. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Makes calls in one request, in this order. Throws RpcError for the first that failed. */
export async function rpcBatch(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const body = JSON.stringify(
    calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params: params.map(inHex) })),
  )
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  })
  const answers = (await response.json()) as Answer[]
  return calls.map((call, index) => {
    const answer = answers.find(({ id }) => id === index)
    if (!answer) throw new Error(`no response to ${call.method}`)
    if (answer.error) throw new RpcError(answer.error.code, answer.error.message, answer.error.data)
    return answer.result
  })
}

/** Makes one call. A bigint among the parameters is written in hexadecimal digits. */
export async function rpcCall(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const [result] = await rpcBatch(url, [{ method, params }])
  return result
}

/** Before the text is made: within a server's process the text of a bigint is its digits. */
function inHex(value: unknown): unknown {
  if (typeof value === 'bigint') return `0x${value.toString(16)}`
  if (Array.isArray(value)) return value.map(inHex)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inHex(one)]))
}
