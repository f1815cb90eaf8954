import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalChain } from '../../../../contracts/local-chain.ts'
import {
  CONFIRMATIONS,
  chainAbsent,
  type OnChain,
  openChain,
  openOnChain,
  waitForChain,
} from '../../worlds/chain/chain.testing.ts'
import { newAddress, ok } from '../../worlds/chain/holder.testing.ts'
import { type LyingProxy, openLyingProxy } from '../../worlds/chain/lying-proxy.testing.ts'
import { type Client, newCustomer, type Reply, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

let chain: LocalChain
let proxy: LyingProxy
let on: OnChain
let client: Client

describe.skipIf(chainAbsent)('a server that has never reached the chain of its rail', () => {
  beforeAll(async () => {
    chain = await openChain()
    await chain.mine(CONFIRMATIONS)
    proxy = await openLyingProxy(chain.url)
    // The node answers about its tokens but not about the head, so the server cannot follow the chain.
    proxy.lie('eth_getBlockByNumber', async ({ params: [block] }, truth) =>
      block === 'latest' ? { spoil: (response) => response.destroy() } : truth(),
    )
    const entry = { rpcs: [{ type: 'url', url: proxy.url }] }
    on = await openOnChain({ mode: 'sandbox', chain, entry, funded: false, isReached: false })
    client = on.client
  })
  afterAll(async () => {
    await on?.close()
    await proxy?.close()
    await chain?.close()
  })

  const findAccount = async (customerId: string, query = 'type=INTERNAL_CRYPTO&currency=USDC') =>
    ok(await client.get(`/customers/internal-accounts?customerId=${customerId}&${query}`)).data[0]
  const createFundingQuote = (customerId: string, accountId: string) =>
    client.post('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', customerId, currency: 'USDC', cryptoNetwork: 'BASE' },
      destination: { destinationType: 'ACCOUNT', accountId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 2_000_000,
    })
  const setWalletNetwork = async (network: 'BASE' | 'SPARK') =>
    ok(await client.send('PATCH', '/config', { embeddedWalletConfig: { network } }))
  const newHolder = (): Promise<Reply> =>
    client.post('/customers', {
      customerType: 'INDIVIDUAL',
      fullName: 'Grace Hopper',
      platformCustomerId: 'grace',
      email: 'grace@example.com',
    })

  test('creates no address and starts no payment there until it has connected to the chain', async () => {
    const { id: customerId, usd } = await newCustomer(client)
    const account = await findAccount(customerId)
    ok(await client.post(`/sandbox/internal-accounts/${account.id}/fund`, { amount: 5_000_000 }))
    const payee = ok(
      await client.post('/customers/external-accounts', {
        customerId,
        currency: 'USDC',
        accountInfo: { accountType: 'BASE_WALLET', address: newAddress() },
      }),
    )
    const createTransfer = () =>
      client.post('/transfer-out', {
        source: { accountId: account.id },
        destination: { accountId: payee.id },
        amount: 2_500_000,
      })
    const createPayoutQuote = () =>
      client.post('/quotes', {
        source: { sourceType: 'ACCOUNT', accountId: account.id },
        destination: { destinationType: 'ACCOUNT', accountId: payee.id },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 2_000_000,
      })
    await setWalletNetwork('BASE')
    expect(on.rail().facts).toBeDefined()
    for (const attempt of [
      createTransfer,
      createPayoutQuote,
      () => createFundingQuote(customerId, usd),
      newHolder,
    ]) {
      const reply = await attempt()
      expectError(reply, { code: 'UNAVAILABLE' })
      expect(reply.body.message).toBe(
        'The server has not connected to the chain yet. Try again in a few minutes.',
      )
    }
    expect((await findAccount(customerId)).balance.amount).toBe(5_000_000)
    const read = on.service.app.read
    expect(await read.selectFrom('chain_addresses').select('id').execute()).toEqual([])
    expect(await read.selectFrom('deposit_accounts').select('id').execute()).toEqual([])

    proxy.honest()
    await waitForChain(on)
    const holder = await until(newHolder, ({ status }) => status !== 503)
    expect(holder.status).toBe(201)
    for (const attempt of [createTransfer, createPayoutQuote, () => createFundingQuote(customerId, usd)])
      expect((await attempt()).status).toBe(201)
    const wallet = await findAccount(holder.body.id, 'type=EMBEDDED_WALLET')
    const fundedAccount = await until(
      () => findAccount(customerId),
      ({ fundingPaymentInstructions: [first] }) => first.accountOrWalletInfo.accountType === 'BASE_WALLET',
    )
    for (const { fundingPaymentInstructions } of [wallet, fundedAccount]) {
      const { address } = fundingPaymentInstructions[0].accountOrWalletInfo
      await chain.mint(address, 3_000_000n)
    }
    await chain.mine(CONFIRMATIONS)
    await until(
      () => findAccount(holder.body.id, 'type=EMBEDDED_WALLET'),
      ({ balance }) => balance.amount === 3_000_000,
    )
    await until(
      () => client.get(`/deposits?accountId=${account.id}`),
      ({ body }) => body.data.length === 1,
    )
  })
})
