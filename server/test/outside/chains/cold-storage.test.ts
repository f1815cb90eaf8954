import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import {
  alertsOf,
  chainAbsent,
  followed,
  gasAddressOf,
  newHolder,
  type OnChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import type { Reply } from '../../worlds/client.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { addAddress, coldStorage, MOVEMENTS, moved, movement } from '../../worlds/records/treasury.testing.ts'

/** The accounts of the chain whose keys the operator keeps. Each test has one. */
const VAULT = { out: 2, back: 3, reorganised: 4, twice: 5, earlier: 6, spent: 7, refused: 8 } as const

/** Money of the payer's accounts that is in the books and not on the chain. */
const UNBACKED = 20n

let on: OnChain
let payer: Payer

describe.skipIf(chainAbsent)('cold storage on a chain', () => {
  beforeAll(async () => {
    on = await openOnChain()
    payer = await Payer.open(on, UNBACKED / 2n)
    await on.chain.mine(4)
    await followed(on)
  })
  afterAll(() => on?.close())

  const vault = (index: number) => on.chain.account(index).address
  const held = (index: number) => on.chain.balanceOf(on.chain.token, vault(index))
  const read = async (id: string): Promise<Reply['body']> => (await on.client.get(`${MOVEMENTS}/${id}`)).body
  const ended = (id: string) =>
    until(
      async () => {
        await on.chain.mine(1)
        return read(id)
      },
      ({ status }) => status === 'COMPLETED' || status === 'FAILED',
    )
  const balances = async () => ({
    ours: await balanceOf('rail:base'),
    cold: await balanceOf('rail:base:cold'),
  })
  const sidesAgree = async () => {
    await settled()
    const { ours, cold } = await balances()
    expect({ ours, cold }).toEqual({ ours: (await onChain('<>')) + UNBACKED, cold: await onChain('=') })
  }

  test('gets money of the treasury once it is confirmed, and the books keep it apart', async () => {
    const account = await coldStorage(on.client, vault(VAULT.out))
    expect(account).toMatchObject({ status: 'ACTIVE', purpose: 'COLD_STORAGE', address: vault(VAULT.out) })
    const before = await balances()
    const asked = await moved(on.client, account.id, 3_000_000)
    expect(asked).toMatchObject({ status: 'SENT', rail: 'base', network: 'BASE', address: vault(VAULT.out) })
    const done = await ended(asked.id)
    expect(done).toMatchObject({ status: 'COMPLETED', direction: 'TO_COLD_STORAGE' })
    expect(done.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await held(VAULT.out)).toBe(3_000_000n)
    expect(await balances()).toEqual({ ours: before.ours - 3_000_000n, cold: before.cold + 3_000_000n })
    await sidesAgree()
  })

  test('is sent to once by fifty calls under one key, and never more than the treasury has', async () => {
    const account = await coldStorage(on.client, vault(VAULT.twice))
    const key = { 'Idempotency-Key': 'to the vault' }
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => on.client.post(MOVEMENTS, movement(account.id, 700), key)),
    )
    const ids = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.id))
    expect(ids.size).toBe(1)
    expectError(await on.client.post(MOVEMENTS, movement(account.id, 9_000_000_000_000)), {
      code: 'INSUFFICIENT_BALANCE',
      field: 'amount',
    })
    await ended([...ids][0])
    expect(await held(VAULT.twice)).toBe(700n)
    await sidesAgree()
  })

  test('sends money back to any address of the rail, and nobody is credited', async () => {
    const account = await coldStorage(on.client, vault(VAULT.back))
    await ended((await moved(on.client, account.id, 900_000)).id)
    const holder = await newHolder(on)
    const before = await balances()
    const deposits = await depositCount()
    await on.chain.transfer(VAULT.back, on.rail().chain.treasury, 500_000n)
    await on.chain.transfer(VAULT.back, holder.address, 300_000n)
    await on.chain.transfer(VAULT.back, gasAddressOf(on.service, on.rail()), 100_000n)
    await on.chain.mine(4)
    const list = await until(
      async () =>
        (await on.client.get(`${MOVEMENTS}?direction=FROM_COLD_STORAGE&limit=100`)).body.data.filter(
          ({ ownAccountId }: Reply['body']) => ownAccountId === account.id,
        ),
      (found) => found.length === 3,
    )
    expect(list.map(({ status }: Reply['body']) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
    expect(list.map(({ amount }: Reply['body']) => amount.amount).sort()).toEqual([100_000, 300_000, 500_000])
    expect(await balances()).toEqual({ ours: before.ours + 900_000n, cold: before.cold - 900_000n })
    expect(await depositCount()).toBe(deposits)
    await sidesAgree()
  })

  test('is sent to once again when a reorganization takes the transfer back', async () => {
    const account = await coldStorage(on.client, vault(VAULT.reorganised))
    const { id } = await moved(on.client, account.id, 40_000)
    await ended(id)
    const { number } = await on.chain.block()
    const receipt = await receiptOf((await read(id)).transactionHash)
    await on.chain.reorg(Number(number - BigInt(receipt.blockNumber)) + 1)
    expect(await held(VAULT.reorganised)).toBe(0n)
    await until(
      async () => {
        await on.chain.mine(1)
        return held(VAULT.reorganised)
      },
      (balance) => balance > 0n,
    )
    await on.chain.mine(10)
    await sidesAgree()
    expect(await held(VAULT.reorganised)).toBe(40_000n)
    expect((await read(id)).status).toBe('COMPLETED')
  })

  test('whose return a reorganization takes back has not sent it', async () => {
    await on.chain.transfer(VAULT.reorganised, on.rail().chain.treasury, 10_000n)
    await on.chain.mine(4)
    const [back] = await until(
      async () => (await on.client.get(`${MOVEMENTS}?direction=FROM_COLD_STORAGE&limit=1`)).body.data,
      ([one]) => one?.amount.amount === 10_000,
    )
    await on.chain.reorg(5)
    await on.chain.mine(6)
    await until(
      () => read(back.id),
      ({ status }) => status === 'FAILED',
    )
    await sidesAgree()
  })

  test('that had money before is taken over with it, for its own statement and a person', async () => {
    await on.chain.mint(vault(VAULT.earlier), 77_000n)
    await on.chain.mine(4)
    await followed(on)
    const before = await balances()
    await coldStorage(on.client, vault(VAULT.earlier))
    await on.chain.mine(4)
    await until(
      () => movements('COLD_IN'),
      (rows) => rows.some(({ amount }) => amount === 77_000n),
    )
    expect(await balances()).toEqual(before)
    const { timestamp } = await on.chain.block()
    const day = new Date(Number(timestamp) * 1000).toISOString().slice(0, 10)
    await on.chain.rpc('evm_increaseTime', [86_400])
    await on.chain.mine(4)
    await followed(on)
    const run = async (rail: string) => {
      const out = await runCommand(
        on.service.app,
        ['reconciliation', 'run', '--rail', rail, '--date', day],
        on.client.baseUrl,
      )
      return (out as { data: Reply['body'][] }).data[0]
    }
    expect(JSON.stringify((await run('base'))?.differences)).not.toContain('TreasuryMovement')
    expect(await run('base:cold')).toMatchObject({
      status: 'DIFFERENT',
      differences: [{ reason: 'UNEXPLAINED', amount: '77000' }],
    })
  })

  test('whose key spends elsewhere raises an alert, and the books stay as they were', async () => {
    const account = await coldStorage(on.client, vault(VAULT.spent))
    await ended((await moved(on.client, account.id, 5_000)).id)
    const [before, alerts] = [await balances(), await alertsOf(on, 'treasury')]
    await on.chain.transfer(VAULT.spent, payer.newPayee(), 5_000n)
    await on.chain.mine(4)
    await until(
      () => movements('COLD_OUT'),
      (rows) => rows.length === 1,
    )
    expect(await alertsOf(on, 'treasury')).toBe(alerts + 1)
    expect(await balances()).toEqual(before)
  })

  test('is no address of this server or of a customer, and has a checksum', async () => {
    const { client } = on
    const refuse = async (address: string, text: RegExp) => {
      const { body } = await addAddress(client, address)
      const reply = await client.post('/platform/own-accounts', {
        externalAccountId: body.id,
        purpose: 'COLD_STORAGE',
        reason: 'Vault',
      })
      expectError(reply, { code: 'INVALID_INPUT', field: 'externalAccountId' })
      expect(reply.body.message).toMatch(text)
    }
    await refuse(payer.newPayee().toLowerCase(), /checksum/)
    expectError(await addAddress(client, on.rail().chain.treasury), { code: 'INVALID_BANK_ACCOUNT' })
    const customers = on.chain.account(9).address
    expect((await payer.addPayee(customers, true)).status).toBe(201)
    await refuse(customers, /customer/)
    const { address } = await newHolder(on)
    expectError(await addAddress(client, address), { code: 'INVALID_BANK_ACCOUNT' })
  })

  test('is no payee: payments to it are refused', async () => {
    const account = await coldStorage(on.client, vault(VAULT.refused))
    const external = {
      source: { accountId: payer.account() },
      destination: { accountId: account.externalAccountId },
    }
    expectError(await on.client.post('/transfer-out', { ...external, amount: 5 }), { code: 'INVALID_INPUT' })
    const { body } = await on.client.post('/platform/withdrawals', {
      ownAccountId: account.id,
      source: 'OWN_CAPITAL',
      amount: 1,
      reason: 'Dividend',
    })
    expect(body).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'ownAccountId' } })
  })

  async function receiptOf(hash: string) {
    return (await on.chain.rpc('eth_getTransactionReceipt', [hash])) as { readonly blockNumber: string }
  }

  function movements(kind: 'COLD_IN' | 'COLD_OUT') {
    return on.service.app.read.selectFrom('chain_movements').where('kind', '=', kind).selectAll().execute()
  }

  async function depositCount(): Promise<number> {
    return (await on.client.get('/deposits?limit=100')).body.data.length
  }

  async function balanceOf(name: string): Promise<bigint> {
    const { rows } = await on.service.app.db.query<{ posted: bigint }>(
      "SELECT posted FROM ledger_accounts WHERE name = $1 AND currency = 'USDC'",
      [name],
    )
    return BigInt(rows[0]?.posted ?? 0)
  }

  /** The balance of cold storage (`=`), or of all other addresses hold on the chain. */
  async function onChain(compared: '=' | '<>'): Promise<bigint> {
    const rows = await on.service.app.read
      .selectFrom('chain_addresses')
      .where('role', compared, 'COLD')
      .select('address')
      .execute()
    const all = await Promise.all(rows.map(({ address }) => on.chain.balanceOf(on.chain.token, address)))
    return all.reduce((sum, one) => sum + one, 0n)
  }

  async function settled(): Promise<void> {
    await followed(on)
    await until(
      () =>
        on.service.app.read.selectFrom('chain_movements').where('state', '=', 'UNSURE').selectAll().execute(),
      (rows) => rows.length === 0,
    )
  }
})
