import { createContext, useContext } from 'react'
import type { Caller } from '../client/calls.ts'
import type { Nouns } from '../generated/nouns.ts'
import type { Session } from '../wallet/session.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { Confirmations } from './confirmations.ts'
import type { Look } from './look.tsx'

/** The session of the wallet on this device. */
export type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-out'; readonly why?: 'ended' | 'signed-out' }
  | { readonly status: 'signed-in'; readonly session: Session }

/** The provider's values for every component below it. */
export interface Countersign extends Look {
  readonly client: Caller
  /** Every call by its noun and verb: `api.externalAccounts.create(…)`. */
  readonly api: Nouns
  readonly customerId: string
  readonly accountId: string
  readonly wallet: Wallet
  readonly confirmations: Confirmations
  readonly state: SessionState
  /** Takes a session created by another way than `SignIn`, and keeps it. */
  readonly start: (session: Session) => Promise<void>
  /** Forgets the session on this device. `useSession().signOut` also revokes it. */
  readonly end: (why: 'ended' | 'signed-out') => Promise<void>
  /** Increases when something has changed; components then reload. */
  readonly version: number
  /** Reloads everything shown. */
  readonly refresh: () => void
}

export const CountersignContext = createContext<Countersign | undefined>(undefined)

/** All values of the provider. Throws outside of a `CountersignProvider`. */
export function useCountersign(): Countersign {
  const context = useContext(CountersignContext)
  if (!context) throw new Error('Put a CountersignProvider around the components of the wallet kit.')
  return context
}

/** The wallet: its credentials and sessions, and every kind of sign-in. */
export function useWallet(): Wallet {
  return useCountersign().wallet
}
