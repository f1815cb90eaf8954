import { isIP } from 'node:net'

/** True if a host is this machine. IPv6 addresses may be in brackets. */
export function isThisMachine(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/** True if traffic to a URL cannot be read on the network: it uses https, or http to this machine. */
export function isSafeWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname))
}

/**
 * True if it is safe to call a URL: traffic cannot be read on the network, and the URL has no credentials or
 * fragment.
 */
export function isSafeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && isSafeWay(url) && !url.username && !url.password && !url.hash
}
