import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { App, RequestOrigin } from '../../../kernel/operation/app.ts'
import { ApiError, type Caller } from '../../../kernel/operation/operation.ts'
import { authenticateMember, signedOut } from '../../../people/members/sessions.ts'
import type { Head } from '../request/call.ts'

/** Requests of browsers in which a member is signed in. The cookie says who; that the page is ours is checked here. */

/** Longer names of programs are cut. */
export const USER_AGENT_CHARACTERS_MAX = 500

/** What browsers say of a request that a page of this server made, or that a person typed in. */
const OWN_SITES: readonly string[] = ['same-origin', 'none']

/** Whether a member's cookie counts as credentials: other credentials win over it. */
export function bringsCookie({ authorization, memberSecret }: Head): boolean {
  return !authorization && memberSecret !== undefined
}

/**
 * The member of a request. Errors: 401 `UNAUTHORIZED` without the cookie of a session that goes on, and for what another site's
 * page reads; 403 `FORBIDDEN` for a change that a page of another origin asks for.
 */
export async function admitMember(app: App, { method }: Endpoint, head: Head): Promise<Caller> {
  const { fetchSite, memberSecret } = head
  const isRead = method === 'GET'
  if (!bringsCookie(head) || memberSecret === undefined) throw signedOut('Nobody is signed in.')
  if (!isRead) checkOwnPage(app, head, true)
  else if (fetchSite !== undefined && !OWN_SITES.includes(fetchSite)) throw signedOut('Nobody is signed in.')
  const caller = await authenticateMember(app, memberSecret, head.address)
  head.trace.platformId = caller.platform.id
  return caller
}

/**
 * Error: 403 `FORBIDDEN` where the request is made by a page of another origin. `mustSay`: also where it does not say of which;
 * browsers say it with every change.
 */
export function checkOwnPage(app: App, head: Head, mustSay: boolean): void {
  const { ownOrigin } = fromOf(app, head)
  if (head.origin === ownOrigin || (head.origin === undefined && !mustSay)) return
  throw new ApiError('FORBIDDEN', {
    message:
      head.origin === undefined
        ? 'A change with the cookie of a member needs the header Origin, which browsers send.'
        : `Pages of ${head.origin} cannot act for a member. The console is at ${ownOrigin}/console/. If that is not the address in your browser, set PUBLIC_URL.`,
    details: { origin: head.origin ?? null },
  })
}

/** Where a request comes from. */
export function fromOf(app: Pick<App, 'origin'>, { address, userAgent, ownOrigin }: Head): RequestOrigin {
  return { address, userAgent, ownOrigin: ownOrigin ?? app.origin() }
}
