import { BlockList, isIP } from 'node:net'

/** IP addresses as sockets and proxies write them. */

const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The canonical spelling of an address, without port, brackets and zone. Undefined if it is invalid. */
export function toCanonicalIp(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = bare.split('%', 1)[0] ?? ''
  const mapped = IPV4_IN_IPV6.exec(address)?.[1] ?? address
  if (isIP(mapped) === 4) return mapped
  return isIP(mapped) === 6 ? new URL(`http://[${mapped}]/`).hostname.slice(1, -1) : undefined
}

/** Networks such as `10.0.0.0/8`, and single addresses. */
export type Networks = Pick<BlockList, 'check'>

/** Parses networks. `problem` is the first invalid one. */
export function parseNetworks(
  texts: readonly string[],
): { readonly networks: Networks } | { readonly problem: string } {
  const networks = new BlockList()
  for (const text of texts) {
    const [written = '', bits, ...rest] = text.split('/')
    const family = isIP(written)
    const max = family === 6 ? 128 : 32
    const length = bits === undefined ? max : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (family === 0 || rest.length > 0 || !(length <= max)) return { problem: text }
    networks.addSubnet(written, length, family === 6 ? 'ipv6' : 'ipv4')
  }
  return { networks }
}

function containsAddress(networks: Networks, address: string): boolean {
  return networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/**
 * The address of a request's sender: the peer of the connection or, if that is a trusted proxy, the last
 * untrusted address in `X-Forwarded-For`. Entries before that one may be forged. An invalid entry ends the
 * search at the proxy that sent it.
 */
export function pickClientAddress(
  connection: string,
  forwardedFor: string | undefined,
  trusted: Networks,
): string {
  let address = toCanonicalIp(connection) ?? connection
  for (const entry of (forwardedFor ?? '').split(',').reverse()) {
    if (!containsAddress(trusted, address)) return address
    const next = toCanonicalIp(entry)
    if (next === undefined) return address
    address = next
  }
  return address
}

/**
 * The part of an address that counts as one caller: the whole address, or the /64 of an IPv6 address, which a
 * single home connection controls.
 */
export function toCountedAddress(text: string): string {
  const address = toCanonicalIp(text)
  if (address === undefined || isIP(address) !== 6) return address ?? text
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length
  const allGroups = [...groups, ...Array<string>(zeros).fill('0'), ...after]
  return `${allGroups.slice(0, 4).join(':')}::/64`
}
