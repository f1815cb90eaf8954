import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Thrown if a host's address is not on the public internet. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** The IPv6 range that IANA assigns to the public internet. */
const GLOBAL_UNICAST_6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True if an IP address is on the public internet. False for private, loopback, link-local, unique-local,
 * multicast, unspecified, carrier-grade NAT and reserved addresses, and for IPv6 addresses that embed an IPv4
 * address (mapped, translated or tunnelled).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST_6)
}

/** True if the host of a URL is an IP address outside the public internet. Does no DNS lookup. */
export function isRefusedHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isPublicAddress(host)
}

/**
 * True if the host of a URL is known to be private without a DNS lookup: a private address, or a name of this
 * machine.
 */
export function isPrivateHost(hostname: string): boolean {
  return isRefusedHost(hostname) || /(?:^|\.)localhost\.?$/i.test(hostname)
}

/**
 * The DNS lookup for connections that may only reach public addresses. The connection uses the checked
 * result, so a name that resolves differently later, or for other callers, bypasses nothing.
 */
export function createPublicLookup(resolve: Resolve = lookup): LookupFunction {
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
