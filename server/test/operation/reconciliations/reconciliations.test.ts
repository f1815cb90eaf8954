import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  dateBefore,
  ModelBank,
  openProduction,
  type Production,
} from '../../worlds/production/production.testing.ts'

let world: Production
beforeAll(async () => {
  world = await openProduction()
})
afterAll(() => world.close())

const yesterday = dateBefore(1)
const DAY_MS = 86_400_000
const today = dateBefore(0)

async function listReconciliations(bank: ModelBank, query = ''): Promise<Reply['body']> {
  const { status, body } = await world.client.get(`/reconciliations?rail=${bank.name}${query}`)
  expect(status, toJson(body)).toBe(200)
  return body
}

async function runReconciliation(bank: ModelBank, date: string): Promise<Reply['body'][]> {
  const args = ['reconciliation', 'run', '--rail', bank.name, '--date', date]
  return ((await runCommand(world.service.app, args, '')) as { data: Reply['body'][] }).data
}

/** Waits until the statement of a day has been booked and compared. */
async function waitForReconciliation(bank: ModelBank, date: string): Promise<Reply['body']> {
  const page = await until(
    () => listReconciliations(bank, `&startDate=${date}&endDate=${date}`),
    ({ data }) => data.length > 0 && ['BALANCED', 'DIFFERENT'].includes(data[0].status),
  )
  return page.data[0]
}

const buildDeposit = (bank: ModelBank, name: string, value: string) => ({
  depositId: `${bank.name}-${name}`,
  depositAccountId: 'of-nobody',
  amount: { value, currency: 'EUR' },
  receivedAt: `${yesterday}T11:00:00Z`,
})

describe('a statement', () => {
  test('that balances needs no attention: fees and interest are booked, an unreported deposit is received', {
    tags: 'smoke',
  }, async () => {
    const bank = new ModelBank(world)
    const depositDetails = buildDeposit(bank, 'one', '5000')
    bank.book(yesterday, {
      kind: 'DEPOSIT',
      depositId: depositDetails.depositId,
      amount: '5000',
      deposit: depositDetails,
    })
    bank.book(yesterday, { kind: 'FEE', amount: '-30', text: 'Account fee' })
    bank.book(yesterday, { kind: 'INTEREST', amount: '4' })
    await bank.tell(bank.event('statement', bank.close(yesterday)))
    expect(await waitForReconciliation(bank, yesterday)).toMatchObject({
      rail: bank.name,
      date: yesterday,
      currency: { code: 'EUR', decimals: 2 },
      status: 'BALANCED',
      statement: { openingBalance: 0, closingBalance: 4974, entryCount: 3, entrySum: 4974 },
      ledger: { balance: 4974, later: 0 },
      difference: 0,
      differenceCount: 0,
    })
    const { data } = (await world.client.get('/deposits?status=SUSPENSE')).body
    expect(data.filter(({ rail }: Reply['body']) => rail === bank.name)).toMatchObject([
      { railReference: depositDetails.depositId, amount: { amount: 5000 } },
    ])
    const { rows } = await world.service.app.db.query<{ name: string; posted: bigint }>(
      `SELECT name, posted FROM ledger_accounts WHERE currency = 'EUR' AND name IN ($1, 'costs')`,
      [`rail:${bank.name}`],
    )
    expect(Object.fromEntries(rows.map(({ name, posted }) => [name, posted]))).toEqual({
      [`rail:${bank.name}`]: 4974n,
      costs: 26n,
    })
  })

  test('is recorded once even if it is repeated, and a different one for the same day waits for a person', async () => {
    const bank = new ModelBank(world)
    bank.book(yesterday, { kind: 'FEE', amount: '-7' })
    const statement = bank.close(yesterday)
    const event = bank.event('statement', statement)
    await Promise.all(
      [event, event, bank.event('statement', statement)].map((sentEvent) => bank.tell(sentEvent)),
    )
    expect(await waitForReconciliation(bank, yesterday)).toMatchObject({ status: 'BALANCED', difference: 0 })
    await bank.tell(bank.event('statement', { ...statement, statementId: 'another' }))
    const { data } = (await world.client.get(`/rail-events?rail=${bank.name}`)).body
    expect(data).toMatchObject([{ type: 'statement', status: 'WAITING', reason: 'CONTRADICTION' }])
    expect((await listReconciliations(bank)).data).toHaveLength(1)
  })

  test('that differs is reported to the platform, with each difference, its age and its reason', async () => {
    const bank = new ModelBank(world, 100n)
    const entry = bank.book(yesterday, { kind: 'OTHER', amount: '250', text: 'Correction 17' })
    bank.book(yesterday, { kind: 'PAYMENT', id: 'not an id of ours', amount: '-40' })
    await bank.tell(bank.event('statement', bank.close(yesterday)))
    const [reconciliation] = await runReconciliation(bank, yesterday)
    expect(reconciliation).toMatchObject({ status: 'DIFFERENT', difference: '310', differenceCount: 3 })
    const listedDay = await waitForReconciliation(bank, yesterday)
    const { body } = await world.client.get(`/reconciliations/${listedDay.id}`)
    // The statement's own job may compare again between the two reads: equal result, later time.
    const { reconciledAt: _, ...result } = listedDay
    expect(body).toMatchObject({ ...result, difference: 310 })
    expect(body.differences.map(({ reason, amount, text }: Reply['body']) => [reason, amount, text])).toEqual(
      [
        ['OPENING_BALANCE', 100, undefined],
        ['UNEXPLAINED', 250, 'Correction 17'],
        ['UNEXPLAINED', -40, undefined],
      ],
    )
    for (const { ageDays, since } of body.differences) {
      expect(since.slice(0, 10)).toBe(yesterday)
      const ageMs = Date.now() - Date.parse(since)
      expect(ageDays * DAY_MS).toBeLessThanOrEqual(ageMs)
      expect((ageDays + 2) * DAY_MS).toBeGreaterThan(ageMs)
    }
    expect(entry).toBeDefined()
    const events = await until(
      async () => (await world.client.get(`/events?objectId=${listedDay.id}`)).body.data,
      (data) => data.length > 0,
    )
    expect(events).toMatchObject([{ type: 'RECONCILIATION.DIFFERENT', data: { differenceCount: 3 } }])
    // A second comparison gives the same result and no second notification.
    await runReconciliation(bank, yesterday)
    const { data } = (await world.client.get(`/events?objectId=${listedDay.id}`)).body
    expect(data).toHaveLength(1)
    const metrics = await world.service.app.metrics.text(async () => true)
    const labels = `rail="${bank.name}",currency="EUR"`
    expect(metrics).toContain(`countersign_reconciliation_differences{${labels},reason="UNEXPLAINED"} 2`)
    expect(metrics).toContain(`countersign_reconciliation_differences{${labels},reason="NOT_IN_BOOKS"} 0`)
    expect(metrics).toMatch(new RegExp(`countersign_reconciliation_statement_age_seconds\\{${labels}\\} \\d`))
  })

  test('is fetched if it has not arrived, and awaited while the day is not closed', async () => {
    const bank = new ModelBank(world)
    await bank.tell(bank.event('deposit.received', buildDeposit(bank, 'one', '900')))
    expect(await runReconciliation(bank, today)).toMatchObject([
      { status: 'WAITING', closingBalance: null, difference: null },
    ])
    const depositDetails = buildDeposit(bank, 'one', '900')
    bank.book(today, {
      kind: 'DEPOSIT',
      depositId: depositDetails.depositId,
      amount: '900',
      deposit: depositDetails,
    })
    bank.close(today)
    expect(await runReconciliation(bank, today)).toMatchObject([
      { status: 'BALANCED', closingBalance: '900', ledgerBalance: '900', difference: '0' },
    ])
    expect((await listReconciliations(bank, '&status=BALANCED')).totalCount).toBe(1)
  })

  test('that arrives after a later one closes the gap', async () => {
    const bank = new ModelBank(world)
    bank.book(yesterday, { kind: 'INTEREST', amount: '12' })
    const firstStatement = bank.close(yesterday)
    bank.book(today, { kind: 'INTEREST', amount: '5' })
    const secondStatement = bank.close(today)
    bank.statements.delete(yesterday)
    await bank.tell(bank.event('statement', secondStatement))
    // Until the first statement arrives, its sum is a difference of the opening balance.
    expect(await runReconciliation(bank, today)).toMatchObject([
      { differences: [{ reason: 'OPENING_BALANCE', amount: '12' }] },
    ])
    await bank.tell(bank.event('statement', firstStatement))
    await waitForReconciliation(bank, yesterday)
    expect(await runReconciliation(bank, today)).toMatchObject([{ status: 'BALANCED', ledgerBalance: '17' }])
  })
})

test('the operator books an unexplained entry only once, under its real kind', async () => {
  const bank = new ModelBank(world)
  bank.book(yesterday, { kind: 'OTHER', amount: '700', text: 'FX deal 4711' })
  bank.book(yesterday, { kind: 'OTHER', amount: '-3' })
  await bank.tell(bank.event('statement', bank.close(yesterday)))
  const before = (await world.client.get('/positions')).body.data.find(isEuro)?.position ?? 0
  const [day] = await runReconciliation(bank, yesterday)
  const entries = Object.fromEntries(
    day.differences.map(({ amount, about }: Reply['body']) => [amount, about]),
  )
  const bookEntry = (entry: string, kind: string) =>
    runCommand(world.service.app, ['reconciliation', 'book', '--entry', entry, '--as', kind], '')
  expect(await bookEntry(entries['700'], 'fx')).toMatchObject({
    rail: bank.name,
    currency: 'EUR',
    amount: '700',
  })
  await bookEntry(entries['-3'], 'costs')
  await expect(bookEntry(entries['700'], 'fx')).rejects.toThrow(
    'cannot be booked. Only UNEXPLAINED entries can.',
  )
  await expect(bookEntry(entries['700'], 'suspense')).rejects.toThrow(
    '--as must be fx or costs, not suspense.',
  )
  await expect(bookEntry('StatementEntry:none', 'fx')).rejects.toThrow(
    'Statement entry StatementEntry:none not found.',
  )
  expect(await runReconciliation(bank, yesterday)).toMatchObject([
    { status: 'BALANCED', ledgerBalance: '697' },
  ])
  // Currency bought at the bank covers the position.
  expect((await world.client.get('/positions')).body.data.find(isEuro).position).toBe(before + 700)
})

const isEuro = ({ currency }: Reply['body']) => currency.code === 'EUR'

test('reconciliation commands and requests refuse missing records', async () => {
  const { app } = world.service
  await expect(runCommand(app, ['reconciliation', 'run', '--rail', 'nobody'], '')).rejects.toThrow(
    'Rail nobody not found in RAILS_FILE.',
  )
  await expect(runCommand(app, ['reconciliation', 'run', '--date', '2026-02-30'], '')).rejects.toThrow(
    '--date must be a date like 2026-03-01.',
  )
  const missing = await world.client.get('/reconciliations/RailStatement:none')
  expectError(missing, { code: 'RECONCILIATION_NOT_FOUND', field: 'reconciliationId' })
})
