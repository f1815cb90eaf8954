import type { App } from '../../../kernel/operation/app.ts'

/** The server's cookies belong to this host only. Over HTTPS, browsers enforce this by the name prefix. */

type Served = Pick<App, 'config'>

function isSecure({ config }: Served): boolean {
  return config.publicUrl?.startsWith('https:') ?? false
}

/**
 * The name of a cookie on the wire. The prefix `__Host-` prevents other hosts of the domain, and connections
 * without TLS, from setting it.
 */
export function getCookieName(app: Served, name: string): string {
  return isSecure(app) ? `__Host-${name}` : name
}

/** The value of a `Set-Cookie` header. A name with `__Host-` requires that the path is `/`. */
export function formatCookie(
  app: Served,
  name: string,
  value: string,
  { seconds, path = '/' }: { readonly seconds: number; readonly path?: string },
): string {
  const secure = isSecure(app) ? '; Secure' : ''
  return `${getCookieName(app, name)}=${value}; Path=${secure ? '/' : path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/** The value of a cookie in a `Cookie` header, by its name on the wire. */
export function readCookieValue(cookies: string | undefined, name: string): string | undefined {
  const pair = cookies?.split(/; */).find((cookie) => cookie.startsWith(`${name}=`))
  return pair?.slice(name.length + 1)
}
