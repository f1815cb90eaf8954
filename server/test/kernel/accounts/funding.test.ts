import { createHash } from 'node:crypto'
import { PAYMENT_ACCOUNT_INFO } from '@countersign/contract/accounts/account-types'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { bech32, bech32m } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { describe, expect, test } from 'vitest'
import { isLightningInvoice } from '../../../src/base/formats/addresses.ts'
import { validator } from '../../../src/edge/http/request/validate.ts'
import { depositDetails, listFundingTypes, toNetwork } from '../../../src/kernel/accounts/funding.ts'
import { findInvalidField } from '../../../src/money/external-accounts/account-details.ts'
import { sandboxDepositDetails } from '../../../src/outside/sandbox/deposit-details.ts'
import { generateSandboxInvoice } from '../../../src/outside/sandbox/invoice.ts'
import { buildPixCode, computeCrc16 } from '../../../src/outside/sandbox/pix.ts'

const SEEDS = ['Quote:1', 'Quote:2', 'InternalAccount:0190a1b2', '', 'é']

describe('sandbox deposit details', () => {
  const cases = Object.keys(CURRENCIES).flatMap((currency) =>
    listFundingTypes(currency).map((type) => [currency, type] as const),
  )

  test.each(cases)('in %s for a %s have the format and the check digits of real ones', (currency, type) => {
    const network = toNetwork(type)
    const schema = PAYMENT_ACCOUNT_INFO.get(type)!
    const printedDetails = SEEDS.map((seed) => {
      const deposit = { seed, currency, reference: 'CSABC123', amount: 2500n }
      const details = depositDetails(sandboxDepositDetails, deposit, network)
      expect(details.accountType).toBe(type)
      expect(validator(schema, 'answer')(details)).toEqual(details)
      expect(findInvalidField(details, 'sandbox')).toBeUndefined()
      expect(depositDetails(sandboxDepositDetails, deposit, network)).toEqual(details)
      // The account or the reference differs, so no two quotes have the same instructions.
      const otherDeposit = { ...deposit, seed: `${seed} `, reference: 'CSDEF456' }
      expect(depositDetails(sandboxDepositDetails, otherDeposit, network)).not.toEqual(details)
      if ('reference' in schema.properties) expect(details).toMatchObject({ reference: 'CSABC123' })
      if ('assetType' in schema.properties) expect(details).toMatchObject({ assetType: currency })
      return JSON.stringify(details)
    })
    if (network) expect(new Set(printedDetails).size).toBe(SEEDS.length)
  })

  test('use the account type of every fiat currency, and a wallet on each network of an asset', () => {
    for (const [code, { kind }] of Object.entries(CURRENCIES))
      if (kind === 'fiat') expect(listFundingTypes(code)).toEqual([`${code}_ACCOUNT`])
    expect(listFundingTypes('BTC')).toEqual(['SPARK_WALLET', 'LIGHTNING'])
    expect(listFundingTypes('USDB')).toEqual(['SPARK_WALLET'])
    expect(listFundingTypes('USDT')).toEqual(['SOLANA_WALLET', 'TRON_WALLET'])
    expect(listFundingTypes('USDC')).toEqual([
      'SOLANA_WALLET',
      'POLYGON_WALLET',
      'BASE_WALLET',
      'ETHEREUM_WALLET',
    ])
    expect(listFundingTypes('USDC', 'base')).toEqual(['BASE_WALLET'])
    for (const [currency, network] of [
      ['USDC', 'TRON'],
      ['USD', 'BASE'],
      ['SLV', undefined],
      ['XYZ', undefined],
    ] as const) {
      expect(listFundingTypes(currency, network)).toEqual([])
      const deposit = { seed: 'a', currency, reference: 'b' }
      expect(() => depositDetails(sandboxDepositDetails, deposit, network)).toThrow(currency)
    }
  })
})

test('a Spark wallet has an invoice only if the amount is fixed, and the invoice states the amount', () => {
  const deposit = { seed: 'Quote:1', currency: 'BTC', reference: 'CSABC123' }
  const buildDetails = (changes: object) =>
    depositDetails(sandboxDepositDetails, { ...deposit, ...changes }, 'SPARK')
  expect(buildDetails({})).not.toHaveProperty('invoice')
  const { address, invoice } = buildDetails({ amount: 300n }) as { address: string; invoice: string }
  const decode = (text: string) => bech32m.decode(text as `${string}1${string}`, false)
  const readBytes = (text: string) => Buffer.from(bech32m.fromWords(decode(text).words))
  expect(decode(invoice).prefix).toBe('sparkrt')
  // The identity key of the address, then the fields of the invoice (field 2), with 300 satoshi in field 4.
  expect(readBytes(invoice).subarray(0, 35)).toEqual(readBytes(address))
  const fields = readBytes(invoice).subarray(37)
  expect([readBytes(invoice)[35], readBytes(invoice)[36]]).toEqual([0x12, fields.length])
  expect(fields.subarray(20).toString('hex')).toBe(`220308ac022a08${Buffer.from('CSABC123').toString('hex')}`)
  expect(buildDetails({ amount: 301n })).not.toEqual(buildDetails({ amount: 300n }))
  const tokenDetails = buildDetails({ currency: 'USDB', amount: 300n }) as { invoice: string }
  expect(readBytes(tokenDetails.invoice).toString('hex')).toContain('1202012c')
})

test('a Lightning invoice is signed by the node that it names', () => {
  const invoice = generateSandboxInvoice('Quote:1', 'CSABC123')
  expect(isLightningInvoice(invoice)).toBe(true)
  const { prefix, words } = bech32.decode(invoice as `${string}1${string}`, false)
  expect(prefix).toBe('lnbcrt')
  const fields = new Map<number, number[]>()
  for (let at = 7; at < words.length - 104; ) {
    const end = at + 3 + words[at + 1]! * 32 + words[at + 2]!
    fields.set(words[at]!, words.slice(at + 3, end))
    at = end
  }
  expect(Buffer.from(bech32.fromWords(fields.get(13)!)).toString()).toBe('CSABC123')
  const publicKey = bech32.fromWords(fields.get(19)!.slice(0, 53))
  const data = words.slice(0, -104)
  // Zero bits fill the last byte (BOLT 11).
  const padded = [...data, ...Array((8 - (data.length % 8)) % 8).fill(0)]
  const bytes = bech32.fromWords(padded).subarray(0, Math.ceil((data.length * 5) / 8))
  const hash = createHash('sha256').update(prefix).update(bytes).digest()
  const signature = bech32.fromWords(words.slice(-104))
  expect(new HDKey({ publicKey }).verify(hash, signature.subarray(0, 64))).toBe(true)
})

test('a PIX code has its parts with their lengths, and ends with its checksum', () => {
  expect(computeCrc16('123456789')).toBe('29B1')
  const code = buildPixCode('123e4567-e89b-42d3-a456-426614174000', 'CS-ABC 123')
  expect(code).toBe(
    '00020126580014br.gov.bcb.pix0136123e4567-e89b-42d3-a456-4266141740005204000053039865802BR' +
      `5919Countersign Sandbox6007SANDBOX62120508CSABC1236304${computeCrc16(code.slice(0, -4))}`,
  )
})
