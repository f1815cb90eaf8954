import { createContext, useContext } from 'react'
import type { Caller } from '../client/calls.ts'
import type { Nouns } from '../generated/nouns.ts'
import type { Session } from '../wallet/session.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { Confirmations } from './confirmations.ts'
import type { Look } from './look.tsx'

/** The state of the wallet's session on this device. */
export type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-out'; readonly why?: 'ended' | 'signed-out' }
  | { readonly status: 'signed-in'; readonly session: Session }

/** The values and functions that the provider offers to the components below it. */
export interface Countersign extends Look {
  readonly client: Caller
  /** The API as nouns and verbs: `api.externalAccounts.create(…)`. */
  readonly api: Nouns
  readonly customerId: string
  readonly accountId: string
  readonly wallet: Wallet
  readonly confirmations: Confirmations
  readonly state: SessionState
  /** Adopts and stores a session created without `SignIn`. */
  readonly start: (session: Session) => Promise<void>
  /** Removes the session from this device. `useSession().signOut` also revokes it on the server. */
  readonly end: (why: 'ended' | 'signed-out') => Promise<void>
  /** Incremented when data has changed, so that components reload. */
  readonly version: number
  /** Reloads all displayed data. */
  readonly refresh: () => void
}

export const CountersignContext = createContext<Countersign | undefined>(undefined)

/** Returns everything that the provider offers. Throws outside a `CountersignProvider`. */
export function useCountersign(): Countersign {
  const context = useContext(CountersignContext)
  if (!context) throw new Error('The components of the wallet kit must be inside a CountersignProvider.')
  return context
}

/** Returns the wallet, with its credentials, sessions and sign-in methods. */
export function useWallet(): Wallet {
  return useCountersign().wallet
}
