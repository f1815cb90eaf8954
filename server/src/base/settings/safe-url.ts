import { isIP } from 'node:net'

/** Whether a host is this machine; an IPv6 address with or without its brackets. */
export function isThisMachine(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/** Whether nobody can read on its way what goes to an address: it is https:, or http: to this machine. */
export function isSafeWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname))
}

/** Whether an address can be called: safe on its way, without a login or a fragment. */
export function isSafeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && isSafeWay(url) && !url.username && !url.password && !url.hash
}
