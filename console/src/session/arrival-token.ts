/** A token in the address after `#`, which a browser never sends and no log has. */
export interface ArrivalToken {
  readonly kind: 'link' | 'invitation'
  readonly token: string
}

/** Takes the token out of the address, so that it is neither kept in the history nor sent on by copying. */
export function takeArrivalToken(): ArrivalToken | undefined {
  const found = /^#(link|invitation)=(.+)$/.exec(location.hash)
  if (!found) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return { kind: found[1] as ArrivalToken['kind'], token: found[2]! }
}
