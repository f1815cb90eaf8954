import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { camtFile, type SampleEntry } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { erasePayments } from '../../../src/storage/erasure/erase-payments.ts'
import { eraseRailEvents } from '../../../src/storage/erasure/erase-rail-events.ts'
import { until } from '../../worlds/client.testing.ts'
import { type FileBank, openFileBank, referenceOf } from '../../worlds/production/file-bank.testing.ts'
import { placesOf } from '../../worlds/records/erasures.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA', { depositsFrom: 'ADVICES' })
})
afterAll(() => bank.close())

let count = 0
let day = Date.parse('2026-03-02T00:00:00Z')
let balance = 0

const euros = (cents: number) => (cents / 100).toFixed(2)

/** The statement of the next day of the account, whose credits say nothing of a payer. Returns the day. */
function statement(...credits: readonly SampleEntry[]): Promise<string> {
  return statementOf(credits.map(withoutPayer))
}

const withoutPayer = ({ transactions: _, ...entry }: SampleEntry): SampleEntry => entry

/** The day that the next statement is of. */
const nextDay = () => new Date(day + 86_400_000).toISOString().slice(0, 10)

async function statementOf(entries: readonly SampleEntry[]): Promise<string> {
  const date = nextDay()
  day += 86_400_000
  const opening = balance
  balance += entries.reduce((sum, { amount }) => sum + Number(amount.replace('.', '')), 0)
  const text = camtFile({ id: `S-${date}`, balances: [euros(opening), euros(balance)], entries })
  expect(await bank.put(`statement-${date}.xml`, text.replaceAll('2026-03-02', date))).toBe('done')
  return date
}

/** An advice of a day, in a separate file. */
async function advice(date: string, ...entries: readonly SampleEntry[]): Promise<void> {
  const name = `advice-${++count}`
  const text = camtFile({ kind: '054', id: name, entries }).replaceAll('2026-03-02', date)
  expect(await bank.put(`${name}.xml`, text)).toBe('done')
}

const credit = (amount: string, text: string, servicerReference = `SVC-${++count}`): SampleEntry => ({
  ...{ amount, direction: 'CRDT', servicerReference },
  transactions: [{ amount, debtor: 'Ada Lovelace', text }],
})

async function payer() {
  const { customerId, account } = await bank.customer()
  return { customerId, accountId: account.id, reference: referenceOf(account) }
}

const depositsOf = async (accountId: string) =>
  (await bank.world.client.get(`/deposits?accountId=${accountId}`)).body.data
const suspended = async () => (await bank.world.client.get('/deposits?status=SUSPENSE&limit=100')).body.data
const balanceIs = (customerId: string, wanted: bigint) =>
  until(
    () => bank.balanceOf(customerId),
    (found) => found === wanted,
  )

describe('an advice that comes after its statement', () => {
  test('credits once the account of the reference that the statement has left out, and stores the data of the advice', async () => {
    const { customerId, accountId, reference } = await payer()
    const paid = credit('30.00', `for ${reference}`)
    const date = await statement(paid)
    expect(await suspended()).toMatchObject([{ reason: 'NO_MATCH', amount: { amount: 3000 } }])
    await advice(date, paid)
    await balanceIs(customerId, 3_000n)
    expect(await suspended()).toEqual([])
    const [found] = await depositsOf(accountId)
    expect(found).toMatchObject({ status: 'CREDITED', sender: { name: 'Ada Lovelace' } })
    expect(found.references).toMatchObject([{ reference }])
    // Repeated, and told again in other words.
    await advice(date, paid)
    await advice(date, { ...paid, transactions: [{ ...paid.transactions![0]!, text: `again ${reference}` }] })
    expect(await bank.balanceOf(customerId)).toBe(3_000n)
    expect(await depositsOf(accountId)).toHaveLength(1)
  })

  test('credits the booking of its day if the bank gives no reference, one for each advice', async () => {
    const { customerId, reference } = await payer()
    const same = [1, 2].map(() => credit('12.00', reference, 'NONREF'))
    const date = await statement(...same)
    await advice(date, same[0]!)
    await balanceIs(customerId, 1_200n)
    await advice(date, ...same)
    await balanceIs(customerId, 2_400n)
    expect(await bank.balanceOf(customerId)).toBe(2_400n)
  })

  test('credits nothing twice: it first confirms the booking that names the same account', async () => {
    const { customerId, reference } = await payer()
    const named = { ...credit('7.00', 'rent', 'NONREF') }
    const text = camtFile({
      id: 'S-named',
      balances: [euros(balance), euros(balance + 1_400)],
      entries: [{ ...credit('7.00', reference, 'NONREF') }, { ...named, transactions: [] }],
    })
    day += 86_400_000
    balance += 1_400
    const date = new Date(day).toISOString().slice(0, 10)
    await bank.put('named.xml', text.replaceAll('2026-03-02', date))
    await balanceIs(customerId, 700n)
    await advice(date, credit('7.00', `in other words ${reference}`, 'NONREF'))
    expect(await bank.balanceOf(customerId)).toBe(700n)
  })

  test('of another day leaves a deposit of the same amount in suspense: its own statement may still come', async () => {
    const { customerId, reference } = await payer()
    await statement(credit('19.00', 'rent', 'NONREF'))
    await advice(nextDay(), credit('19.00', reference, 'NONREF'))
    expect(await bank.balanceOf(customerId)).toBe(0n)
    await statement({ ...credit('19.00', reference, 'NONREF'), transactions: [] })
    expect(await bank.balanceOf(customerId)).toBe(0n)
    expect(
      (await suspended()).filter(({ amount }: { amount: { amount: number } }) => amount.amount === 1900),
    ).toHaveLength(2)
  })

  test('is erased with the customer, including its additional data', async () => {
    const { customerId, accountId, reference } = await payer()
    const debtor = 'Zebulon Quixotemark'
    const paid = credit('23.00', `quahogmark ${reference}`)
    const date = await statement(paid)
    await advice(date, { ...paid, transactions: [{ ...paid.transactions![0]!, debtor }] })
    await balanceIs(customerId, 2_300n)
    const { db } = bank.world.service.app
    const { rows } = await db.query<{ platform_id: string }>(
      'SELECT platform_id FROM customers WHERE id = $1',
      [uuidOf(customerId)],
    )
    const of = { customer: uuidOf(customerId), platform: uuidOf(rows[0]!.platform_id) }
    const marks = ['Quixotemark', 'quahogmark']
    expect([...(await placesOf(db, marks)).values()].flat()).toContain('rail_events.body')
    await erasePayments(db, { ...of, accounts: [uuidOf(accountId)] }, undefined)
    await eraseRailEvents(db, of)
    expect(await placesOf(db, marks)).toEqual(new Map(marks.map((mark) => [mark, []])))
  })
})

describe('a credit that may be a sum, because its details do not add up to it', () => {
  /** Two details of one reference, of more together than was booked. */
  const sumFor = (reference: string, amount: string): SampleEntry => ({
    ...credit(amount, ''),
    transactions: [1, 2].map(() => ({ amount, text: `for ${reference}` })),
  })
  const waiting = async (amount: number) =>
    (await bank.world.client.get('/rail-events?status=WAITING&limit=100')).body.data.filter(
      ({ body }: { body: { data: { amount: number } } }) => Number(body.data.amount) === amount,
    )

  test('is credited if the lines after it book every deposit that it could be a sum of', async () => {
    const [told, summed] = [await payer(), await payer()]
    const paid = credit('31.00', `for ${told.reference}`)
    await advice(nextDay(), paid)
    await statementOf([sumFor(summed.reference, '101.00'), withoutPayer(paid)])
    await balanceIs(summed.customerId, 10_100n)
    expect(await bank.balanceOf(told.customerId)).toBe(3_100n)
    expect(await waiting(10_100)).toEqual([])
  })

  test('waits for a person while the statement leaves out a smaller deposit of an advice', async () => {
    const [told, summed] = [await payer(), await payer()]
    await advice(nextDay(), credit('32.00', `for ${told.reference}`))
    await statementOf([sumFor(summed.reference, '102.00')])
    await until(
      () => waiting(10_200),
      (found) => found.length === 1,
    )
    expect(await waiting(10_200)).toMatchObject([{ type: 'file.booking', reason: 'OTHER_AMOUNT' }])
    expect(await bank.balanceOf(summed.customerId)).toBe(0n)
  })
})
