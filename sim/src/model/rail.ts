import type { Random } from '../machine/random.ts'
import type { Backend } from './clients.ts'
import type { Account, Ending, Model } from './model.ts'

/** The ways in which money leaves and enters the platform. */
type Way = 'transferOut' | 'transferIn' | 'payout' | 'pull'

/**
 * The rail of a run as seen from outside: it carries money between the platform and the rest of the world.
 */
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
  /** The external account of a customer whose number ends with this suffix, as the API takes it. */
  elsewhere(suffix: string): object
  /** The holder of an external account allows debits of it, if the rail needs that. */
  allowPulls?(externalAccountId: string): Promise<void>
  /** The suffixes of external account numbers that decide the outcome of a payment. Others complete. */
  readonly suffixes: readonly string[]
  readonly endings: Readonly<Record<Way, Readonly<Record<string, Ending>>>>
  /**
   * Pays money in to an account; it may arrive later. Returns the rail's id for the deposit, if it has one.
   */
  payIn(account: Account, amount: number): Promise<string | undefined>
  /** Advances time for the platform, until its due jobs are done. */
  pass(seconds: number): Promise<void>
  /** Checks the events received so far, at any time. Throws Wrong. */
  look(): Promise<void>
  /** The reason that payments of the model are still open at the rail; undefined if none are. */
  whatIsOpen(model: Model): Promise<string | undefined>
  /** Compares the rail's final state with the model. Throws Wrong. */
  check(model: Model): Promise<void>
}

/** An external account, and the suffix that determines the outcome of payments. */
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
