import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toChecksumAddress } from '../../../src/base/formats/addresses.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import {
  buildEvmEntry,
  chainAbsent,
  findGasAddress,
  type OnChain,
  openChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { newCustomer, type Reply, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { readPlatformClock } from '../../worlds/records/payments.testing.ts'

const YEAR_SECONDS = 365 * 86_400
const PAYEE = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'

let on: OnChain
let entry: object

describe.skipIf(chainAbsent)('a sandbox with a chain', () => {
  beforeAll(async () => {
    const chain = await openChain()
    const sweeps = [{ currency: 'USDC', from: 1 }]
    entry = { confirmations: 1, faucet: chain.account(0).address, multicall: chain.multicall, sweeps }
    on = await openOnChain({ mode: 'sandbox', chain, entry, funded: false })
  })
  afterAll(async () => {
    await on?.close()
    await on?.chain.close()
  })

  const findAccount = async (customerId: string, query: string): Promise<Reply['body']> =>
    (await on.client.get(`/customers/internal-accounts?customerId=${customerId}&${query}`)).body.data[0]
  const fund = (accountId: string, amount: number) =>
    on.client.post(`/sandbox/internal-accounts/${accountId}/fund`, { amount })
  /** Repeats the call until the account has an address. */
  const fundWhenReady = async (accountId: string, amount: number): Promise<Reply> =>
    until(
      () => fund(accountId, amount),
      ({ status }) => status !== 503,
    )
  const waitForBalance = (customerId: string, query: string, wanted: number) =>
    until(
      () => findAccount(customerId, query),
      (account) => account.balance.amount === wanted,
    )
  const readTokenBalance = (address: string) => on.chain.balanceOf(on.chain.token, address as Hex)
  const findTreasury = () => on.rail().chain.treasury

  test('funds an account at its own chain address, and the money arrives as a deposit', async () => {
    const { id } = await newCustomer(on.client)
    const account = await findAccount(id, 'type=INTERNAL_CRYPTO&currency=USDC')
    const before = await readTokenBalance(findTreasury())
    const reply = await fundWhenReady(account.id, 5_000_000)
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ id: account.id, balance: { amount: 0 } })
    const credited = await waitForBalance(id, 'type=INTERNAL_CRYPTO&currency=USDC', 5_000_000)
    const [instructions] = credited.fundingPaymentInstructions
    expect(instructions.accountOrWalletInfo).toMatchObject({ accountType: 'BASE_WALLET' })
    const { data } = (await on.client.get(`/deposits?accountId=${account.id}`)).body
    expect(data).toMatchObject([{ status: 'CREDITED', rail: 'base', amount: { amount: 5_000_000 } }])
    // The money is swept to the treasury, so that payments can use it.
    await until(
      () => readTokenBalance(findTreasury()),
      (held) => held === before + 5_000_000n,
    )
    expect(await readTokenBalance(instructions.accountOrWalletInfo.address)).toBe(0n)
  })

  test('retries a failed sweep of an address an hour later', async () => {
    const { id } = await newCustomer(on.client)
    const account = await findAccount(id, 'type=INTERNAL_CRYPTO&currency=USDC')
    const before = await readTokenBalance(findTreasury())
    await on.chain.freeze(findTreasury())
    await fundWhenReady(account.id, 4_000_000)
    await waitForBalance(id, 'type=INTERNAL_CRYPTO&currency=USDC', 4_000_000)
    const { db, read } = on.service.app
    await until(
      () =>
        read.selectFrom('chain_payments').where('state', '=', 'FAILED').select(['kind', 'note']).execute(),
      ([payment]) => payment?.kind === 'SWEEP' && payment.note === 'The token refuses the transfer.',
    )
    await on.chain.unfreeze(findTreasury())
    // An hour later the movements are too old, so only the failed sweep can lead to this address.
    await db.query(`UPDATE chain_movements SET created_at = created_at - interval '1 hour'`)
    await db.query(
      `UPDATE chain_payments SET updated_at = updated_at - interval '1 hour' WHERE state = 'FAILED'`,
    )
    await until(
      () => readTokenBalance(findTreasury()),
      (held) => held === before + 4_000_000n,
    )
  })

  test('funds other accounts in the same way as without a chain', async () => {
    const customer = await newCustomer(on.client)
    expect((await fund(customer.usd, 7_500)).body.balance.amount).toBe(7_500)
  })

  test('funds a wallet at its own chain address', async () => {
    const config = { embeddedWalletConfig: { network: 'BASE' } }
    expect((await on.client.send('PATCH', '/config', config)).status).toBe(200)
    const { id } = await newCustomer(on.client)
    const wallet = await findAccount(id, 'type=EMBEDDED_WALLET')
    expect((await fund(wallet.id, 3_000_000)).body.balance.amount).toBe(0)
    await waitForBalance(id, 'type=EMBEDDED_WALLET', 3_000_000)
    const { address } = wallet.fundingPaymentInstructions[0].accountOrWalletInfo
    expect(await readTokenBalance(address)).toBe(3_000_000n)
    // Without a faucet, a wallet can only be paid from outside.
    await on.setRail(buildEvmEntry(on.chain, { ...entry, faucet: undefined }))
    expectError(await fund(wallet.id, 1), { code: 'INVALID_INPUT', field: 'accountId' })
    await on.setRail(buildEvmEntry(on.chain, entry))
  })

  test('gives its gas accounts coin, and pays and is paid even if its clock is a year ahead', async () => {
    const { id } = await newCustomer(on.client)
    const account = await findAccount(id, 'type=INTERNAL_CRYPTO&currency=USDC')
    const before = Date.parse(await readPlatformClock(on.client))
    await on.client.advance(YEAR_SECONDS)
    await fundWhenReady(account.id, 20_000_000)
    await waitForBalance(id, 'type=INTERNAL_CRYPTO&currency=USDC', 20_000_000)
    expect(await on.chain.coinOf(findGasAddress(on.service, on.rail()))).toBeGreaterThan(0n)
    const payee = await on.client.post('/customers/external-accounts', {
      customerId: id,
      currency: 'USDC',
      accountInfo: { accountType: 'BASE_WALLET', address: PAYEE },
    })
    expect(payee.status, JSON.stringify(payee.body)).toBe(201)
    const { status, body } = await on.client.post('/transfer-out', {
      source: { accountId: account.id },
      destination: { accountId: payee.body.id },
      amount: 2_000_000,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    const done = await until(
      async () => (await on.client.get(`/transactions/${body.id}`)).body,
      ({ status }) => status !== 'PENDING' && status !== 'PROCESSING',
    )
    expect(done.status).toBe('COMPLETED')
    expect(done.reconciliationInstructions.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(done.fees).toBeGreaterThan(0)
    expect(await readTokenBalance(PAYEE)).toBe(2_000_000n - BigInt(done.fees))
    expect(Date.parse(done.createdAt)).toBeGreaterThanOrEqual(before + YEAR_SECONDS * 1000)
  })

  test('shows the operator the chain, its tokens, accounts and nodes in `rails check`', async () => {
    const { data } = (await runCommand(on.service.app, ['rails', 'check'], on.client.baseUrl)) as {
      data: [{ ok: boolean; says: string; facts: [string, string][] }]
    }
    const [{ ok, says, facts }] = data
    expect([ok, says]).toEqual([true, 'The nodes respond.'])
    const byName = Object.fromEntries(facts)
    expect(byName.chain).toMatch(new RegExp(`^BASE, id ${on.chain.chainId}, block \\d+ of 20`))
    expect(byName.followed).toMatch(/^block \d+, \d+ behind the head$/)
    expect(byName['token USDC']).toBe(`${on.chain.token} EIP3009, 6 decimals, "Test Dollar" version 2`)
    expect(byName.treasury).toContain(toChecksumAddress(findTreasury().slice(2)))
    expect(byName.treasury).toMatch(/\d+\.\d{6} USDC$/)
    expect(byName['gas 0']).toMatch(/^0x[0-9a-fA-F]{40}, [01]\.\d{18} ETH, 0\.000000 USDC$/)
    expect(byName[`node ${new URL(on.chain.url).host}`]).toMatch(
      new RegExp(`^chain id ${on.chain.chainId}, block \\d+$`),
    )
    const { data: lines } = (await runCommand(on.service.app, ['rails', 'list'], on.client.baseUrl)) as {
      data: object[]
    }
    expect(lines[0]).toMatchObject({ kind: 'evm', chainId: on.chain.chainId, treasury: findTreasury() })
  })

  test('alerts the operator about a gas account without coin, and about an unreachable node', async () => {
    await on.setRail(buildEvmEntry(on.chain, { ...entry, faucet: undefined }))
    await on.chain.setCoin(findGasAddress(on.service, on.rail()), 0n)
    const runCheck = async () => {
      const reply = await runCommand(on.service.app, ['rails', 'check', '--rail', 'base'], on.client.baseUrl)
      return (reply as { data: [{ ok: boolean; says: string }] }).data[0]
    }
    expect(await runCheck()).toMatchObject({ ok: false, says: 'The gas 0 account has no ETH for gas.' })
    const rpcs = [
      { type: 'url', url: on.chain.url },
      { type: 'url', url: 'http://127.0.0.1:1' },
    ]
    await on.setRail(buildEvmEntry(on.chain, { ...entry, rpcs }))
    await until(runCheck, ({ says }) => says.includes('The node 127.0.0.1:1 cannot be used'))
    await on.setRail(buildEvmEntry(on.chain, entry))
  })
})
