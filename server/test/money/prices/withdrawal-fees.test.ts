import { getExampleAccounts } from '@countersign/contract/accounts/account-types'
import { beforeAll, describe, expect, test } from 'vitest'
import { SANDBOX_NETWORK_FEES } from '../../../src/outside/sandbox/network-fees.ts'
import { type Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

const PATH = '/crypto/estimate-withdrawal-fee'

let client: Client
let usd: string
/** The customer's account ids by currency. */
let accountIds: Readonly<Record<string, string>>
beforeAll(async () => {
  client = await newPlatform()
  const { supportedCurrencies } = (await client.get('/config')).body
  const addedCurrencies = ['USDT', 'BTC'].map((currencyCode) => ({
    ...supportedCurrencies[0],
    currencyCode,
  }))
  await client.send('PATCH', '/config', { supportedCurrencies: [...supportedCurrencies, ...addedCurrencies] })
  const customer = await newCustomer(client)
  usd = customer.usd
  const { data } = (await client.get(`/customers/internal-accounts?customerId=${customer.id}`)).body
  accountIds = Object.fromEntries(
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

const buildEstimate = (
  currency: string,
  cryptoNetwork: Network,
  amount: number | bigint,
  more: object = {},
) => ({
  internalAccountId: accountIds[currency],
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
    'of %s on %s is %i less the network fee, which is paid in %s',
    async (currency, network, amount, asset, fee) => {
      const { status, body } = await estimate(buildEstimate(currency, network, amount))
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

  test('accepts an address in any format of the network, and the network name in any case', async () => {
    for (const info of getExampleAccounts('LIGHTNING')) {
      const { accountType: _, ...addressFields } = info
      const [destinationAddress] = Object.values(addressFields)
      const reply = await estimate(
        buildEstimate('BTC', 'LIGHTNING', 10_000, { cryptoNetwork: 'lightning', destinationAddress }),
      )
      expect(reply.status, String(destinationAddress)).toBe(200)
    }
  })

  test('reserves no money, and needs no balance', async () => {
    const before = (await client.get('/customers/internal-accounts')).body
    expect((await estimate(buildEstimate('USDC', 'SOLANA', 9007199254741993n))).body.netAmount).toBe(
      9007199254741243n,
    )
    expect((await client.get('/customers/internal-accounts')).body).toEqual(before)
    expect((await client.get('/transactions')).body.totalCount).toBe(0)
  })

  test('is refused with an error that names the invalid field', async () => {
    const validRequest = buildEstimate('USDC', 'SOLANA', 1000)
    const invalidRequests = [
      [{ ...validRequest, internalAccountId: usd, currency: 'USD' }, 'INVALID_INPUT', 'internalAccountId'],
      [
        { ...validRequest, internalAccountId: 'InternalAccount:none' },
        'ACCOUNT_NOT_FOUND',
        'internalAccountId',
      ],
      [{ ...validRequest, currency: 'USDT' }, 'INVALID_CURRENCY', 'currency'],
      [{ ...validRequest, cryptoNetwork: 'TRON' }, 'INVALID_INPUT', 'cryptoNetwork'],
      [{ ...validRequest, cryptoNetwork: 'DOGE' }, 'INVALID_INPUT', 'cryptoNetwork'],
      [{ ...validRequest, destinationAddress: ADDRESSES.ETHEREUM }, 'INVALID_INPUT', 'destinationAddress'],
      [{ ...validRequest, destinationAddress: '' }, 'INVALID_INPUT', 'destinationAddress'],
      [{ ...validRequest, amount: 0 }, 'INVALID_INPUT', 'amount'],
      [{ ...validRequest, amount: 750 }, 'INVALID_AMOUNT', 'amount'],
      [buildEstimate('USDC', 'ETHEREUM', 2_730_000), 'INVALID_AMOUNT', 'amount'],
    ] as const
    for (const [body, code, field] of invalidRequests)
      expectError(await estimate(body), { code, field, what: JSON.stringify(body) })
    expect((await estimate({ ...validRequest, amount: 751 })).body).toMatchObject({
      totalFee: 750,
      netAmount: 1,
    })
    // A wrong checksum, combined with a magic suffix that overrides it.
    const evm = buildEstimate('USDC', 'BASE', 10_000)
    expectError(
      await estimate({ ...evm, destinationAddress: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35A' }),
      {
        code: 'INVALID_INPUT',
        field: 'destinationAddress',
      },
    )
  })

  test('is refused for an account of another platform', async () => {
    const otherPlatform = await newPlatform()
    expectError(await otherPlatform.post(PATH, buildEstimate('USDC', 'SOLANA', 1000)), {
      code: 'ACCOUNT_NOT_FOUND',
      field: 'internalAccountId',
    })
  })
})
