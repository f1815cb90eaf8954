import type { Log } from '../../../kernel/ports/log.ts'
import { NodeFailure, Refusal, toFailure } from './failure.ts'
import { callNode, callNodeInBatch, type Endpoint, type RpcCall } from './json-rpc.ts'
import { readQuantity } from './values.ts'

const CHECK_EVERY_MS = 60_000
const COOLDOWN_MS_MIN = 1_000
const COOLDOWN_MS_MAX = 60_000
const BATCH_MAX = 50
/**
 * The time for which calls are sent one by one after a node has refused a batch. The refusal may be
 * temporary, for example because the node was busy.
 */
const SINGLE_CALLS_MS = 3_600_000

/**
 * A problem that needs attention. `node` is the node's host, without the path of its URL, which may contain a
 * key.
 */
export interface NodeAlert {
  readonly kind: 'OTHER_CHAIN' | 'OLD_BLOCK' | 'BAD_ANSWER' | 'DISAGREEMENT' | 'NO_ANSWER'
  readonly node: string
  readonly detail: string
}

export interface NodeOptions extends Endpoint {
  readonly chainId: number
  readonly clock: () => Date
  readonly log: Log
  readonly alert: (alert: NodeAlert) => void
}

/**
 * One node. Its chain id is verified before any other query. After a failure, other nodes are preferred for a
 * while.
 */
export class Node {
  readonly name: string
  readonly #options: NodeOptions
  /** The time of the last successful chain check. Undefined since a check failed. */
  #checkedAtMs: number | undefined
  #checking: Promise<void> | undefined
  #otherChain: { readonly untilMs: number; readonly failure: NodeFailure } | undefined
  #singleCallsUntilMs = 0
  #failures = 0
  #cooldownUntilMs = 0

  constructor(options: NodeOptions) {
    this.#options = options
    this.name = new URL(options.url).host
  }

  /** Other nodes are preferred until this time. 0 if the node is not in cooldown. */
  get cooldownUntilMs(): number {
    return this.#cooldownUntilMs > this.#nowMs() ? this.#cooldownUntilMs : 0
  }

  /** Makes a call. Throws NodeFailure or Refusal. */
  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    await this.check()
    return this.#recheckOnFailure(() => callNode(this.#options, { method, params }))
  }

  /**
   * Makes many calls, in batches if the node accepts them. Throws NodeFailure. Individual results may be a
   * Refusal.
   */
  async callMany(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    const results: unknown[] = []
    for (let at = 0; at < calls.length; at += BATCH_MAX)
      results.push(...(await this.#callChunk(calls.slice(at, at + BATCH_MAX))))
    return results
  }

  async #callChunk(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    await this.check()
    if (calls.length > 1 && this.#nowMs() >= this.#singleCallsUntilMs) {
      const results = await this.#recheckOnFailure(() => callNodeInBatch(this.#options, calls))
      if (results) return results
      this.#singleCallsUntilMs = this.#nowMs() + SINGLE_CALLS_MS
      this.#options.log.info({ node: this.name }, 'chain node accepts no batches')
    }
    const results: unknown[] = []
    for (const { method, params } of calls)
      results.push(
        await this.call(method, ...params).catch((error: unknown) => {
          if (error instanceof Refusal) return error
          throw error
        }),
      )
    return results
  }

  /** Checks the chain id before anything else, every minute, and after a failure. Throws NodeFailure. */
  async check(): Promise<void> {
    const nowMs = this.#nowMs()
    if (this.#otherChain && nowMs < this.#otherChain.untilMs) throw this.#otherChain.failure
    if (this.#checkedAtMs !== undefined && nowMs < this.#checkedAtMs + CHECK_EVERY_MS) return
    this.#checking ??= this.#checkNow().finally(() => {
      this.#checking = undefined
    })
    await this.#checking
  }

  async #checkNow(): Promise<void> {
    const response = await this.#recheckOnFailure(() =>
      // A refusal of this check must not be taken for a refusal of the actual query.
      callNode(this.#options, { method: 'eth_chainId', params: [] }).catch((error: unknown) => {
        throw error instanceof Refusal ? toFailure(error) : error
      }),
    )
    const chainId = readQuantity(response, 'eth_chainId')
    if (chainId === BigInt(this.#options.chainId)) {
      this.#checkedAtMs = this.#nowMs()
      this.#otherChain = undefined
      return
    }
    const detail = `is on chain ${chainId} instead of ${this.#options.chainId}`
    const failure = new NodeFailure('OTHER_CHAIN', detail)
    this.#otherChain = { untilMs: this.#nowMs() + CHECK_EVERY_MS, failure }
    throw failure
  }

  /**
   * After a failed connection, a different server may respond at this address, so the chain is checked again.
   */
  async #recheckOnFailure<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (error instanceof NodeFailure) this.#checkedAtMs = undefined
      throw error
    }
  }

  recordSuccess(): void {
    this.#failures = 0
    this.#cooldownUntilMs = 0
  }

  /**
   * Starts a cooldown, which is longer after each failure. Queries that fail during a cooldown do not extend
   * it.
   */
  recordFailure({ kind, message }: NodeFailure): void {
    const { log, alert } = this.#options
    if (kind === 'OTHER_CHAIN' || kind === 'OLD_BLOCK') alert({ kind, node: this.name, detail: message })
    else if (kind !== 'NO_ANSWER' && kind !== 'BEHIND')
      alert({ kind: 'BAD_ANSWER', node: this.name, detail: message })
    if (this.cooldownUntilMs > 0) return
    const cooldownMs = Math.min(COOLDOWN_MS_MIN * 2 ** this.#failures++, COOLDOWN_MS_MAX)
    this.#cooldownUntilMs = this.#nowMs() + cooldownMs
    log.warn({ node: this.name, kind, detail: message, cooldownMs }, 'chain node failed')
  }

  #nowMs(): number {
    return this.#options.clock().getTime()
  }
}
