import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { App, RequestOrigin } from '../../../kernel/operation/app.ts'
import { ApiError, type Caller } from '../../../kernel/operation/operation.ts'
import { authenticateMember, missingSessionRefusal } from '../../../people/members/sessions.ts'
import type { Head } from '../request/call.ts'

/**
 * Requests of browsers in which a team member is signed in. The cookie identifies the member, and this file
 * checks that the request comes from our own page.
 */

/** Longer `User-Agent` headers are truncated. */
export const USER_AGENT_CHARACTERS_MAX = 500

/** `Sec-Fetch-Site` values of requests made by a page of this server, or typed in by a person. */
const OWN_SITES: readonly string[] = ['same-origin', 'none']

/** True if the request is authenticated by a team member's cookie. Other credentials take precedence. */
export function bringsCookie({ authorization, memberSecret }: Head): boolean {
  return !authorization && memberSecret !== undefined
}

/**
 * Authenticates the team member who makes a request. Throws 401 `UNAUTHORIZED` without a valid session
 * cookie, and for reads from another site's page. Throws 403 `FORBIDDEN` for changes from a page of another
 * origin.
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
 * Throws 403 `FORBIDDEN` if the request comes from a page of another origin. With `mustSay` also if it has no
 * origin, because browsers always send one with changes.
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
