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
import { KitLook, type KitLookProps, useResolvedLook } from './look.tsx'
import { type Reach, useClient } from './use-client.ts'
import { useSessionState } from './use-session-state.ts'

export type CountersignProviderProps = Reach &
  KitLookProps & {
    readonly customerId: string
    /** The customer's embedded wallet. */
    readonly accountId: string
    /**
     * The server's quorum key, 130 hex characters. Build it into the page: a key received the same way as the
     * responses proves nothing about their origin.
     */
    readonly quorumPublicKey: string
    /**
     * The page's own knowledge of the wallet's chain. Payments that contradict it are rejected before they
     * are shown.
     */
    readonly chain?: WalletChain
    readonly relyingParty?: RelyingParty
    /** Default: the browser's passkeys. */
    readonly authenticator?: PasskeyAuthenticator
    /** Default: the browser's IndexedDB. With `NO_STORE`, a session does not survive a reload. */
    readonly sessionStore?: SessionStore
    /** The reload interval in seconds while the page is visible. Default: 10. 0 turns it off. */
    readonly refreshSeconds?: number
  }

const REFRESH_SECONDS = 10

/** Provides one customer's wallet to the hooks and components below it. */
export function CountersignProvider(props: CountersignProviderProps): ReactNode {
  const { customerId, accountId, sessionStore = INDEXED_DB, refreshSeconds = REFRESH_SECONDS } = props
  const look = useResolvedLook(props)
  const client = useClient(props)
  const api = useMemo(() => nounsOf(client), [client])
  const [confirmations] = useState(() => new Confirmations())
  const wallet = useWalletFromProps(props, client, confirmations)
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

/**
 * Creates the wallet, and recreates it only if a value has changed: the option objects are new on every
 * render, so their fields are compared.
 */
function useWalletFromProps(
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
        relyingParty: omitUndefined({ id, name, userVerification }),
        ...(authenticator && { authenticator }),
        ...(hasChain && { chain: omitUndefined({ address, chainId, token }) }),
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

/** Removes undefined properties. */
function omitUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/**
 * A counter that increases on `refresh`, at intervals while the page is visible, and when it becomes visible
 * again.
 */
function useVersion(refreshSeconds: number): [number, () => void] {
  const [version, setVersion] = useState(0)
  const refresh = useCallback(() => setVersion((before) => before + 1), [])
  useEffect(() => {
    if (!(refreshSeconds > 0)) return
    const refreshIfVisible = () => {
      if (document.visibilityState === 'visible') refresh()
    }
    const timer = setInterval(refreshIfVisible, refreshSeconds * 1000)
    document.addEventListener('visibilitychange', refreshIfVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refreshIfVisible)
    }
  }, [refreshSeconds, refresh])
  return [version, refresh]
}
