import { findWord } from '@countersign/contract/core/objects'

const KINDS = ['link', 'invitation'] as const

/** A token in the URL after `#`. Browsers never send this part to a server, so it does not appear in logs. */
export interface ArrivalToken {
  readonly kind: (typeof KINDS)[number]
  readonly token: string
}

/**
 * Reads the token and removes it from the URL, so that it is not kept in the history or copied with the
 * address.
 */
export function takeArrivalToken(): ArrivalToken | undefined {
  const [, name, token] = /^#(link|invitation)=(.+)$/.exec(location.hash) ?? []
  const kind = findWord(KINDS, name)
  if (!kind || !token) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return { kind, token }
}
