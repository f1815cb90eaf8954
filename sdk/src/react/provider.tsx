'use client'

import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { nounsOf } from '../nouns/nouns.ts'
import type { WalletChain } from '../signing/chain-transfers.ts'
import type { PasskeyAuthenticator } from '../wallet/passkey-authenticator.ts'
import { INDEXED_DB, type SessionStore } from '../wallet/session-store.ts'
import { Wallet } from '../wallet/wallet.ts'
import type { RelyingParty } from '../wallet/wallet-access.ts'
import { Confirmations } from './confirmations.ts'
import { type Countersign, CountersignContext } from './context.ts'
import { KitLook, type KitLookProps, useLookOf } from './look.tsx'
import { type Reach, useClient } from './use-client.ts'
import { useSessionState } from './use-session-state.ts'

export type CountersignProviderProps = Reach &
  KitLookProps & {
    readonly customerId: string
    /** The customer's embedded wallet. */
    readonly accountId: string
    /**
     * The server's quorum key, 130 hex characters. Build it into the page: a key that arrives together with
     * the responses proves only that they agree.
     */
    readonly quorumPublicKey: string
    /**
     * The page's own knowledge of the wallet on its chain: payments that contradict it are refused before
     * they are shown.
     */
    readonly chain?: WalletChain
    readonly relyingParty?: RelyingParty
    /** Default: the browser's passkeys. */
    readonly authenticator?: PasskeyAuthenticator
    /** Default: the browser's IndexedDB. `NO_STORE` keeps nothing over a reload. */
    readonly sessionStore?: SessionStore
    /** The interval in seconds for reloading data while the page is visible. Default: 10. 0: never. */
    readonly refreshSeconds?: number
  }

const REFRESH_SECONDS = 10

/** Gives one customer's wallet to the hooks and components below it. */
export function CountersignProvider(props: CountersignProviderProps): ReactNode {
  const { customerId, accountId, sessionStore = INDEXED_DB, refreshSeconds = REFRESH_SECONDS } = props
  const look = useLookOf(props)
  const client = useClient(props)
  const api = useMemo(() => nounsOf(client), [client])
  const [confirmations] = useState(() => new Confirmations())
  const wallet = useWalletOf(props, client, confirmations)
  const { state, start, end } = useSessionState(wallet, sessionStore)
  const [version, refresh] = useVersion(refreshSeconds)
  const value = useMemo<Countersign>(
    () => ({
      client,
      api,
      customerId,
      accountId,
      wallet,
      ...look,
      confirmations,
      state,
      start,
      end,
      version,
      refresh,
    }),
    [client, api, customerId, accountId, wallet, look, confirmations, state, start, end, version, refresh],
  )
  return (
    <KitLook {...look}>
      <CountersignContext.Provider value={value}>{props.children}</CountersignContext.Provider>
    </KitLook>
  )
}

/** The wallet; a new one only if a value differs, because objects are new in every rendering of a page. */
function useWalletOf(
  props: CountersignProviderProps,
  client: Countersign['client'],
  confirmations: Confirmations,
): Wallet {
  const { accountId, quorumPublicKey, authenticator, chain, relyingParty } = props
  const { address, chainId, token } = chain ?? {}
  const { id, name, userVerification } = relyingParty ?? {}
  const hasChain = chain !== undefined
  return useMemo(
    () =>
      new Wallet(client, accountId, {
        quorumPublicKey,
        confirm: confirmations.ask,
        relyingParty: withoutUndefined({ id, name, userVerification }),
        ...(authenticator && { authenticator }),
        ...(hasChain && { chain: withoutUndefined({ address, chainId, token }) }),
      }),
    [
      client,
      accountId,
      quorumPublicKey,
      confirmations,
      authenticator,
      hasChain,
      address,
      chainId,
      token,
      id,
      name,
      userVerification,
    ],
  )
}

/** Without undefined properties. */
function withoutUndefined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** A number that rises on demand, in intervals while the page is visible, and when it becomes visible again. */
function useVersion(refreshSeconds: number): [number, () => void] {
  const [version, setVersion] = useState(0)
  const refresh = useCallback(() => setVersion((before) => before + 1), [])
  useEffect(() => {
    if (!(refreshSeconds > 0)) return
    const look = () => {
      if (document.visibilityState === 'visible') refresh()
    }
    const timer = setInterval(look, refreshSeconds * 1000)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [refreshSeconds, refresh])
  return [version, refresh]
}
