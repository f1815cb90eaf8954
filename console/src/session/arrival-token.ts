import { wordOf } from '@countersign/contract/core/objects'

const KINDS = ['link', 'invitation'] as const

/** A token in the address after `#`, which a browser never sends and no log has. */
export interface ArrivalToken {
  readonly kind: (typeof KINDS)[number]
  readonly token: string
}

/** Takes the token out of the address, so that it is neither kept in the history nor sent on by copying. */
export function takeArrivalToken(): ArrivalToken | undefined {
  const [, name, token] = /^#(link|invitation)=(.+)$/.exec(location.hash) ?? []
  const kind = wordOf(KINDS, name)
  if (!kind || !token) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return { kind, token }
}
