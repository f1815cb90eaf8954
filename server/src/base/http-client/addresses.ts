import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The connection's address is not on the public internet. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** The IPv6 range that IANA allocates for the public internet. */
const GLOBAL_UNICAST_6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True if an IP address is on the public internet. False for private, loopback, link-local, unique-local,
 * multicast, unspecified, carrier-grade NAT, reserved, and IPv6 addresses that embed an IPv4 address (mapped,
 * translated, tunnelled).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST_6)
}

/** True if a URL's host is an IP address outside the public internet. No DNS lookup. */
export function isRefusedHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isPublicAddress(host)
}

/** True if a URL's host is private without a DNS lookup: a private address, or a name of this machine. */
export function isPrivateHost(hostname: string): boolean {
  return isRefusedHost(hostname) || /(?:^|\.)localhost\.?$/i.test(hostname)
}

/**
 * The DNS lookup of a connection that may only reach public addresses. The connection uses its result, so a
 * name that changes its addresses afterwards, or returns others to other callers, gains nothing.
 */
export function publicLookup(resolve: Resolve = lookup): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const allowed = error ? [] : addresses.filter(({ address }) => isPublicAddress(address))
      const refusal = error ?? (allowed.length === 0 ? new AddressRefused(`${host} is not public`) : null)
      const first = allowed[0]
      if (refusal || !first) callback(refusal, '', 0)
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
