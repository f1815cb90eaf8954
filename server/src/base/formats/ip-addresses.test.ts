import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseNetworks, pickClientAddress, toCanonicalIp, toCountedAddress } from './ip-addresses.ts'

function parseTrusted(...texts: string[]) {
  const parsed = parseNetworks(texts)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return parsed.networks
}

test('an IP address has one canonical spelling, without port, brackets or zone', () => {
  for (const text of ['10.1.2.3', ' 10.1.2.3 ', '10.1.2.3:4711', '::ffff:10.1.2.3', '::FFFF:10.1.2.3'])
    expect(toCanonicalIp(text)).toBe('10.1.2.3')
  for (const text of ['2001:DB8:0:0:0:0:0:1', '[2001:db8::1]', '[2001:db8::1]:443', '2001:db8::1%eth0'])
    expect(toCanonicalIp(text)).toBe('2001:db8::1')
  for (const text of ['', 'unknown', '_hidden', '10.1.2', '10.1.2.3.4', 'fe80::/64', '1e3'])
    expect(toCanonicalIp(text)).toBeUndefined()
})

test('the client address is the last one in the header that is not a trusted proxy', () => {
  const proxies = parseTrusted('10.0.0.0/8', 'fd00::/8')
  expect(pickClientAddress('10.0.0.1', '203.0.113.9', proxies)).toBe('203.0.113.9')
  expect(pickClientAddress('10.0.0.1', '6.6.6.6, 203.0.113.9, 10.0.0.7', proxies)).toBe('203.0.113.9')
  expect(pickClientAddress('fd00::1', '203.0.113.9, fd00::2', proxies)).toBe('203.0.113.9')
  expect(pickClientAddress('::ffff:10.0.0.1', '2001:DB8::1', proxies)).toBe('2001:db8::1')
  expect(pickClientAddress('10.0.0.1', undefined, proxies)).toBe('10.0.0.1')
  expect(pickClientAddress('10.0.0.1', '10.0.0.5', proxies)).toBe('10.0.0.5')
})

test('a client cannot change its address by sending an X-Forwarded-For header', () => {
  const proxies = parseTrusted('10.0.0.0/8')
  const anything = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('10.9.9.9'))
  fc.assert(
    fc.property(fc.array(anything), fc.ipV4(), (written, address) => {
      fc.pre(!address.startsWith('10.'))
      // Without a proxy, and before the entries that the proxy has added.
      expect(pickClientAddress(address, written.join(','), proxies)).toBe(address)
      expect(pickClientAddress('10.0.0.1', [...written, address].join(','), proxies)).toBe(address)
    }),
  )
})

test('an invalid entry in X-Forwarded-For ends the search at the proxy that sent it', () => {
  const proxies = parseTrusted('10.0.0.0/8')
  expect(pickClientAddress('10.0.0.1', '203.0.113.9, unknown', proxies)).toBe('10.0.0.1')
  expect(pickClientAddress('10.0.0.1', '203.0.113.9, unknown, 10.0.0.2', proxies)).toBe('10.0.0.2')
})

test('all addresses of an IPv6 /64 count as one caller, and every IPv4 address separately', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }),
      fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 }),
      (groups, host) => {
        const text = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(':')
        fc.pre(groups.slice(0, 5).some((part) => part !== 0))
        const other = [...groups.slice(0, 4), ...host]
        expect(toCountedAddress(text(other))).toBe(toCountedAddress(text(groups)))
        const elsewhere = [...groups.slice(0, 3), (groups[3]! + 1) % 0x10000, ...groups.slice(4)]
        expect(toCountedAddress(text(elsewhere))).not.toBe(toCountedAddress(text(groups)))
      },
    ),
  )
  expect(toCountedAddress('::1')).toBe('0:0:0:0::/64')
  expect(toCountedAddress('10.0.0.1')).not.toBe(toCountedAddress('10.0.0.2'))
  expect(toCountedAddress('::ffff:10.0.0.1')).toBe('10.0.0.1')
  expect(toCountedAddress('no address')).toBe('no address')
})

test('the error for a list of networks names the invalid one', () => {
  for (const text of [
    '10.0.0.0/33',
    '10.0.0',
    'proxy',
    '10.0.0.0/8/8',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '',
  ])
    expect(parseNetworks([text])).toEqual({ problem: text })
})
