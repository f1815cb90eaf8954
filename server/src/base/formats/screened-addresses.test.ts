import fc from 'fast-check'
import { expect, test } from 'vitest'
import { respelled } from './screened-addresses.testing.ts'
import { mayBeEvmAddress, toScreenedAddress } from './screened-addresses.ts'

const DIGITS = fc.stringMatching(/^[0-9a-f]{40}$/)

test('every spelling of an EVM address is recognized as the same address', () => {
  const cases = DIGITS.chain((digits) => fc.tuple(fc.constant(digits), respelled(digits)))
  fc.assert(
    fc.property(
      cases,
      fc.constantFrom('EVM', 'ETHEREUM', 'BASE', 'POLYGON', undefined),
      ([digits, text], network) => {
        expect(toScreenedAddress(text, network)).toBe(`0x${digits}`)
        expect(mayBeEvmAddress(text)).toBe(true)
      },
    ),
    { numRuns: 1000 },
  )
})

test('a string that is not an address of its network is not recognized', () => {
  const digits = '52908400098527886e0f7030069857d2e4169ee7'
  for (const text of [
    '',
    'ada.eth',
    `0x${digits}0`,
    `0x${digits.slice(1)}`,
    `0\u0445${digits}`,
    `xdc${digits}`,
    `0x0x${digits}`,
    `x${digits}`,
  ])
    expect(toScreenedAddress(text, 'BASE'), text).toBeUndefined()
  // Without a network the digits are enough to make it an address that is not clear.
  for (const text of [`0\u0445${digits}`, `xdc${digits}`, `0x${digits}0`])
    expect(mayBeEvmAddress(text)).toBe(true)
  for (const text of ['DE89370400440532013000', '998877665544789', 'Ada Lovelace'])
    expect(mayBeEvmAddress(text)).toBe(false)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = toScreenedAddress(text, 'BASE')
      expect(read === undefined || /^0x[0-9a-f]{40}$/.test(read)).toBe(true)
    }),
  )
})

test('addresses of other chains keep their case, unless the chain ignores case', () => {
  const solana = '4Nd1m6Qkq7RfKuE5vQ9qP9Tn6H94Ueqb4xXHzsAbd8Wg'
  for (const text of [solana, ` ${solana}\u200b`, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${solana}`])
    expect(toScreenedAddress(text, 'SOLANA'), text).toBe(solana)
  expect(toScreenedAddress('SPARK1PGSS8YQCJ', 'SPARK')).toBe('spark1pgss8yqcj')
  expect(toScreenedAddress('Spark1pgss8yqcj', 'SPARK')).toBeUndefined()
  expect(toScreenedAddress('LNBC20M1PVJLUEZ', 'LIGHTNING')).toBe(
    toScreenedAddress('lightning:lnbc20m1pvjluez', 'LIGHTNING'),
  )
  expect(toScreenedAddress('Ada@Wallet.Example', 'LIGHTNING')).toBe('ada@wallet.example')
})
