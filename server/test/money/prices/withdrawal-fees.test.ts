import { exampleAccounts } from '@countersign/contract/accounts/account-types'
import { beforeAll, describe, expect, test } from 'vitest'
import { SANDBOX_NETWORK_FEES } from '../../../src/outside/sandbox/network-fees.ts'
import { type Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

const PATH = '/crypto/estimate-withdrawal-fee'

let client: Client
let usd: string
/** The account of the customer by its currency. */
let crypto: Readonly<Record<string, string>>
beforeAll(async () => {
  client = await newPlatform()
  const { supportedCurrencies } = (await client.get('/config')).body
  const more = ['USDT', 'BTC'].map((currencyCode) => ({
    ...supportedCurrencies[0],
    currencyCode,
  }))
  await client.send('PATCH', '/config', { supportedCurrencies: [...supportedCurrencies, ...more] })
  const customer = await newCustomer(client)
  usd = customer.usd
  const { data } = (await client.get(`/customers/internal-accounts?customerId=${customer.id}`)).body
  crypto = Object.fromEntries(
    data.map((one: { id: string; balance: { currency: { code: string } } }) => [
      one.balance.currency.code,
      one.id,
    ]),
  )
})

const ADDRESSES = {
  BASE: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  ETHEREUM: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  LIGHTNING: 'ada@wallet.example',
  POLYGON: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  SOLANA: '4Nd1m6Qkq7RfKuE5vQ9qP9Tn6H94Ueqb4xXHzsAbd8Wg',
  SPARK: 'spark1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9uc489gg2',
  TRON: 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL',
} as const
type Network = keyof typeof ADDRESSES

const asked = (currency: string, cryptoNetwork: Network, amount: number | bigint, more: object = {}) => ({
  internalAccountId: crypto[currency],
  currency,
  cryptoNetwork,
  amount,
  destinationAddress: ADDRESSES[cryptoNetwork],
  ...more,
})
const estimate = (body: object) => client.post(PATH, body)

describe('the estimate of a withdrawal', () => {
  test.each([
    // 780,000 gwei at 3500 USD: 2.73 USD
    ['USDC', 'ETHEREUM', 10_000_000, 'ETH', 2_730_000],
    // 650 gwei: 0.002275 USD
    ['USDC', 'BASE', 10_000_000, 'ETH', 2_275],
    // 0.002 POL at 0.25 USD
    ['USDC', 'POLYGON', 10_000_000, 'POL', 500],
    // 5000 lamports at 150 USD: 0.00075 USD
    ['USDC', 'SOLANA', 10_000_000, 'SOL', 750],
    // 6.5 TRX at 0.30 USD
    ['USDT', 'TRON', 10_000_000, 'TRX', 1_950_000],
    ['BTC', 'LIGHTNING', 10_000, 'BTC', 10],
    ['BTC', 'SPARK', 10_000, 'BTC', 0],
    ['USDB', 'SPARK', 10_000, 'BTC', 0],
  ] as const)(
    'of %s on %s: %i less what the network charges in %s',
    async (currency, network, amount, asset, fee) => {
      const { status, body } = await estimate(asked(currency, network, amount))
      expect(status).toBe(200)
      expect(body).toEqual({
        networkFee: Number(SANDBOX_NETWORK_FEES[network]!.amount),
        networkFeeAsset: asset,
        applicationFee: 0,
        totalFee: fee,
        netAmount: amount - fee,
      })
    },
  )

  test('accepts an address in any form of the network, and its name in any case', async () => {
    for (const info of exampleAccounts('LIGHTNING')) {
      const { accountType: _, ...members } = info
      const [destinationAddress] = Object.values(members)
      const reply = await estimate(
        asked('BTC', 'LIGHTNING', 10_000, { cryptoNetwork: 'lightning', destinationAddress }),
      )
      expect(reply.status, String(destinationAddress)).toBe(200)
    }
  })

  test('reserves nothing, and needs no balance', async () => {
    const before = (await client.get('/customers/internal-accounts')).body
    expect((await estimate(asked('USDC', 'SOLANA', 9007199254741993n))).body.netAmount).toBe(
      9007199254741243n,
    )
    expect((await client.get('/customers/internal-accounts')).body).toEqual(before)
    expect((await client.get('/transactions')).body.totalCount).toBe(0)
  })

  test('names the wrong field', async () => {
    const right = asked('USDC', 'SOLANA', 1000)
    const wrong = [
      [{ ...right, internalAccountId: usd, currency: 'USD' }, 'INVALID_INPUT', 'internalAccountId'],
      [{ ...right, internalAccountId: 'InternalAccount:none' }, 'ACCOUNT_NOT_FOUND', 'internalAccountId'],
      [{ ...right, currency: 'USDT' }, 'INVALID_CURRENCY', 'currency'],
      [{ ...right, cryptoNetwork: 'TRON' }, 'INVALID_INPUT', 'cryptoNetwork'],
      [{ ...right, cryptoNetwork: 'DOGE' }, 'INVALID_INPUT', 'cryptoNetwork'],
      [{ ...right, destinationAddress: ADDRESSES.ETHEREUM }, 'INVALID_INPUT', 'destinationAddress'],
      [{ ...right, destinationAddress: '' }, 'INVALID_INPUT', 'destinationAddress'],
      [{ ...right, amount: 0 }, 'INVALID_INPUT', 'amount'],
      [{ ...right, amount: 750 }, 'INVALID_AMOUNT', 'amount'],
      [asked('USDC', 'ETHEREUM', 2_730_000), 'INVALID_AMOUNT', 'amount'],
    ] as const
    for (const [body, code, field] of wrong)
      expectError(await estimate(body), { code, field, what: JSON.stringify(body) })
    expect((await estimate({ ...right, amount: 751 })).body).toMatchObject({ totalFee: 750, netAmount: 1 })
    // A wrong checksum, combined with a magic suffix that overrides it.
    const evm = asked('USDC', 'BASE', 10_000)
    expectError(
      await estimate({ ...evm, destinationAddress: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35A' }),
      {
        code: 'INVALID_INPUT',
        field: 'destinationAddress',
      },
    )
  })

  test('is refused for an account of another platform', async () => {
    const other = await newPlatform()
    expectError(await other.post(PATH, asked('USDC', 'SOLANA', 1000)), {
      code: 'ACCOUNT_NOT_FOUND',
      field: 'internalAccountId',
    })
  })
})
