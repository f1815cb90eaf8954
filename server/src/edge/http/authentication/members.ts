import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { App, RequestOrigin } from '../../../kernel/operation/app.ts'
import { ApiError, type Caller } from '../../../kernel/operation/operation.ts'
import { authenticateMember, missingSessionRefusal } from '../../../people/members/sessions.ts'
import type { Head } from '../request/call.ts'

/**
 * Requests of browsers in which a team member is signed in. The cookie identifies the member; this file
 * checks that the page is ours.
 */

/** Longer `User-Agent` headers are truncated. */
export const USER_AGENT_CHARACTERS_MAX = 500

/** Values of `Sec-Fetch-Site` for a request that a page of this server made, or that a person typed in. */
const OWN_SITES: readonly string[] = ['same-origin', 'none']

/** True if a team member's cookie is the request's credential. Other credentials take precedence. */
export function bringsCookie({ authorization, memberSecret }: Head): boolean {
  return !authorization && memberSecret !== undefined
}

/**
 * The team member who makes a request. Throws 401 `UNAUTHORIZED` without a valid session cookie, and for reads from
 * another site's page; 403 `FORBIDDEN` for changes from a page of another origin.
 */
export async function admitMember(app: App, { method }: Endpoint, head: Head): Promise<Caller> {
  const { fetchSite, memberSecret } = head
  const isRead = method === 'GET'
  if (!bringsCookie(head) || memberSecret === undefined) throw missingSessionRefusal('You are not signed in.')
  if (!isRead) checkOwnPage(app, head, true)
  else if (fetchSite !== undefined && !OWN_SITES.includes(fetchSite))
    throw missingSessionRefusal('You are not signed in.')
  const caller = await authenticateMember(app, memberSecret, head.address)
  head.trace.platformId = caller.platform.id
  return caller
}

/**
 * Throws 403 `FORBIDDEN` if a page of another origin makes the request. `mustSay`: also if the origin is
 * missing; browsers send it with every change.
 */
export function checkOwnPage(app: App, head: Head, mustSay: boolean): void {
  const { ownOrigin } = requestOrigin(app, head)
  if (head.origin === ownOrigin || (head.origin === undefined && !mustSay)) return
  throw new ApiError('FORBIDDEN', {
    message:
      head.origin === undefined
        ? 'Changes with the session cookie of a team member need the Origin header, which browsers send.'
        : `Pages of ${head.origin} cannot act for a team member. The console is at ${ownOrigin}/console/. If that is not the address in your browser, set PUBLIC_URL.`,
    details: { origin: head.origin ?? null },
  })
}

/** The origin of a request. */
export function requestOrigin(
  app: Pick<App, 'origin'>,
  { address, userAgent, ownOrigin }: Head,
): RequestOrigin {
  return { address, userAgent, ownOrigin: ownOrigin ?? app.origin() }
}
