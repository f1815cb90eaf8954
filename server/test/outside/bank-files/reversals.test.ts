import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import { camtFile, type SampleEntry } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  ACH_FORMAT,
  dieAtEachCommit,
  type FileBank,
  openFileBank,
  pauseWorkers,
} from '../../worlds/production/file-bank.testing.ts'
import { bankFile, entriesIn, payingCustomer, returnAddenda } from './ach-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('ACH', {
    acknowledgements: { accepted: '{file}.ack', rejected: '{file}.nak' },
  })
})
afterAll(() => bank.close())

const FUNDS = 1_000n
const WHY = { reason: 'Sent twice', evidence: { note: 'The order was booked twice' } }

const get = async (path: string) => (await bank.world.client.get(path)).body
const transaction = (id: string) => get(`/transactions/${id}`)
const query = (sql: string, values: unknown[] = []) => bank.world.service.app.db.query(sql, values)
const reverse = (id: string, more: object = {}): Promise<Reply> =>
  bank.world.client.post(`/transactions/${id}/decide`, { outcome: 'REVERSAL', ...WHY, ...more })
const reversalOf = async (id: string) => (await get(`/transactions/${id}/decisions`)).data[0]?.reversal
const reversalIs = (id: string, status: string) =>
  until(
    () => reversalOf(id),
    (found) => found?.status === status,
  )
const balanceIs = (customerId: string, wanted: bigint) =>
  until(
    () => bank.balanceOf(customerId),
    (found) => found === wanted,
  )
/** Waits until this number of payments, without reversals, waits for a file. */
const waitForQueued = (count: number) =>
  until(
    async () =>
      (await query(`SELECT id FROM bank_payments WHERE file_id IS NULL AND NOT details ? 'reversal'`)).rows,
    (rows) => rows.length === count,
  )
/** The reports about a payment that wait for a person. */
const reportsOf = async (text: string) =>
  (await get('/rail-events?status=WAITING&limit=100')).data.filter((one: object) =>
    JSON.stringify(one).includes(text),
  )

/** The next file, which the bank accepts or rejects. */
async function nextFile(mark: 'ack' | 'nak' = 'ack'): Promise<string> {
  const { name, text } = await bank.takeFile()
  await bank.put(`${name}.${mark}`, '')
  await until(
    async () => (await query('SELECT id FROM bank_files WHERE accepted_at IS NULL')).rows,
    (rows) => rows.length === 0,
  )
  return text
}

/** Counts the payments of all files as delivered, as if banking days had passed. */
async function passDays(id: string): Promise<void> {
  await query(
    `UPDATE bank_files SET settles_at = 'epoch' WHERE settles_at IS NOT NULL AND settled_at IS NULL`,
  )
  await bank.look()
  await until(
    () => transaction(id),
    ({ status }) => status === 'COMPLETED',
  )
}

let files = 0
let day = Date.parse('2026-03-02T00:00:00Z')
let closing = 0n

const sizeOf = (amount: bigint) => (amount < 0n ? -amount : amount)
const decimals = (cents: bigint) =>
  `${cents < 0n ? '-' : ''}${sizeOf(cents) / 100n}.${String(sizeOf(cents) % 100n).padStart(2, '0')}`

/** Entries of one payment, each under a reference of ours. */
type Booked = readonly [reference: string, amount: bigint, returnReason?: string]

const entryOf = ([reference, amount, returnReason]: Booked): SampleEntry => {
  const size = decimals(sizeOf(amount))
  const direction = amount < 0n ? 'DBIT' : 'CRDT'
  return {
    amount: size,
    direction,
    transactions: [{ endToEndId: reference, amount: size, ...(returnReason && { returnReason }) }],
  }
}

/** A statement of the next day with these amounts. Returns its date. */
const book = (...lines: readonly Booked[]) =>
  bookEntries(
    lines.reduce((sum, [, amount]) => sum + amount, 0n),
    lines.map(entryOf),
  )

async function bookEntries(sum: bigint, entries: readonly SampleEntry[]): Promise<string> {
  const opening = closing
  closing += sum
  day += 86_400_000
  files += 1
  const date = new Date(day).toISOString().slice(0, 10)
  const text = camtFile({ id: `S-${files}`, balances: [decimals(opening), decimals(closing)], entries })
  const ours = text
    .replace(/<IBAN>[^<]*<\/IBAN>/, `<Othr><Id>${ACH_FORMAT.accountNumber}</Id></Othr>`)
    .replaceAll('EUR', 'USD')
    .replaceAll('2026-03-02', date)
    .replaceAll('SVC-1', `SVC-${files}`)
  expect(await bank.put(`statement-${files}.xml`, ours)).toBe('done')
  return date
}

const referenceIn = (entry: string) => entry.slice(39, 54).trim()
const returnOf = (entry: string, reason: string, amount = BigInt(entry.slice(29, 39))) => ({
  ...{ transactionCode: '21', amount, account: entry.slice(12, 29).trim(), trace: '011401530000009' },
  ...{ individualId: referenceIn(entry), addenda: returnAddenda(entry.slice(79), reason) },
})
async function giveBack(entry: string, reason: string): Promise<void> {
  files += 1
  await bank.put(`return-${files}.ach`, bankFile([returnOf(entry, reason)]))
}

/** A payment or a pull in an accepted file, and its entry. */
async function carried(kind: 'send' | 'pull', account: string, amount: number) {
  files += 1
  const customer = await payingCustomer(bank, `carried-${files}`)
  const made = await customer[kind](await customer.accountOf(account), amount)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await waitForQueued(1)
  const [entry = ''] = entriesIn(await nextFile())
  return { ...customer, id: made.body.id as string, entry }
}

/** A payment or a pull and its reversal, each in an accepted file, with both entries. */
async function reversed(kind: 'send' | 'pull', account: string, amount: number) {
  const payment = await carried(kind, account, amount)
  const asked = await reverse(payment.id)
  expect(asked.status, JSON.stringify(asked.body)).toBe(200)
  const [back = ''] = entriesIn(await nextFile())
  expect(await reversalOf(payment.id)).toEqual({ status: 'SENT' })
  return { ...payment, back }
}

test('a payment sent in error is asked back by one opposite entry in a batch REVERSAL, and its payer has the money once a statement books it', async () => {
  const { id, entry, customerId } = await carried('send', '111222333', 400)
  await passDays(id)
  const asked = await reverse(id)
  expect(asked).toMatchObject({
    status: 200,
    body: {
      transaction: { id, status: 'COMPLETED' },
      decision: { outcome: 'REVERSAL', status: 'DECIDED', reversal: { status: 'WAITING' } },
    },
  })
  expectError(await reverse(id), { code: 'INVALID_STATE_TRANSITION' })
  const text = await nextFile()
  const lines = text.split('\n')
  expect(lines[1]).toMatch(/^5225ACME {32}1123456789PPDREVERSAL {2}/)
  const [back = ''] = entriesIn(text)
  expect(back).toMatch(/^627011401533111222333 {8}0000000400CS[0-9A-F]{12} Grace Hopper/)
  expect(referenceIn(back)).not.toBe(referenceIn(entry))
  expect(back.slice(79)).not.toBe(entry.slice(79))
  expect(await reversalOf(id)).toEqual({ status: 'SENT' })
  expect(await bank.balanceOf(customerId)).toBe(600n)

  await book([referenceIn(entry), -400n])
  const date = await book([referenceIn(back), 400n])
  await balanceIs(customerId, FUNDS)
  expect(await reversalOf(id)).toEqual({ status: 'BOOKED' })
  expect(await reportsOf(id)).toEqual([])
  const compared = await until(
    async () => (await get(`/reconciliations?startDate=${date}&endDate=${date}`)).data[0],
    (found) => found?.status !== 'PENDING' && found?.statement !== undefined,
  )
  expect(compared.differences ?? []).toEqual([])
  expectError(await reverse(id), { code: 'INVALID_STATE_TRANSITION' })
})

test('a pull made in error is given back once a statement books it, and what the account no longer has is a shortfall', async () => {
  const { id, customerId, accountOf, send, entry } = await carried('pull', '222333444', 120)
  await passDays(id)
  await balanceIs(customerId, FUNDS + 120n)
  await send(await accountOf('222333445'), 1_100)
  await waitForQueued(1)
  await nextFile()
  expect((await reverse(id)).status).toBe(200)
  const text = await nextFile()
  expect(text.split('\n')[1]).toMatch(/^5220ACME {32}1123456789PPDREVERSAL {2}/)
  const [back = ''] = entriesIn(text)
  expect(back).toMatch(/^622011401533222333444 {8}0000000120/)
  expect(await bank.balanceOf(customerId)).toBe(20n)
  await book([referenceIn(entry), 120n], [referenceIn(back), -120n])
  await balanceIs(customerId, 0n)
  expect(await transaction(id)).toMatchObject({
    status: 'REFUNDED',
    counterpartyInformation: { shortfall: '100' },
  })
  expect(await reversalOf(id)).toEqual({ status: 'BOOKED' })
})

test('a reversal that comes back leaves the payment as it was, with the reason, and a booking of it afterwards waits', async () => {
  const { id, back, customerId } = await reversed('send', '333444555', 300)
  await giveBack(back, 'R01')
  expect(await reversalIs(id, 'FAILED')).toEqual({
    status: 'FAILED',
    failure: expect.stringMatching(/^R01: /),
  })
  await giveBack(back, 'R01')
  await passDays(id)
  await book([referenceIn(back), 300n])
  expect(await reportsOf(referenceIn(back))).toMatchObject([{ reason: 'CONTRADICTION' }])
  expect(await bank.balanceOf(customerId)).toBe(700n)
  expectError(await reverse(id), { code: 'INVALID_STATE_TRANSITION' })
})

test('a reversal that comes back after a statement has booked it waits for a person, who decides that the payee has the money', async () => {
  const { id, back, customerId } = await reversed('send', '333444556', 300)
  await book([referenceIn(back), 300n])
  await balanceIs(customerId, FUNDS)
  await giveBack(back, 'R10')
  const [report] = await until(
    () => reportsOf(id),
    (found) => found.length === 1,
  )
  expect(report).toMatchObject({ reason: 'CONTRADICTION', type: 'payment.delivered' })
  const decided = await bank.world.client.post(`/transactions/${id}/decide`, {
    ...{ ...WHY, outcome: 'DELIVERED', railEventId: report.id },
  })
  expect(decided.status, JSON.stringify(decided.body)).toBe(200)
  expect(await reportsOf(id)).toEqual([])
  expect(await bank.balanceOf(customerId)).toBe(FUNDS)
})

test('a payment that its bank returns while the reversal waits for a file ends the reversal, which never leaves', async () => {
  const { id, entry, customerId, accountOf, send } = await carried('send', '444555666', 200)
  expect((await reverse(id)).status).toBe(200)
  await giveBack(entry, 'R03')
  await balanceIs(customerId, FUNDS)
  await send(await accountOf('444555667'), 10)
  await waitForQueued(1)
  expect(entriesIn(await nextFile())).toEqual([expect.stringMatching(/^622011401533444555667/)])
  expect(await reversalOf(id)).toEqual({ status: 'FAILED', failure: 'The payment has come back without it' })
})

test('in whatever order the bank tells of a return and of a booked reversal, a payment comes back once and the other one waits', async () => {
  const first = await reversed('send', '555666777', 250)
  await giveBack(first.entry, 'R03')
  await balanceIs(first.customerId, FUNDS)
  await book([referenceIn(first.back), 250n])
  expect(await reportsOf(referenceIn(first.back))).toMatchObject([{ reason: 'CONTRADICTION' }])

  const second = await reversed('send', '555666778', 250)
  await book([referenceIn(second.back), 250n])
  await giveBack(second.entry, 'R03')
  await until(
    () => reportsOf(second.id),
    (found) => found.length === 1 && found[0].reason === 'CONTRADICTION',
  )
  await balanceIs(second.customerId, FUNDS)
  // The statement has the return as well, and once more the reversal.
  await book([referenceIn(second.entry), 250n, 'R03'], [referenceIn(second.back), 250n])
  const words = [second.entry, second.back].map(referenceIn)
  for (const word of words)
    expect((await reportsOf(word)).map(({ reason }: { reason: string }) => reason)).toContain('CONTRADICTION')
  expect(await bank.balanceOf(first.customerId)).toBe(FUNDS)
  expect(await bank.balanceOf(second.customerId)).toBe(FUNDS)
})

test('a booking of another amount than the reversal moves nothing and waits', async () => {
  const { id, back, customerId } = await reversed('send', '666777888', 250)
  await book([referenceIn(back), 240n])
  await until(
    () => reportsOf(id),
    (found) => found.length === 1 && found[0].reason === 'OTHER_AMOUNT',
  )
  expect(await bank.balanceOf(customerId)).toBe(750n)
  expect(await reversalOf(id)).toEqual({ status: 'SENT' })
})

test('the reversals of a file that are booked as one sum give each payer the money back', async () => {
  const [one, other] = [await carried('send', '666777889', 250), await carried('send', '666777890', 150)]
  await pauseWorkers(bank.world)
  for (const { id } of [one, other]) expect((await reverse(id)).status).toBe(200)
  const { deaths } = await dieAtEachCommit(bank.world)
  expect(deaths).toBeGreaterThan(3)
  const { name, text } = await bank.takeFile()
  expect(entriesIn(text)).toHaveLength(2)
  expect(await bank.outbox()).toEqual({})
  await bank.put(`${name}.ack`, '')
  const { rows } = await query('SELECT message_name FROM bank_files WHERE name = $1', [name])
  await bookEntries(400n, [{ amount: '4.00', direction: 'CRDT', batch: String(rows[0]?.message_name) }])
  await balanceIs(one.customerId, FUNDS)
  await balanceIs(other.customerId, FUNDS)
})

test('a reversal is asked for while a file can carry it in time, and one that waits longer ends', async () => {
  const late = await carried('send', '777888999', 100)
  await query(
    `UPDATE bank_files SET executed_on = '2026-01-05' WHERE id = (SELECT file_id FROM bank_payments WHERE payment_id = $1)`,
    [late.id.slice(late.id.indexOf(':') + 1)],
  )
  const refused = await reverse(late.id)
  expectError(refused, { code: 'PAYMENT_NOT_DECIDABLE' })
  expect(refused.body).toMatchObject({
    details: { reason: 'NOT_REVERSIBLE' },
    message: expect.stringContaining('by 2026-01-12'),
  })

  const { id, accountOf, send } = await carried('send', '777888998', 100)
  expect((await reverse(id)).status).toBe(200)
  await query(
    `UPDATE bank_payments SET details = jsonb_set(details, '{reversal,until}', '"2026-01-12"') WHERE details ? 'reversal' AND file_id IS NULL`,
  )
  await send(await accountOf('777888997'), 10)
  await waitForQueued(1)
  expect(entriesIn(await nextFile())).toEqual([expect.stringMatching(/^622011401533777888997/)])
  expect(await reversalOf(id)).toEqual({ status: 'FAILED', failure: 'No file could carry it in time' })
})

test('a reversal whose file the bank rejects has failed, and the payment is as it was', async () => {
  const { id, customerId } = await carried('send', '888999000', 100)
  expect((await reverse(id)).status).toBe(200)
  expect(entriesIn(await nextFile('nak'))).toHaveLength(1)
  expect((await reversalIs(id, 'FAILED')).failure).toContain('bank')
  await passDays(id)
  expect(await bank.balanceOf(customerId)).toBe(900n)
})

test('of fifty parallel requests one is a reversal, and a payment that has not left cannot be reversed', async () => {
  const { id } = await carried('send', '999000111', 100)
  const replies = await Promise.all(Array.from({ length: 50 }, () => reverse(id)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(entriesIn(await nextFile())).toHaveLength(1)

  const { accountOf, send } = await payingCustomer(bank, 'not-sent')
  const unsent = (await send(await accountOf('999000112'), 50)).body.id
  await waitForQueued(1)
  expectError(await reverse(unsent), { code: 'PAYMENT_NOT_DECIDABLE' })
  const charge = { amount: 1, currency: 'USD' }
  expectError(await reverse(id, { charge }), { code: 'INVALID_INPUT', field: 'charge' })
  expect((await reverse('Transaction:0198c0de-0000-7000-8000-000000000001')).status).toBe(404)
  await nextFile()
})

test('if two members have to approve, no API token asks for a reversal', async () => {
  const { id } = await carried('send', '999000113', 100)
  await bank.world.client.send('PATCH', '/config', { approvalsRequired: 2 })
  const refused = await reverse(id)
  await bank.world.client.send('PATCH', '/config', { approvalsRequired: 1 })
  expectError(refused, { code: 'FORBIDDEN' })
  expect(requireValue(await get(`/transactions/${id}/decisions`), 'list').data).toEqual([])
})
