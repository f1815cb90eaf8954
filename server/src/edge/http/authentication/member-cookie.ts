import type { Endpoint } from '@countersign/contract/core/endpoint'
import { MEMBER_COOKIE, MEMBER_SESSION_HOURS } from '@countersign/contract/platforms/member-sessions'
import type { App } from '../../../kernel/operation/app.ts'
import type { Outcome } from '../../../kernel/operation/operation.ts'
import type { HttpResponse } from '../request/call.ts'
import { formatCookie, getCookieName, readCookieValue } from '../response/cookies.ts'

const SECRET = /^[\w-]{43}$/

/** The session secret of a team member in a `Cookie` header. */
export function readMemberSecret(app: Pick<App, 'config'>, cookies: string | undefined): string | undefined {
  const secret = readCookieValue(cookies, getCookieName(app, MEMBER_COOKIE))
  return secret !== undefined && SECRET.test(secret) ? secret : undefined
}

/** Adds the cookie of a session that begins or ends to a response. */
export function withCookie(
  answer: HttpResponse,
  { cookie }: Pick<Outcome<Endpoint>, 'cookie'>,
  app: Pick<App, 'config'>,
): HttpResponse {
  if (cookie === undefined) return answer
  const [secret, seconds] = cookie === 'none' ? ['', 0] : [cookie.secret, MEMBER_SESSION_HOURS * 60 * 60]
  const text = formatCookie(app, MEMBER_COOKIE, secret, { seconds })
  return { ...answer, headers: { ...answer.headers, 'Set-Cookie': text } }
}
