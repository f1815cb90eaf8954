import { describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError, missingId } from '../../worlds/contract/calls.testing.ts'

type Account = Reply['body']

/** The platform's currencies from now on. */
async function support(client: Client, codes: readonly string[]) {
  const supportedCurrencies = codes.map((currencyCode) => ({
    currencyCode,
    minAmount: 1,
    maxAmount: 1_000_000_000,
    requiredCounterpartyFields: [],
    enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
  }))
  expect((await client.send('PATCH', '/config', { supportedCurrencies })).status).toBe(200)
}

const accountsOf = async (client: Client, path: string): Promise<Account[]> =>
  (await client.get(path)).body.data

const names = (accounts: Account[]) => accounts.map((a) => `${a.type} ${a.balance.currency.code}`).sort()

const customers = '/customers/internal-accounts'
const CRYPTO = ['INTERNAL_CRYPTO BTC', 'INTERNAL_CRYPTO USDC', 'INTERNAL_CRYPTO USDT']

describe('a crypto currency of the platform', () => {
  test('gives the platform an account immediately, new customers with their approval, and the others by a job', async () => {
    const client = await newPlatform()
    const earlier = await newCustomer(client)
    const pending = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada 001' })
    // Only wallets have accounts in the currency of the wallets.
    await support(client, ['USD', 'USDC', 'USDT', 'BTC', 'USDB'])
    const own = await accountsOf(client, '/platform/internal-accounts?type=INTERNAL_CRYPTO')
    expect(names(own)).toEqual(CRYPTO)
    const later = await newCustomer(client)
    expect(names(await accountsOf(client, `${customers}?customerId=${later.id}`))).toEqual([
      'EMBEDDED_WALLET USDB',
      ...CRYPTO,
      'INTERNAL_FIAT USD',
    ])
    await client.advance(1)
    await support(client, ['USD'])
    await support(client, ['USD', 'USDC', 'USDT', 'BTC'])
    await client.advance(1)
    for (const { id } of [earlier, later]) {
      const crypto = await accountsOf(client, `${customers}?customerId=${id}&type=INTERNAL_CRYPTO`)
      expect(names(crypto)).toEqual(CRYPTO)
    }
    expect(names(await accountsOf(client, `${customers}?currency=BTC`))).toEqual([CRYPTO[0], CRYPTO[0]])
    const before = await accountsOf(client, `${customers}?customerId=${pending.body.id}`)
    expect(before.length).toBeGreaterThan(0)
    for (const { status } of before) expect(status).toBe('PENDING')
    expect(await accountsOf(client, `${customers}?type=EMBEDDED_WALLET&currency=USDC`)).toEqual([])
    expect(names(await accountsOf(client, '/platform/internal-accounts'))).toEqual([
      ...CRYPTO,
      'INTERNAL_FIAT EUR',
      'INTERNAL_FIAT MXN',
      'INTERNAL_FIAT USD',
    ])
    for (const { fundingPaymentInstructions, customerId } of [
      ...own,
      ...(await accountsOf(client, `${customers}?customerId=${later.id}&type=INTERNAL_CRYPTO`)),
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
    await support(client, ['USD', 'USDC'])
    const { id, wallet, usd } = await newCustomer(client)
    const [usdc] = await accountsOf(client, `${customers}?customerId=${id}&currency=USDC`)
    const [own] = await accountsOf(client, '/platform/internal-accounts?currency=USDC')
    for (const account of [usd, wallet, usdc.id, own.id]) {
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
      const list = account === own.id ? '/platform/internal-accounts' : customers
      const found = (await accountsOf(client, list)).find((one) => one.id === account)
      expect(found).toEqual(second.body)
    }
  })

  test('loses none of several in parallel', async () => {
    const client = await newPlatform()
    const { id, usd } = await newCustomer(client)
    await Promise.all(Array.from({ length: 40 }, (_, index) => fund(client, usd, index + 1)))
    const [account] = await accountsOf(client, `${customers}?customerId=${id}&currency=USD`)
    expect(account.balance.amount).toBe((40 * 41) / 2)
  })

  test('refuses zero, a too large amount and unknown accounts', async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    for (const amount of [0, -1, 100_000_000_001, 1.5, '1'])
      expectError(await client.post(`/sandbox/internal-accounts/${usd}/fund`, { amount }), {
        code: 'INVALID_INPUT',
        field: 'amount',
      })
    expectError(
      await client.post(`/sandbox/internal-accounts/${missingId('InternalAccount')}/fund`, { amount: 1 }),
      { code: 'ACCOUNT_NOT_FOUND' },
    )
  })
})
