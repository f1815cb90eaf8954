import type { Endpoint } from '@countersign/contract/core/endpoint'
import { MEMBER_COOKIE, MEMBER_SESSION_HOURS } from '@countersign/contract/platforms/member-sessions'
import type { App } from '../op/app.ts'
import type { Outcome } from '../op/operation.ts'
import type { Answer } from './call.ts'

const SECRET = /^[\w-]{43}$/
const NAME = `${MEMBER_COOKIE}=`

/** The secret of a member's session in a `Cookie` header. */
export function memberSecretIn(cookies: string | undefined): string | undefined {
  const found = cookies?.split(/; */).find((cookie) => cookie.startsWith(NAME))
  const secret = found?.slice(NAME.length)
  return secret !== undefined && SECRET.test(secret) ? secret : undefined
}

/** The answer with the cookie of the session that begins or ends by it. */
export function withCookie(
  answer: Answer,
  { cookie }: Pick<Outcome<Endpoint>, 'cookie'>,
  { config }: Pick<App, 'config'>,
): Answer {
  if (cookie === undefined) return answer
  const [secret, seconds] = cookie === 'none' ? ['', 0] : [cookie.secret, MEMBER_SESSION_HOURS * 60 * 60]
  const secure = config.publicUrl?.startsWith('https:') ? '; Secure' : ''
  const text = `${NAME}${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
  return { ...answer, headers: { ...answer.headers, 'Set-Cookie': text } }
}
