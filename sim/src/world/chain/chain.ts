import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { parseTransaction, serializeTransaction } from 'viem/utils'
import { bytesOf, type Hex, hexOf, toLowerHex } from '../../../../server/src/base/formats/hex.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Random } from '../../machine/random.ts'
import {
  type Call,
  type Effects,
  executeTransaction,
  RevertError,
  recoverSigner,
  State,
  type Transfer,
} from './token.ts'

/** A transaction that can be included in a block. */
export interface Transaction {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex
  /** In wei per unit of gas. */
  readonly maxFee: bigint
  readonly tip: bigint
  readonly gas: bigint
  /**
   * The sender's transaction count at which the transaction can be included. Undefined for transactions of
   * strangers, whose order does not matter.
   */
  readonly count?: bigint
  /** Applies the transaction to a state. Throws Reverted. */
  run(state: State, timestamp: bigint): Effects
}

export interface MinedTransaction {
  readonly transaction: Transaction
  readonly effects: Effects
  readonly succeeded: boolean
  /** In wei per unit of gas. */
  readonly price: bigint
}

export interface Block {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: bigint
  readonly baseFee: bigint
  readonly mined: readonly MinedTransaction[]
  readonly state: State
}

/** The chain's treatment of transactions and blocks. */
export interface ChainBehavior {
  readonly blockMs: number
  readonly confirmations: number
  /**
   * The fraction of blocks that are preceded by a reorganization, and the fraction of transactions that are
   * forgotten.
   */
  readonly reorganisations: number
  readonly forgotten: number
  /** The fraction of blocks with an unusually high base fee. */
  readonly expensiveBlocks: number
}

export const GAS_USED = 60_000n
const BASE_FEE = 1_000n
const EXPENSIVE_FACTOR = 40n
/** Nodes require a replacement to raise its fees by this fraction. */
const RAISE_DIVISOR = 8n

/** A chain as all its nodes eventually see it: its blocks, and the transactions that wait to be included. */
export class Chain {
  readonly blocks: Block[] = []
  readonly behavior: ChainBehavior
  readonly #machine: Machine
  readonly #random: Random
  #waiting: Transaction[] = []
  #salt = 0
  #isFaultFree = true
  #hasEnded = false

  constructor(machine: Machine, random: Random, behavior: ChainBehavior) {
    this.#machine = machine
    this.#random = random
    this.behavior = behavior
    this.#append([])
  }

  start(): void {
    this.#machine.runAfter(this.behavior.blockMs, () => {
      if (this.#hasEnded) return
      this.step()
      this.start()
    })
  }

  /** Turns the chain's faults off or on. Blocks are produced in either case. */
  set isFaultFree(isFaultFree: boolean) {
    this.#isFaultFree = isFaultFree
  }

  end(): void {
    this.#hasEnded = true
  }

  get head(): Block {
    return this.blocks.at(-1)!
  }

  /** Produces the next block, possibly after a reorganization. */
  step(): void {
    const { reorganisations, confirmations, forgotten } = this.behavior
    if (!this.#isFaultFree) {
      const depth = 1 + this.#random.integerBelow(confirmations)
      if (depth < confirmations && depth < this.blocks.length && this.#random.chance(reorganisations))
        this.#replace(depth)
      this.#waiting = this.#waiting.filter(
        ({ count }) => count === undefined || !this.#random.chance(forgotten),
      )
    }
    this.#append(this.#waiting)
  }

  /** Replaces the last blocks. Their transactions wait again, and the new branch is produced immediately. */
  #replace(depth: number): void {
    const removed = this.blocks.splice(-depth)
    const reopened = removed.flatMap(({ mined }) => mined.map(({ transaction }) => transaction))
    this.#waiting = [...reopened, ...this.#waiting]
    for (let remaining = depth; remaining > 0; remaining--)
      this.#append(this.#random.chance(0.5) ? this.#waiting : [])
  }

  #append(candidates: readonly Transaction[]): void {
    const parent = this.blocks.at(-1)
    const number = parent ? parent.number + 1n : 0n
    const now = BigInt(Math.floor(Date.now() / 1_000))
    const timestamp = parent && parent.timestamp >= now ? parent.timestamp + 1n : now
    const isExpensive = !this.#isFaultFree && this.#random.chance(this.behavior.expensiveBlocks)
    const baseFee = isExpensive ? BASE_FEE * EXPENSIVE_FACTOR : BASE_FEE
    const state = new State(parent?.state)
    const mined: MinedTransaction[] = []
    const byTip = candidates.filter(({ maxFee }) => maxFee >= baseFee).sort((a, b) => Number(b.tip - a.tip))
    for (let next = takeTransaction(byTip, state); next; next = takeTransaction(byTip, state))
      mined.push(mineTransaction(state, next, timestamp, baseFee))
    const parentHash = parent?.hash ?? computeHash('before all')
    const hash = computeHash(`${parentHash} ${number} ${this.#salt++}`)
    this.blocks.push({ number, hash, parentHash, timestamp, baseFee, mined, state })
    const done = new Set(mined.map(({ transaction }) => transaction))
    this.#waiting = this.#waiting.filter(
      (transaction) => !done.has(transaction) && !isNonceUsed(transaction, state),
    )
  }

  /** Adds a stranger's transaction to the waiting transactions. Returns its hash. */
  addStrangerTransaction(description: string, tip: bigint, run: Transaction['run']): Hex {
    const hash = computeHash(`${description} ${this.#salt++}`)
    const from: Hex = `0x${hash.slice(2, 42)}`
    const fees = { maxFee: 10n ** 18n, tip, gas: GAS_USED }
    this.#waiting.push({ hash, from, to: from, ...fees, run })
    return hash
  }

  /**
   * Accepts a signed transaction and returns its hash, or returns the error message that a node would give.
   */
  send(raw: Hex): Hex | { readonly refusal: string } {
    const transaction = parseSignedTransaction(raw)
    const count = transaction.count ?? 0n
    if (this.#waiting.some(({ hash }) => hash === transaction.hash)) return { refusal: 'already known' }
    if (count < this.head.state.getTransactionCount(transaction.from)) return { refusal: 'nonce too low' }
    if (this.head.state.getCoinBalance(transaction.from) < transaction.gas * transaction.maxFee)
      return { refusal: 'insufficient funds for gas * price + value' }
    const other = this.#waiting.find(
      (waiting) => waiting.from === transaction.from && waiting.count === count,
    )
    if (
      other &&
      (!isFeeRaisedEnough(other.maxFee, transaction.maxFee) || !isFeeRaisedEnough(other.tip, transaction.tip))
    )
      return { refusal: 'replacement transaction underpriced' }
    this.#waiting = [...this.#waiting.filter((waiting) => waiting !== other), transaction]
    return transaction.hash
  }

  /** The transfers on the chain up to its head. */
  listTransfers(): Transfer[] {
    return this.blocks.flatMap(({ mined }) => mined.flatMap(({ effects }) => effects.transfers))
  }

  /** The transfers of a transaction, or undefined if it is in no block or was reverted. */
  findTransfers(hash: Hex): readonly Transfer[] | undefined {
    for (const { mined } of this.blocks)
      for (const { transaction, effects, succeeded } of mined)
        if (transaction.hash === hash) return succeeded ? effects.transfers : undefined
    return undefined
  }
}

/** Removes and returns the first transaction that can be executed on the state. */
function takeTransaction(waiting: Transaction[], state: State): Transaction | undefined {
  const at = waiting.findIndex(
    ({ from, count }) => count === undefined || count === state.getTransactionCount(from),
  )
  return at < 0 ? undefined : waiting.splice(at, 1)[0]
}

function mineTransaction(
  state: State,
  transaction: Transaction,
  timestamp: bigint,
  baseFee: bigint,
): MinedTransaction {
  const { from, count, maxFee, tip } = transaction
  const price = baseFee + tip < maxFee ? baseFee + tip : maxFee
  let effects: Effects = { logs: [], transfers: [] }
  let succeeded = false
  try {
    const after = new State(state)
    effects = transaction.run(after, timestamp)
    succeeded = true
    for (const name of ['tokens', 'coins', 'counts'] as const)
      for (const [address, value] of after[name]) state[name].set(address, value)
    for (const key of after.used) state.used.add(key)
  } catch (error) {
    if (!(error instanceof RevertError)) throw error
  }
  if (count !== undefined) {
    state.counts.set(from, count + 1n)
    state.coins.set(from, state.getCoinBalance(from) - GAS_USED * price)
  }
  return { transaction, effects, succeeded, price }
}

function isNonceUsed({ from, count }: Transaction, state: State): boolean {
  return count !== undefined && count < state.getTransactionCount(from)
}

function isFeeRaisedEnough(parent: bigint, after: bigint): boolean {
  return after >= parent + parent / RAISE_DIVISOR
}

/** Parses a transaction as the server signs it (EIP-1559). */
function parseSignedTransaction(raw: Hex): Transaction {
  const { r, s, yParity, v: _, ...unsigned } = parseTransaction(raw as `0x02${string}`)
  const { to, data = '0x', nonce = 0, gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = unsigned
  if (!r || !s || yParity === undefined || !to) throw new Error(`A transaction has no signature: ${raw}`)
  const digest = keccak_256(bytesOf(serializeTransaction(unsigned)))
  const from = recoverSigner(digest, { r, s, yParity })
  const call: Call = { from, to: toLowerHex(to), data }
  return {
    hash: hexOf(keccak_256(bytesOf(raw))),
    from,
    to: call.to,
    maxFee: maxFeePerGas,
    tip: maxPriorityFeePerGas,
    gas,
    count: BigInt(nonce),
    run: (state, timestamp) => executeTransaction(state, call, timestamp),
  }
}

function computeHash(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
