import type { Random } from '../machine/random.ts'
import type { Backend } from './clients.ts'
import type { Account, ExpectedOutcome, Model } from './model.ts'

/** The ways in which a payment enters or leaves the platform. */
type MovementKind = 'transferOut' | 'transferIn' | 'payout' | 'pull'

/** The rail of a simulation run, as seen from outside the platform. */
export interface Rail {
  /** Account currencies. Pulls and payouts use the first. */
  readonly currencies: readonly [string, ...string[]]
  readonly accountType?: 'INTERNAL_CRYPTO'
  /** True if the rail moves money held in customer wallets. */
  readonly hasWallets?: true
  /** Additional ways to pay. */
  readonly ways?: readonly ((bank: Bank, random: Random) => Promise<void>)[]
  /** Prepares the platform before it has customers. */
  prepare?(): Promise<void>
  /** False if the rail can only send. */
  readonly canPull: boolean
  /** The request body for an external account whose number ends with this suffix. */
  externalAccountInfo(suffix: string): object
  /** Authorizes debits from an external account on behalf of its holder, if the rail requires it. */
  allowPulls?(externalAccountId: string): Promise<void>
  /**
   * The suffixes of external account numbers that determine how a payment ends. Payments to other accounts
   * complete.
   */
  readonly suffixes: readonly string[]
  readonly expectedOutcomes: Readonly<Record<MovementKind, Readonly<Record<string, ExpectedOutcome>>>>
  /** Pays money into an account; it may arrive later. Returns the rail's id of the deposit, if it has one. */
  payIn(account: Account, amount: number): Promise<string | undefined>
  /** Advances the clock, and waits until the rail and the platform have had time to do their due work. */
  advanceTime(seconds: number): Promise<void>
  /**
   * Throws `Violation` if the platform has credited more than the rail has received. Can be called at any
   * time.
   */
  checkDeposits(): Promise<void>
  /** Returns which of the model's payments are still open at the rail, or undefined if none are. */
  findOpenWork(model: Model): Promise<string | undefined>
  /** Compares the rail's final state with the model. Throws `Violation`. */
  checkFinalState(model: Model): Promise<void>
}

/** An external account, and the suffix that determines how payments to it end. */
export interface ExternalAccount {
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
  readonly externalAccounts: readonly ExternalAccount[]
  readonly hasEndpoint: boolean
}
