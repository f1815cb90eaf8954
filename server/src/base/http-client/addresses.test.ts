import type { lookup } from 'node:dns'
import { expect, test } from 'vitest'
import { createPublicLookup, isPublicAddress } from './addresses.ts'

test('private, reserved and embedded IP addresses do not count as public', () => {
  const refused = [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '127.1',
    '',
  ]
  for (const address of refused) expect(isPublicAddress(address), address).toBe(false)
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111'])
    expect(isPublicAddress(address), address).toBe(true)
})

test('a DNS lookup returns only the public addresses of a name', async () => {
  const several: typeof lookup = ((_host: string, _options: unknown, callback: (...all: unknown[]) => void) =>
    callback(null, [
      { address: '10.0.0.1', family: 4 },
      { address: '8.8.8.8', family: 4 },
      { address: '::1', family: 6 },
    ])) as typeof lookup
  const resolveName = (all: boolean) =>
    new Promise((resolve) =>
      createPublicLookup(several)('name.example', { all }, (...found) => resolve(found)),
    )
  expect(await resolveName(true)).toEqual([null, [{ address: '8.8.8.8', family: 4 }]])
  expect(await resolveName(false)).toEqual([null, '8.8.8.8', 4])
})
