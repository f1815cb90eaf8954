import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BankBalance,
  camtFile,
  type SampleEntry,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { erasePayments } from '../../../src/storage/erasure/erase-payments.ts'
import { eraseRailEvents } from '../../../src/storage/erasure/erase-rail-events.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
} from '../../worlds/production/file-bank.testing.ts'
import { findPlaces } from '../../worlds/records/erasures.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA', { depositsFrom: 'ADVICES' })
})
afterAll(() => bank.close())

let count = 0
let day = Date.parse('2026-03-02T00:00:00Z')
const balance = new BankBalance()

/** Puts the next day's statement without the payers of its credits, and returns the day. */
function putStatementWithoutPayers(...credits: readonly SampleEntry[]): Promise<string> {
  return putStatement(credits.map(removePayer))
}

const removePayer = ({ transactions: _, ...entry }: SampleEntry): SampleEntry => entry

/** Computes the day of the next statement. */
const computeNextDay = () => new Date(day + 86_400_000).toISOString().slice(0, 10)

async function putStatement(entries: readonly SampleEntry[]): Promise<string> {
  const date = computeNextDay()
  day += 86_400_000
  const text = camtFile({ id: `S-${date}`, balances: balance.book(entries), entries })
  expect(await bank.put(`statement-${date}.xml`, text.replaceAll('2026-03-02', date))).toBe('done')
  return date
}

/** Puts an advice of this day in a separate file. */
async function putAdvice(date: string, ...entries: readonly SampleEntry[]): Promise<void> {
  const name = `advice-${++count}`
  const text = camtFile({ kind: '054', id: name, entries }).replaceAll('2026-03-02', date)
  expect(await bank.put(`${name}.xml`, text)).toBe('done')
}

const buildCredit = (amount: string, text: string, servicerReference = `SVC-${++count}`): SampleEntry => ({
  ...{ amount, direction: 'CRDT', servicerReference },
  transactions: [{ amount, debtor: 'Ada Lovelace', text }],
})

async function newPayer() {
  const { customerId, account } = await bank.customer()
  return { customerId, accountId: account.id, reference: findDepositReference(account) }
}

const listDeposits = async (accountId: string) =>
  (await bank.world.client.get(`/deposits?accountId=${accountId}`)).body.data

describe('late advices', () => {
  test('a late advice credits the account whose reference the statement left out, once, and stores the data of the advice', async () => {
    const { customerId, accountId, reference } = await newPayer()
    const payment = buildCredit('30.00', `for ${reference}`)
    const date = await putStatementWithoutPayers(payment)
    expect(await bank.world.listSuspendedDeposits()).toMatchObject([
      { reason: 'NO_MATCH', amount: { amount: 3000 } },
    ])
    await putAdvice(date, payment)
    await bank.waitForBalance(customerId, 3_000n)
    expect(await bank.world.listSuspendedDeposits()).toEqual([])
    const [deposit] = await listDeposits(accountId)
    expect(deposit).toMatchObject({ status: 'CREDITED', sender: { name: 'Ada Lovelace' } })
    expect(deposit.references).toMatchObject([{ reference }])
    // A repeated advice, and one with a different text.
    await putAdvice(date, payment)
    await putAdvice(date, {
      ...payment,
      transactions: [{ ...payment.transactions![0]!, text: `again ${reference}` }],
    })
    expect(await bank.balanceOf(customerId)).toBe(3_000n)
    expect(await listDeposits(accountId)).toHaveLength(1)
  })

  test('a late advice is matched to a booking of its day if the bank gives no reference, one booking for each advice', async () => {
    const { customerId, reference } = await newPayer()
    const entries = [1, 2].map(() => buildCredit('12.00', reference, 'NONREF'))
    const date = await putStatementWithoutPayers(...entries)
    await putAdvice(date, entries[0]!)
    await bank.waitForBalance(customerId, 1_200n)
    await putAdvice(date, ...entries)
    await bank.waitForBalance(customerId, 2_400n)
    expect(await bank.balanceOf(customerId)).toBe(2_400n)
  })

  test('a late advice credits nothing twice, because it is first matched to a booking that names the same account', async () => {
    const { customerId, reference } = await newPayer()
    const named = { ...buildCredit('7.00', 'rent', 'NONREF') }
    const entries = [buildCredit('7.00', reference, 'NONREF'), { ...named, transactions: [] }]
    const text = camtFile({ id: 'S-named', balances: balance.book(entries), entries })
    day += 86_400_000
    const date = new Date(day).toISOString().slice(0, 10)
    await bank.put('named.xml', text.replaceAll('2026-03-02', date))
    await bank.waitForBalance(customerId, 700n)
    await putAdvice(date, buildCredit('7.00', `in other words ${reference}`, 'NONREF'))
    expect(await bank.balanceOf(customerId)).toBe(700n)
  })

  test('a late advice of another day leaves a deposit of the same amount in suspense, because its own statement may still arrive', async () => {
    const { customerId, reference } = await newPayer()
    await putStatementWithoutPayers(buildCredit('19.00', 'rent', 'NONREF'))
    await putAdvice(computeNextDay(), buildCredit('19.00', reference, 'NONREF'))
    expect(await bank.balanceOf(customerId)).toBe(0n)
    await putStatementWithoutPayers({ ...buildCredit('19.00', reference, 'NONREF'), transactions: [] })
    expect(await bank.balanceOf(customerId)).toBe(0n)
    expect(
      (await bank.world.listSuspendedDeposits()).filter(
        ({ amount }: { amount: { amount: number } }) => amount.amount === 1900,
      ),
    ).toHaveLength(2)
  })

  test('a late advice is erased with the customer, including its additional data', async () => {
    const { customerId, accountId, reference } = await newPayer()
    const debtor = 'Zebulon Quixotemark'
    const payment = buildCredit('23.00', `quahogmark ${reference}`)
    const date = await putStatementWithoutPayers(payment)
    await putAdvice(date, { ...payment, transactions: [{ ...payment.transactions![0]!, debtor }] })
    await bank.waitForBalance(customerId, 2_300n)
    const { db } = bank.world.service.app
    const { rows } = await db.query<{ platform_id: string }>(
      'SELECT platform_id FROM customers WHERE id = $1',
      [extractUuid(customerId)],
    )
    const owner = { customer: extractUuid(customerId), platform: extractUuid(rows[0]!.platform_id) }
    const markers = ['Quixotemark', 'quahogmark']
    expect([...(await findPlaces(db, markers)).values()].flat()).toContain('rail_events.body')
    await erasePayments(db, { ...owner, accounts: [extractUuid(accountId)] }, undefined)
    await eraseRailEvents(db, owner)
    expect(await findPlaces(db, markers)).toEqual(new Map(markers.map((mark) => [mark, []])))
  })
})

describe('a credit that may be a sum because its details do not add up to it', () => {
  /** Builds a credit whose two details have one reference and add up to more than was booked. */
  const buildSum = (reference: string, amount: string): SampleEntry => ({
    ...buildCredit(amount, ''),
    transactions: [1, 2].map(() => ({ amount, text: `for ${reference}` })),
  })
  const listWaitingReports = async (amount: number) =>
    (await bank.world.client.get('/rail-events?status=WAITING&limit=100')).body.data.filter(
      ({ body }: { body: { data: { amount: number } } }) => Number(body.data.amount) === amount,
    )

  test('is credited if later lines book every deposit that could be part of it', async () => {
    const [advisedPayer, summedPayer] = [await newPayer(), await newPayer()]
    const payment = buildCredit('31.00', `for ${advisedPayer.reference}`)
    await putAdvice(computeNextDay(), payment)
    await putStatement([buildSum(summedPayer.reference, '101.00'), removePayer(payment)])
    await bank.waitForBalance(summedPayer.customerId, 10_100n)
    expect(await bank.balanceOf(advisedPayer.customerId)).toBe(3_100n)
    expect(await listWaitingReports(10_100)).toEqual([])
  })

  test('waits for a person if the statement does not book a smaller deposit of an advice', async () => {
    const [advisedPayer, summedPayer] = [await newPayer(), await newPayer()]
    await putAdvice(computeNextDay(), buildCredit('32.00', `for ${advisedPayer.reference}`))
    await putStatement([buildSum(summedPayer.reference, '102.00')])
    await until(
      () => listWaitingReports(10_200),
      (found) => found.length === 1,
    )
    expect(await listWaitingReports(10_200)).toMatchObject([{ type: 'file.booking', reason: 'OTHER_AMOUNT' }])
    expect(await bank.balanceOf(summedPayer.customerId)).toBe(0n)
  })
})
