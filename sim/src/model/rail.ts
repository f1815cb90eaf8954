import type { Random } from '../machine/random.ts'
import type { Backend } from './clients.ts'
import type { Account, Ending, Model } from './model.ts'

/** How money goes out and comes in, by the ways that a payer has. */
type Way = 'transferOut' | 'transferIn' | 'payout' | 'pull'

/** What carries the money of a run between the platform and the rest of the world, as seen from the outside. */
export interface Rail {
  /** The currencies of accounts. Money is pulled and paid out in the first one. */
  readonly currencies: readonly [string, ...string[]]
  readonly accountType?: 'INTERNAL_CRYPTO'
  /** True if customers have wallets whose money it moves. */
  readonly hasWallets?: true
  /** Further ways to pay. */
  readonly ways?: readonly ((bank: Bank, random: Random) => Promise<void>)[]
  /** Prepares the platform, before it has customers. */
  prepare?(): Promise<void>
  /** False if it only sends. */
  readonly canPull: boolean
  /** The account of a customer at another bank whose number ends so, as the API takes it. */
  elsewhere(suffix: string): object
  /** The ends of numbers of accounts elsewhere that decide what becomes of a payment. Any other completes. */
  readonly suffixes: readonly string[]
  readonly endings: Readonly<Record<Way, Readonly<Record<string, Ending>>>>
  /** Somebody pays in to an account. It may arrive later. Returns the rail's name for it, where it has one. */
  payIn(account: Account, amount: number): Promise<string | undefined>
  /** Lets time pass for the platform, and all that is due by then be done. */
  pass(seconds: number): Promise<void>
  /** Looks at what has come in so far, at any time. Throws Wrong. */
  look(): Promise<void>
  /** Why the rail is not done with the payments of the model; undefined where it is. */
  whatIsOpen(model: Model): Promise<string | undefined>
  /** What the rail says in the end. Throws Wrong. */
  check(model: Model): Promise<void>
}

/** An external account, and the suffix that decides what becomes of payments. */
export interface Elsewhere {
  readonly id: string
  readonly customerId: string
  readonly currency: string
  readonly suffix: string
}

export interface Bank {
  readonly backend: Backend
  readonly rail: Rail
  readonly model: Model
  readonly accounts: readonly Account[]
  /** Those of customers whose keys are their own. */
  readonly wallets: readonly Account[]
  readonly elsewhere: readonly Elsewhere[]
  readonly hasEndpoint: boolean
}
