import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { App, RequestOrigin } from '../../../kernel/operation/app.ts'
import { ApiError, type Caller } from '../../../kernel/operation/operation.ts'
import { authenticateMember, createMissingSessionError } from '../../../people/members/sessions.ts'
import type { Head } from '../request/call.ts'

/**
 * Authenticates browser requests of signed-in team members. The cookie identifies the member, and this file
 * checks that the request comes from the server's own page.
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
  const isReadOnly = method === 'GET'
  if (!bringsCookie(head) || memberSecret === undefined)
    throw createMissingSessionError('You are not signed in.')
  if (!isReadOnly) checkOwnPage(app, head, true)
  else if (fetchSite !== undefined && !OWN_SITES.includes(fetchSite))
    throw createMissingSessionError('You are not signed in.')
  const caller = await authenticateMember(app, memberSecret, head.address)
  head.trace.platformId = caller.platform.id
  return caller
}

/**
 * Throws 403 `FORBIDDEN` for a request from another origin's page and, if `isOriginRequired`, without an
 * origin. Browsers always send the origin with changes.
 */
export function checkOwnPage(app: App, head: Head, isOriginRequired: boolean): void {
  const { ownOrigin } = requestOrigin(app, head)
  if (head.origin === ownOrigin || (head.origin === undefined && !isOriginRequired)) return
  throw new ApiError('FORBIDDEN', {
    message:
      head.origin === undefined
        ? "The Origin header is missing. Browsers send it, and changes with a team member's session cookie require it."
        : `Pages from ${head.origin} cannot act for a team member. The console is at ${ownOrigin}/console/. If your browser shows another address, set PUBLIC_URL.`,
    details: { origin: head.origin ?? null },
  })
}

export function requestOrigin(
  app: Pick<App, 'origin'>,
  { address, userAgent, ownOrigin }: Head,
): RequestOrigin {
  return { address, userAgent, ownOrigin: ownOrigin ?? app.origin() }
}
