import type { ArrivalToken } from './arrival-token.ts'
import { Invitation } from './invitation.tsx'
import { LinkSignIn } from './link-sign-in.tsx'

/** Redeems the token of a sign-in link or an invitation. */
export function Arrival({ arrival, leave }: { readonly arrival: ArrivalToken; readonly leave: () => void }) {
  const { kind, token } = arrival
  return kind === 'link' ? (
    <LinkSignIn key={token} token={token} leave={leave} />
  ) : (
    <Invitation key={token} token={token} leave={leave} />
  )
}
