import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The connection was to go to an address that is not one of the public internet. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** What IANA gives out for the public internet of IPv6. */
const GLOBAL_UNICAST_6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address is one of the public internet. Not: private, loopback, link-local, unique-local, multicast,
 * unspecified, carrier-grade NAT, reserved, and IPv6 that stands for an IPv4 address (mapped, translated, tunnelled).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST_6)
}

/** Whether a URL's host is an address, and none of the public internet: no name is looked up for it. */
export function isRefusedHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isPublicAddress(host)
}

/** Whether a URL's host can be told to be a private one without looking it up: such an address, or this machine's name. */
export function isPrivateHost(hostname: string): boolean {
  return isRefusedHost(hostname) || /(?:^|\.)localhost\.?$/i.test(hostname)
}

/**
 * The look-up of a connection that may go to public addresses only. What it gives is what is connected to, so a name
 * that has other addresses a moment later, or for another asker, gains nothing.
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
