import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileContracts } from '../../../../contracts/compile.ts'
import { TOKEN } from '../../../../contracts/local-chain.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import { follow } from '../../../src/outside/chains/follow/follow.ts'
import {
  balanceOf,
  bothSides,
  chainAbsent,
  credited,
  findGasAddress,
  followed,
  newHolder,
  type OnChain,
  openOnChain,
  sendDust,
} from '../../worlds/chain/chain.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'

let on: OnChain

describe.skipIf(chainAbsent)('deposits on a chain', () => {
  beforeAll(async () => {
    on = await openOnChain()
    await on.chain.mint(on.chain.account(1).address, 1_000_000_000_000n)
  })
  afterAll(() => on?.close())

  test('each account has its own address, whose key is in the enclave', async () => {
    const { account, address } = await newHolder(on)
    expect(account.fundingPaymentInstructions).toEqual([
      {
        accountOrWalletInfo: { accountType: 'BASE_WALLET', assetType: 'USDC', address },
        instructionsNotes: 'All money that arrives here is credited to this account.',
        isPlatformAccount: false,
      },
    ])
    const row = await on.service.app.read
      .selectFrom('chain_addresses')
      .where('address', '=', address.toLowerCase() as Hex)
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ role: 'DEPOSIT', owner_id: account.id })
    expect(on.service.app.enclave.chainAddress(row.path)).toBe(row.address)
    const pools = await on.service.app.read
      .selectFrom('deposit_accounts')
      .where('account_id', 'is', null)
      .selectAll()
      .execute()
    expect(pools).toEqual([])
  })

  test('a deposit is credited exactly once at the configured depth, with its sender', async () => {
    const { customerId, account, address } = await newHolder(on)
    const hash = await on.chain.transfer(1, address, 2_500_000n)
    await on.chain.mine(1)
    await followed(on)
    expect(await balanceOf(on, customerId)).toBe(0n)
    await on.chain.mine(1)
    const [deposit] = await credited(on, account.id, 1)
    expect(deposit).toMatchObject({
      status: 'CREDITED',
      rail: 'base',
      amount: { amount: 2_500_000 },
      sender: { accountIdentifier: on.chain.account(1).address },
    })
    expect(deposit.railReference.startsWith(`${hash}:`)).toBe(true)
    await on.chain.mine(5)
    await followed(on)
    expect(await balanceOf(on, customerId)).toBe(2_500_000n)
  })

  test('a test that expects fewer deposits than an account has fails', async () => {
    const { account, address } = await newHolder(on)
    await on.chain.transfer(1, address, 3n)
    await on.chain.mine(2)
    await credited(on, account.id, 1)
    await expect(credited(on, account.id, 0)).rejects.toThrow('has 1 deposits instead of 0')
  })

  test('a deposit that several processes book at the same time counts once', async () => {
    const { customerId, address } = await newHolder(on)
    for (const amount of [1n, 2n, 4n, 8n, 16n, 32n]) await on.chain.transfer(1, address, amount)
    await on.chain.mine(2)
    const { app } = on.service
    const rail = on.rail()
    const platformId = (await app.rails.ownerOf(rail))!
    // Each one has its own copy of the rail, as separate processes have.
    await Promise.allSettled(Array.from({ length: 5 }, () => follow({ app, platformId, rail: { ...rail } })))
    await followed(on)
    expect(await balanceOf(on, customerId)).toBe(63n)
  })

  test('money to the treasury is credited to the platform, and money to a gas account waits for a person', async () => {
    const before = await balanceOf(on, undefined)
    await on.chain.transfer(1, on.rail().chain.treasury, 7_000_000n)
    await on.chain.transfer(1, findGasAddress(on.service, on.rail()), 3n)
    await on.chain.mine(2)
    await followed(on)
    expect(await balanceOf(on, undefined)).toBe(before + 7_000_000n)
    const { data } = (await on.client.get('/deposits?status=SUSPENSE')).body
    expect(data).toMatchObject([{ reason: 'NO_MATCH', amount: { amount: 3 } }])
  })

  test('zero values, other tokens and a contract that looks like the token have no effect', async () => {
    const { customerId, address } = await newHolder(on)
    const { name, symbol, version, decimals } = TOKEN
    const twin = await on.chain.deploy(compileContracts().Token, [name, symbol, version, decimals])
    await on.chain.mint(address, 1_000_000n, twin)
    await on.chain.mint(on.chain.account(1).address, 50n, on.chain.plainToken)
    await on.chain.transfer(1, address, 50n, on.chain.plainToken)
    await on.chain.transfer(1, address, 0n)
    await on.chain.mine(2)
    await followed(on)
    const rows = await on.service.app.read
      .selectFrom('chain_movements')
      .where('recipient', '=', address.toLowerCase() as Hex)
      .selectAll()
      .execute()
    expect(rows).toEqual([])
    expect(await balanceOf(on, customerId)).toBe(0n)
  })

  test('thousands of dust transfers are all counted', async () => {
    const { customerId, address } = await newHolder(on)
    await sendDust(on, address, 2_000)
    await on.chain.mine(2)
    await followed(on, 90)
    expect(await balanceOf(on, customerId)).toBe(2_000n)
    const [ledger, chain] = await bothSides(on)
    expect(ledger).toBe(chain)
  })

  test('a quote is paid at its own address, and later money is returned to its sender', async () => {
    const { customerId } = await newHolder(on)
    const [eur] = (await on.client.get(`/customers/internal-accounts?customerId=${customerId}&currency=EUR`))
      .body.data
    const quote = await createQuote(on, customerId, eur.id)
    const [{ accountOrWalletInfo, instructionsNotes }] = quote.paymentInstructions
    expect(accountOrWalletInfo).toMatchObject({ accountType: 'BASE_WALLET', assetType: 'USDC' })
    expect(instructionsNotes).toContain('to this address, which is only for this payment')
    const { address } = accountOrWalletInfo
    const amount = BigInt(quote.totalSendingAmount)
    await on.chain.transfer(1, address, amount)
    await on.chain.mine(2)
    await until(
      () => on.client.get(`/quotes/${quote.id}`),
      ({ body }) => body.status === 'COMPLETED',
    )
    const sender = on.chain.account(1).address
    const before = await on.chain.balanceOf(on.chain.token, sender)
    await on.chain.transfer(1, address, amount)
    await on.chain.mine(2)
    await until(
      async () => {
        await on.chain.mine(1)
        return on.client.get('/deposits?status=RETURNED')
      },
      ({ body }) => body.data.length === 1,
    )
    expect(await on.chain.balanceOf(on.chain.token, sender)).toBe(before)
    await on.chain.mine(2)
    await followed(on)
    const [ledger, chain] = await bothSides(on)
    expect(ledger).toBe(chain)
  })
})

/** Creates a quote from the chain to an account in euros. */
async function createQuote(
  { client }: OnChain,
  customerId: string,
  accountId: string,
): Promise<Reply['body']> {
  const created = await client.post('/quotes', {
    source: { sourceType: 'REALTIME_FUNDING', customerId, currency: 'USDC', cryptoNetwork: 'BASE' },
    destination: { destinationType: 'ACCOUNT', accountId },
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 1000,
  })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  return created.body
}
