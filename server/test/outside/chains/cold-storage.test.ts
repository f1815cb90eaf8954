import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import {
  avoidMidnight,
  chainAbsent,
  countAlerts,
  DAY_SECONDS,
  findGasAddress,
  followed,
  newHolder,
  type OnChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import type { Reply } from '../../worlds/client.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { addAddress, coldStorage, MOVEMENTS, moved, movement } from '../../worlds/records/treasury.testing.ts'

/** Chain accounts whose keys the operator keeps, one for each test. */
const VAULT = { out: 2, back: 3, reorganised: 4, twice: 5, earlier: 6, spent: 7, refused: 8 } as const

/** Money that the payer's accounts have in the books but not on the chain. */
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

  const findVaultAddress = (index: number) => on.chain.account(index).address
  const readVaultBalance = (index: number) => on.chain.balanceOf(on.chain.token, findVaultAddress(index))
  const readMovement = async (id: string): Promise<Reply['body']> =>
    (await on.client.get(`${MOVEMENTS}/${id}`)).body
  const waitForEnd = (id: string) =>
    until(
      async () => {
        await on.chain.mine(1)
        return readMovement(id)
      },
      ({ status }) => status === 'COMPLETED' || status === 'FAILED',
    )
  const readBalances = async () => ({
    ours: await readLedgerBalance('rail:base'),
    cold: await readLedgerBalance('rail:base:cold'),
  })
  const expectBooksMatchChain = async () => {
    await waitForSettledMovements()
    const { ours, cold } = await readBalances()
    expect({ ours, cold }).toEqual({ ours: (await sumOnChain('<>')) + UNBACKED, cold: await sumOnChain('=') })
  }

  test('gets money of the treasury once the transfer is confirmed, and the books list it separately', async () => {
    const account = await coldStorage(on.client, findVaultAddress(VAULT.out))
    expect(account).toMatchObject({
      status: 'ACTIVE',
      purpose: 'COLD_STORAGE',
      address: findVaultAddress(VAULT.out),
    })
    const before = await readBalances()
    const sent = await moved(on.client, account.id, 3_000_000)
    expect(sent).toMatchObject({
      status: 'SENT',
      rail: 'base',
      network: 'BASE',
      address: findVaultAddress(VAULT.out),
    })
    const done = await waitForEnd(sent.id)
    expect(done).toMatchObject({ status: 'COMPLETED', direction: 'TO_COLD_STORAGE' })
    expect(done.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await readVaultBalance(VAULT.out)).toBe(3_000_000n)
    expect(await readBalances()).toEqual({ ours: before.ours - 3_000_000n, cold: before.cold + 3_000_000n })
    await expectBooksMatchChain()
  })

  test('gets one transfer from fifty calls with one key, and never more than the treasury has', async () => {
    const account = await coldStorage(on.client, findVaultAddress(VAULT.twice))
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
    await waitForEnd([...ids][0])
    expect(await readVaultBalance(VAULT.twice)).toBe(700n)
    await expectBooksMatchChain()
  })

  test('can send money back to any address of the rail without crediting anybody', async () => {
    const account = await coldStorage(on.client, findVaultAddress(VAULT.back))
    await waitForEnd((await moved(on.client, account.id, 900_000)).id)
    const holder = await newHolder(on)
    const before = await readBalances()
    const deposits = await countDeposits()
    await on.chain.transfer(VAULT.back, on.rail().chain.treasury, 500_000n)
    await on.chain.transfer(VAULT.back, holder.address, 300_000n)
    await on.chain.transfer(VAULT.back, findGasAddress(on.service, on.rail()), 100_000n)
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
    expect(await readBalances()).toEqual({ ours: before.ours + 900_000n, cold: before.cold - 900_000n })
    expect(await countDeposits()).toBe(deposits)
    await expectBooksMatchChain()
  })

  test('gets the transfer again, once, if a reorganization removes it', async () => {
    const account = await coldStorage(on.client, findVaultAddress(VAULT.reorganised))
    const { id } = await moved(on.client, account.id, 40_000)
    await waitForEnd(id)
    const { number } = await on.chain.block()
    const receipt = await findReceipt((await readMovement(id)).transactionHash)
    await on.chain.reorg(Number(number - BigInt(receipt.blockNumber)) + 1)
    expect(await readVaultBalance(VAULT.reorganised)).toBe(0n)
    await until(
      async () => {
        await on.chain.mine(1)
        return readVaultBalance(VAULT.reorganised)
      },
      (balance) => balance > 0n,
    )
    await on.chain.mine(10)
    await expectBooksMatchChain()
    expect(await readVaultBalance(VAULT.reorganised)).toBe(40_000n)
    expect((await readMovement(id)).status).toBe('COMPLETED')
  })

  test('still has the money in the books if a reorganization removes its return', async () => {
    await on.chain.transfer(VAULT.reorganised, on.rail().chain.treasury, 10_000n)
    await on.chain.mine(4)
    const [returnMovement] = await until(
      async () => (await on.client.get(`${MOVEMENTS}?direction=FROM_COLD_STORAGE&limit=1`)).body.data,
      ([movement]) => movement?.amount.amount === 10_000,
    )
    await on.chain.reorg(5)
    await on.chain.mine(6)
    await until(
      () => readMovement(returnMovement.id),
      ({ status }) => status === 'FAILED',
    )
    await expectBooksMatchChain()
  })

  test('that had money before shows it in its own statement, as a difference for a person', async () => {
    await avoidMidnight(on)
    await on.chain.mint(findVaultAddress(VAULT.earlier), 77_000n)
    await on.chain.mine(4)
    await followed(on)
    const before = await readBalances()
    await coldStorage(on.client, findVaultAddress(VAULT.earlier))
    await on.chain.mine(4)
    await until(
      () => listMovements('COLD_IN'),
      (rows) => rows.some(({ amount }) => amount === 77_000n),
    )
    expect(await readBalances()).toEqual(before)
    const { timestamp } = await on.chain.block()
    const toDate = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString().slice(0, 10)
    const [dayBefore, day] = [toDate(timestamp - DAY_SECONDS), toDate(timestamp)]
    await on.chain.rpc('evm_increaseTime', [Number(DAY_SECONDS)])
    await on.chain.mine(4)
    await followed(on)
    const reconcile = async (rail: string, date = day) => {
      const out = await runCommand(
        on.service.app,
        ['reconciliation', 'run', '--rail', rail, '--date', date],
        on.client.baseUrl,
      )
      return (out as { data: Reply['body'][] }).data[0]
    }
    // If midnight has passed since, the movements of earlier tests are on the statements of the day before.
    for (const rail of ['base', 'base:cold']) await reconcile(rail, dayBefore)
    expect(JSON.stringify((await reconcile('base'))?.differences)).not.toContain('TreasuryMovement')
    expect(await reconcile('base:cold')).toMatchObject({
      status: 'DIFFERENT',
      differences: [{ reason: 'UNEXPLAINED', amount: '77000' }],
    })
  })

  test('raises an alert if its key spends elsewhere, and the books stay unchanged', async () => {
    const account = await coldStorage(on.client, findVaultAddress(VAULT.spent))
    await waitForEnd((await moved(on.client, account.id, 5_000)).id)
    const [before, alerts] = [await readBalances(), await countAlerts(on, 'treasury')]
    await on.chain.transfer(VAULT.spent, payer.newPayee(), 5_000n)
    await on.chain.mine(4)
    await until(
      () => listMovements('COLD_OUT'),
      (rows) => rows.length === 1,
    )
    expect(await countAlerts(on, 'treasury')).toBe(alerts + 1)
    expect(await readBalances()).toEqual(before)
  })

  test('needs an address with a checksum that belongs neither to this server nor to a customer', async () => {
    const { client } = on
    const expectRefused = async (address: string, text: RegExp) => {
      const { body } = await addAddress(client, address)
      const reply = await client.post('/platform/own-accounts', {
        externalAccountId: body.id,
        purpose: 'COLD_STORAGE',
        reason: 'Vault',
      })
      expectError(reply, { code: 'INVALID_INPUT', field: 'externalAccountId' })
      expect(reply.body.message).toMatch(text)
    }
    await expectRefused(payer.newPayee().toLowerCase(), /checksum/)
    expectError(await addAddress(client, on.rail().chain.treasury), { code: 'INVALID_BANK_ACCOUNT' })
    const customerAddress = on.chain.account(9).address
    expect((await payer.addPayee(customerAddress, true)).status).toBe(201)
    await expectRefused(customerAddress, /customer/)
    const { address } = await newHolder(on)
    expectError(await addAddress(client, address), { code: 'INVALID_BANK_ACCOUNT' })
  })

  test('cannot be a payee: payments to it are refused', async () => {
    const account = await coldStorage(on.client, findVaultAddress(VAULT.refused))
    const transfer = {
      source: { accountId: payer.account() },
      destination: { accountId: account.externalAccountId },
    }
    expectError(await on.client.post('/transfer-out', { ...transfer, amount: 5 }), { code: 'INVALID_INPUT' })
    const { body } = await on.client.post('/platform/withdrawals', {
      ownAccountId: account.id,
      source: 'OWN_CAPITAL',
      amount: 1,
      reason: 'Dividend',
    })
    expect(body).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'ownAccountId' } })
  })

  async function findReceipt(hash: string) {
    return (await on.chain.rpc('eth_getTransactionReceipt', [hash])) as { readonly blockNumber: string }
  }

  function listMovements(kind: 'COLD_IN' | 'COLD_OUT') {
    return on.service.app.read.selectFrom('chain_movements').where('kind', '=', kind).selectAll().execute()
  }

  async function countDeposits(): Promise<number> {
    return (await on.client.get('/deposits?limit=100')).body.data.length
  }

  async function readLedgerBalance(name: string): Promise<bigint> {
    const { rows } = await on.service.app.db.query<{ posted: bigint }>(
      "SELECT posted FROM ledger_accounts WHERE name = $1 AND currency = 'USDC'",
      [name],
    )
    return BigInt(rows[0]?.posted ?? 0)
  }

  /** Sums the chain balances of cold storage (`=`) or of all other addresses (`<>`). */
  async function sumOnChain(compared: '=' | '<>'): Promise<bigint> {
    const rows = await on.service.app.read
      .selectFrom('chain_addresses')
      .where('role', compared, 'COLD')
      .select('address')
      .execute()
    const amounts = await Promise.all(rows.map(({ address }) => on.chain.balanceOf(on.chain.token, address)))
    return amounts.reduce((sum, one) => sum + one, 0n)
  }

  async function waitForSettledMovements(): Promise<void> {
    await followed(on)
    await until(
      () =>
        on.service.app.read.selectFrom('chain_movements').where('state', '=', 'UNSURE').selectAll().execute(),
      (rows) => rows.length === 0,
    )
  }
})
