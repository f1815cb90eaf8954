import type { Random } from '../machine/random.ts'
import type { Backend } from './clients.ts'
import type { Account, Ending, Model } from './model.ts'

/** The ways in which money leaves and enters the platform. */
type Way = 'transferOut' | 'transferIn' | 'payout' | 'pull'

/** The rail of a run, as seen from outside. It moves money between the platform and the rest of the world. */
export interface Rail {
  /** The currencies of accounts. Pulls and payouts use the first one. */
  readonly currencies: readonly [string, ...string[]]
  readonly accountType?: 'INTERNAL_CRYPTO'
  /** True if customers have wallets whose money the rail moves. */
  readonly hasWallets?: true
  /** Additional ways to pay. */
  readonly ways?: readonly ((bank: Bank, random: Random) => Promise<void>)[]
  /** Prepares the platform before it has customers. */
  prepare?(): Promise<void>
  /** False if it can only send. */
  readonly canPull: boolean
  /** A customer's external account whose number ends with this suffix, as a request body. */
  elsewhere(suffix: string): object
  /** Makes the holder of an external account authorize debits, if the rail requires that. */
  allowPulls?(externalAccountId: string): Promise<void>
  /**
   * The suffixes of external account numbers that determine how a payment ends. Payments to other accounts
   * complete.
   */
  readonly suffixes: readonly string[]
  readonly endings: Readonly<Record<Way, Readonly<Record<string, Ending>>>>
  /** Pays money into an account; it may arrive later. Returns the rail's id of the deposit, if it has one. */
  payIn(account: Account, amount: number): Promise<string | undefined>
  /** Advances time until the platform has done all due jobs. */
  pass(seconds: number): Promise<void>
  /** Checks the events received so far. May be called at any time. Throws Wrong. */
  look(): Promise<void>
  /** Returns why payments of the model are still open at the rail, or undefined if none are. */
  findOpenWork(model: Model): Promise<string | undefined>
  /** Compares the rail's final state with the model. Throws Wrong. */
  check(model: Model): Promise<void>
}

/** An external account, and the suffix that determines how payments to it end. */
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
  /** Accounts of customers who hold their own keys. */
  readonly wallets: readonly Account[]
  readonly elsewhere: readonly Elsewhere[]
  readonly hasEndpoint: boolean
}
