import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { parseTransaction, serializeTransaction } from 'viem/utils'
import { bytesOf, type Hex, hexOf, lowerHex } from '../../../../server/src/base/formats/hex.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Random } from '../../machine/random.ts'
import { type Call, type Effects, execute, Reverted, State, signerOf, type Transfer } from './token.ts'

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
   * The sender's transaction count when it is included. Undefined for transactions of strangers, whose order
   * does not matter.
   */
  readonly count?: bigint
  /** Applies the transaction to a state. Throws Reverted. */
  run(state: State, timestamp: bigint): Effects
}

export interface Mined {
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
  readonly mined: readonly Mined[]
  readonly state: State
}

/** The chain's treatment of transactions and blocks. */
export interface ChainHabits {
  readonly blockMs: number
  readonly confirmations: number
  /**
   * The fraction of blocks before which the last blocks are replaced, and the fraction of transactions that
   * are forgotten.
   */
  readonly reorganisations: number
  readonly forgotten: number
  /** The fraction of blocks whose base fee is far above the others'. */
  readonly dearBlocks: number
}

export const GAS_USED = 60_000n
const BASE_FEE = 1_000n
const DEAR = 40n
/** Nodes require a replacement to raise its fees by this fraction. */
const RAISE_DIVISOR = 8n

/** A chain as all its nodes eventually see it: its blocks, and the transactions waiting for one. */
export class Chain {
  readonly blocks: Block[] = []
  readonly habits: ChainHabits
  readonly #machine: Machine
  readonly #random: Random
  #waiting: Transaction[] = []
  #salt = 0
  #isCalm = true
  #hasEnded = false

  constructor(machine: Machine, random: Random, habits: ChainHabits) {
    this.#machine = machine
    this.#random = random
    this.habits = habits
    this.#append([])
  }

  start(): void {
    this.#machine.runAfter(this.habits.blockMs, () => {
      if (this.#hasEnded) return
      this.step()
      this.start()
    })
  }

  /** Turns its faults off or on. Blocks are produced in either case. */
  set isCalm(isCalm: boolean) {
    this.#isCalm = isCalm
  }

  end(): void {
    this.#hasEnded = true
  }

  get head(): Block {
    return this.blocks.at(-1)!
  }

  /** Produces the next block, possibly after a reorganization. */
  step(): void {
    const { reorganisations, confirmations, forgotten } = this.habits
    if (!this.#isCalm) {
      const depth = 1 + this.#random.integerBelow(confirmations)
      if (depth < confirmations && depth < this.blocks.length && this.#random.chance(reorganisations))
        this.#replace(depth)
      this.#waiting = this.#waiting.filter(
        ({ count }) => count === undefined || !this.#random.chance(forgotten),
      )
    }
    this.#append(this.#waiting)
  }

  /** Replaces the last blocks: their transactions wait again, and the new branch is produced immediately. */
  #replace(depth: number): void {
    const removed = this.blocks.splice(-depth)
    const reopened = removed.flatMap(({ mined }) => mined.map(({ transaction }) => transaction))
    this.#waiting = [...reopened, ...this.#waiting]
    for (let left = depth; left > 0; left--) this.#append(this.#random.chance(0.5) ? this.#waiting : [])
  }

  #append(candidates: readonly Transaction[]): void {
    const before = this.blocks.at(-1)
    const number = before ? before.number + 1n : 0n
    const now = BigInt(Math.floor(Date.now() / 1_000))
    const timestamp = before && before.timestamp >= now ? before.timestamp + 1n : now
    const isDear = !this.#isCalm && this.#random.chance(this.habits.dearBlocks)
    const baseFee = isDear ? BASE_FEE * DEAR : BASE_FEE
    const state = new State(before?.state)
    const mined: Mined[] = []
    const byTip = candidates.filter(({ maxFee }) => maxFee >= baseFee).sort((a, b) => Number(b.tip - a.tip))
    for (let next = takeNext(byTip, state); next; next = takeNext(byTip, state))
      mined.push(take(state, next, timestamp, baseFee))
    const parentHash = before?.hash ?? hashOf('before all')
    const hash = hashOf(`${parentHash} ${number} ${this.#salt++}`)
    this.blocks.push({ number, hash, parentHash, timestamp, baseFee, mined, state })
    const done = new Set(mined.map(({ transaction }) => transaction))
    this.#waiting = this.#waiting.filter(
      (transaction) => !done.has(transaction) && !isOver(transaction, state),
    )
  }

  /** Adds a stranger's transaction to the waiting ones. Returns its hash. */
  put(what: string, tip: bigint, run: Transaction['run']): Hex {
    const hash = hashOf(`${what} ${this.#salt++}`)
    const from: Hex = `0x${hash.slice(2, 42)}`
    const fees = { maxFee: 10n ** 18n, tip, gas: GAS_USED }
    this.#waiting.push({ hash, from, to: from, ...fees, run })
    return hash
  }

  /** Accepts a signed transaction and returns its hash, or returns the refusal in a node's wording. */
  send(raw: Hex): Hex | { readonly refusal: string } {
    const transaction = readTransaction(raw)
    const count = transaction.count ?? 0n
    if (this.#waiting.some(({ hash }) => hash === transaction.hash)) return { refusal: 'already known' }
    if (count < this.head.state.countOf(transaction.from)) return { refusal: 'nonce too low' }
    if (this.head.state.coinOf(transaction.from) < transaction.gas * transaction.maxFee)
      return { refusal: 'insufficient funds for gas * price + value' }
    const other = this.#waiting.find((waits) => waits.from === transaction.from && waits.count === count)
    if (other && (!isRaised(other.maxFee, transaction.maxFee) || !isRaised(other.tip, transaction.tip)))
      return { refusal: 'replacement transaction underpriced' }
    this.#waiting = [...this.#waiting.filter((waits) => waits !== other), transaction]
    return transaction.hash
  }

  /** The transfers on the chain up to its head. */
  transfers(): Transfer[] {
    return this.blocks.flatMap(({ mined }) => mined.flatMap(({ effects }) => effects.transfers))
  }

  /** The transfers of a transaction, or undefined if it is in no block or was reverted. */
  transfersOf(hash: Hex): readonly Transfer[] | undefined {
    for (const { mined } of this.blocks)
      for (const { transaction, effects, succeeded } of mined)
        if (transaction.hash === hash) return succeeded ? effects.transfers : undefined
    return undefined
  }
}

/** Removes and returns the first transaction that can be executed on the state. */
function takeNext(waiting: Transaction[], state: State): Transaction | undefined {
  const at = waiting.findIndex(({ from, count }) => count === undefined || count === state.countOf(from))
  return at < 0 ? undefined : waiting.splice(at, 1)[0]
}

function take(state: State, transaction: Transaction, timestamp: bigint, baseFee: bigint): Mined {
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
    if (!(error instanceof Reverted)) throw error
  }
  if (count !== undefined) {
    state.counts.set(from, count + 1n)
    state.coins.set(from, state.coinOf(from) - GAS_USED * price)
  }
  return { transaction, effects, succeeded, price }
}

function isOver({ from, count }: Transaction, state: State): boolean {
  return count !== undefined && count < state.countOf(from)
}

function isRaised(before: bigint, after: bigint): boolean {
  return after >= before + before / RAISE_DIVISOR
}

/** Parses a transaction in the form in which the server signs it (EIP-1559). */
function readTransaction(raw: Hex): Transaction {
  const { r, s, yParity, v: _, ...unsigned } = parseTransaction(raw as `0x02${string}`)
  const { to, data = '0x', nonce = 0, gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = unsigned
  if (!r || !s || yParity === undefined || !to) throw new Error(`A transaction has no signature: ${raw}`)
  const digest = keccak_256(bytesOf(serializeTransaction(unsigned)))
  const from = signerOf(digest, { r, s, yParity })
  const call: Call = { from, to: lowerHex(to), data }
  return {
    hash: hexOf(keccak_256(bytesOf(raw))),
    from,
    to: call.to,
    maxFee: maxFeePerGas,
    tip: maxPriorityFeePerGas,
    gas,
    count: BigInt(nonce),
    run: (state, timestamp) => execute(state, call, timestamp),
  }
}

function hashOf(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
