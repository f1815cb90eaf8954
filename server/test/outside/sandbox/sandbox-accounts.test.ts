import { describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { buildMissingId, expectError } from '../../worlds/contract/calls.testing.ts'

type Account = Reply['body']

/** Sets the currencies that the platform supports. */
async function setCurrencies(client: Client, codes: readonly string[]) {
  const supportedCurrencies = codes.map((currencyCode) => ({
    currencyCode,
    minAmount: 1,
    maxAmount: 1_000_000_000,
    requiredCounterpartyFields: [],
    enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
  }))
  expect((await client.send('PATCH', '/config', { supportedCurrencies })).status).toBe(200)
}

const listAccounts = async (client: Client, path: string): Promise<Account[]> =>
  (await client.get(path)).body.data

const listNames = (accounts: Account[]) => accounts.map((a) => `${a.type} ${a.balance.currency.code}`).sort()

const customerAccounts = '/customers/internal-accounts'
const CRYPTO = ['INTERNAL_CRYPTO BTC', 'INTERNAL_CRYPTO USDC', 'INTERNAL_CRYPTO USDT']

describe('adding a crypto currency', () => {
  test('gives an account to the platform immediately, to new customers on approval and to existing ones by a job', async () => {
    const client = await newPlatform()
    const earlier = await newCustomer(client)
    const pending = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada 001' })
    // USDB is the wallet currency, so only wallets have accounts in it.
    await setCurrencies(client, ['USD', 'USDC', 'USDT', 'BTC', 'USDB'])
    const platformAccounts = await listAccounts(client, '/platform/internal-accounts?type=INTERNAL_CRYPTO')
    expect(listNames(platformAccounts)).toEqual(CRYPTO)
    const later = await newCustomer(client)
    expect(listNames(await listAccounts(client, `${customerAccounts}?customerId=${later.id}`))).toEqual([
      'EMBEDDED_WALLET USDB',
      ...CRYPTO,
      'INTERNAL_FIAT USD',
    ])
    await client.advance(1)
    await setCurrencies(client, ['USD'])
    await setCurrencies(client, ['USD', 'USDC', 'USDT', 'BTC'])
    await client.advance(1)
    for (const { id } of [earlier, later]) {
      const crypto = await listAccounts(client, `${customerAccounts}?customerId=${id}&type=INTERNAL_CRYPTO`)
      expect(listNames(crypto)).toEqual(CRYPTO)
    }
    expect(listNames(await listAccounts(client, `${customerAccounts}?currency=BTC`))).toEqual([
      CRYPTO[0],
      CRYPTO[0],
    ])
    const before = await listAccounts(client, `${customerAccounts}?customerId=${pending.body.id}`)
    expect(before.length).toBeGreaterThan(0)
    for (const { status } of before) expect(status).toBe('PENDING')
    expect(await listAccounts(client, `${customerAccounts}?type=EMBEDDED_WALLET&currency=USDC`)).toEqual([])
    expect(listNames(await listAccounts(client, '/platform/internal-accounts'))).toEqual([
      ...CRYPTO,
      'INTERNAL_FIAT EUR',
      'INTERNAL_FIAT MXN',
      'INTERNAL_FIAT USD',
    ])
    for (const { fundingPaymentInstructions, customerId } of [
      ...platformAccounts,
      ...(await listAccounts(client, `${customerAccounts}?customerId=${later.id}&type=INTERNAL_CRYPTO`)),
    ]) {
      expect(fundingPaymentInstructions.length).toBeGreaterThan(0)
      for (const { accountOrWalletInfo, isPlatformAccount } of fundingPaymentInstructions) {
        expect(accountOrWalletInfo).toMatchObject({ address: expect.any(String) })
        expect(isPlatformAccount).toBe(customerId === undefined)
      }
    }
  })
})

describe('funding in the sandbox', () => {
  test('credits an account of every type immediately, and returns its new balance', async () => {
    const client = await newPlatform()
    await setCurrencies(client, ['USD', 'USDC'])
    const { id, wallet, usd } = await newCustomer(client)
    const [usdc] = await listAccounts(client, `${customerAccounts}?customerId=${id}&currency=USDC`)
    const [platformAccount] = await listAccounts(client, '/platform/internal-accounts?currency=USDC')
    for (const account of [usd, wallet, usdc.id, platformAccount.id]) {
      const path = `/sandbox/internal-accounts/${account}/fund`
      const key = { 'Idempotency-Key': account }
      const first = await client.post(path, { amount: 100_000_000_000 }, key)
      expect(first).toMatchObject({
        status: 200,
        body: {
          id: account,
          balance: { amount: 100_000_000_000 },
          totalBalance: { amount: 100_000_000_000 },
        },
      })
      expect((await client.post(path, { amount: 100_000_000_000 }, key)).body).toEqual(first.body)
      const second = await client.post(path, { amount: 1 })
      expect(second.body.balance.amount).toBe(100_000_000_001)
      const list = account === platformAccount.id ? '/platform/internal-accounts' : customerAccounts
      const found = (await listAccounts(client, list)).find((candidate) => candidate.id === account)
      expect(found).toEqual(second.body)
    }
  })

  test('loses no amount if several calls run in parallel', async () => {
    const client = await newPlatform()
    const { id, usd } = await newCustomer(client)
    await Promise.all(Array.from({ length: 40 }, (_, index) => fund(client, usd, index + 1)))
    const [account] = await listAccounts(client, `${customerAccounts}?customerId=${id}&currency=USD`)
    expect(account.balance.amount).toBe((40 * 41) / 2)
  })

  test('refuses amounts that are invalid or too large, and unknown accounts', async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    for (const amount of [0, -1, 100_000_000_001, 1.5, '1'])
      expectError(await client.post(`/sandbox/internal-accounts/${usd}/fund`, { amount }), {
        code: 'INVALID_INPUT',
        field: 'amount',
      })
    expectError(
      await client.post(`/sandbox/internal-accounts/${buildMissingId('InternalAccount')}/fund`, {
        amount: 1,
      }),
      { code: 'ACCOUNT_NOT_FOUND' },
    )
  })
})
