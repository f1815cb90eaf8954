import type { App } from '../../../kernel/operation/app.ts'

/** The cookies of this server. Each is of this host alone: with https by its name too, which browsers hold others to. */

type Served = Pick<App, 'config'>

function isSecure({ config }: Served): boolean {
  return config.publicUrl?.startsWith('https:') ?? false
}

/** The name of a cookie on the wire. `__Host-` keeps other hosts of the domain, and what is without TLS, from setting it. */
export function cookieName(app: Served, name: string): string {
  return isSecure(app) ? `__Host-${name}` : name
}

/** The text of `Set-Cookie`. A name with `__Host-` is for all paths. */
export function cookieText(
  app: Served,
  name: string,
  value: string,
  { seconds, path = '/' }: { readonly seconds: number; readonly path?: string },
): string {
  const secure = isSecure(app) ? '; Secure' : ''
  return `${cookieName(app, name)}=${value}; Path=${secure ? '/' : path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/** The value of a cookie in a `Cookie` header, by its name on the wire. */
export function cookieIn(cookies: string | undefined, name: string): string | undefined {
  const found = cookies?.split(/; */).find((cookie) => cookie.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}
