import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../src/formats/hex.ts'
import { chainAbsent } from '../chain.testing.ts'
import { balanceOf, credited, followed, newHolder, type OnChain, openOnChain } from '../on-chain.testing.ts'

let on: OnChain

describe.skipIf(chainAbsent)('deposits on a chain', () => {
  beforeAll(async () => {
    on = await openOnChain()
    await on.chain.mint(on.chain.account(1).address, 1_000_000_000_000n)
  })
  afterAll(() => on?.close())

  test('an account has an address of its own, whose key is in the enclave', async () => {
    const { account, address } = await newHolder(on)
    expect(account.fundingPaymentInstructions).toEqual([
      {
        accountOrWalletInfo: { accountType: 'BASE_WALLET', assetType: 'USDC', address },
        instructionsNotes: 'Whatever arrives here is credited to this account.',
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
  })

  test('money is credited once it is as deep as configured, once, with its sender', async () => {
    const { customerId, account, address } = await newHolder(on)
    const hash = await on.chain.transfer(1, address, 2_500_000n)
    await on.chain.mine(2)
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
})
