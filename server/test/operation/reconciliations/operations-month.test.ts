import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { BooksReport } from '../../../src/operation/proofs/verify.ts'
import type { SampleEntry } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import {
  buildStatusReport,
  listPayments,
  readMessageId,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  BANK_NAMES,
  type BankName,
  blocksOf,
  commandsByHeading,
  GuidedOperator,
  Month,
} from '../../worlds/production/month.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { readSystemBalances } from '../../worlds/records/payments.testing.ts'

/** A difference between a bank and the books. */
interface MonthDifference {
  readonly bank: BankName
  /** Lets the bank report it. Returns the ids that the guide's commands use, in their order. */
  readonly reportDifference: (month: Month) => Promise<readonly string[]>
  /** Lets the bank carry out the orders of the commands. */
  readonly after?: (month: Month) => Promise<void>
}

const buildDebit = (amount: string, fields: Partial<SampleEntry> = {}): SampleEntry => ({
  ...{ amount, direction: 'DBIT', ...fields },
})

/** Creates a deposit at the European bank that names no account. */
async function createSuspendedDeposit(month: Month, amount: string): Promise<string> {
  await month.euro.states([month.credit(amount), month.credit('20.00', month.customer.eurReference)])
  const [deposit, ...otherDeposits] = await month.suspense('euro-bank')
  expect(otherDeposits).toEqual([])
  return deposit.id
}

/** Sends a payment in a file to the European bank. */
async function createFilePayment(month: Month, amount: number) {
  const id = await month.pays(amount)
  const [payment] = listPayments((await month.euro.folder.takeFile()).text)
  return { id, refs: { ...payment, creditor: 'Ada Lovelace' } }
}

/** Builds an entry that books one of our payments with another amount. */
const buildEntry = (
  direction: 'CRDT' | 'DBIT',
  amount: string,
  { refs }: Awaited<ReturnType<typeof createFilePayment>>,
  fields: Partial<SampleEntry> = {},
): SampleEntry => ({ amount, direction, transactions: [{ ...refs, amount }], ...fields })

/** Sends a batch of instant payments that the bank reports as settled. */
async function settleBatch(month: Month, amounts: readonly number[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const amount of amounts) ids.push(await month.pays(amount, 'EUR', { paymentRail: 'SEPA_INSTANT' }))
  const { name, text } = await month.batch.folder.takeFile()
  expect(listPayments(text)).toHaveLength(amounts.length)
  const message = readMessageId(text)
  const report = buildStatusReport(message, { id: `S-${message}`, ofFile: '<GrpSts>ACSC</GrpSts>' })
  await month.batch.folder.put(`status-${name}`, report)
  for (const id of ids) await month.ends(id, 'COMPLETED')
  return ids
}

/** Finds the id of the waiting report of this type. */
async function findReport(month: Month, bank: BankName, type: string): Promise<string> {
  const report = (await month.reports(bank)).find((candidate) => candidate.type === type)
  expect(report, `a report ${type} of ${bank}`).toBeDefined()
  return report.id
}

/** The differences of a month, by the headings of the guide. */
const MONTH_DIFFERENCES: Readonly<Record<string, MonthDifference>> = {
  'Deposit without a reference': {
    bank: 'euro-bank',
    reportDifference: async (month) => [await createSuspendedDeposit(month, '100.00'), month.customer.eur.id],
  },
  'One deposit for two customers': {
    bank: 'euro-bank',
    reportDifference: async (month) => [
      await createSuspendedDeposit(month, '100.00'),
      month.customer.eur.id,
      month.other.eur.id,
    ],
  },
  Overpayment: {
    bank: 'euro-bank',
    reportDifference: async (month) => [await createSuspendedDeposit(month, '130.00'), month.customer.eur.id],
    after: async (month) => {
      const [payment] = listPayments((await month.euro.folder.takeFile()).text)
      expect(payment).toMatchObject({ amount: '30.00' })
      await month.euro.states([buildDebit('30.00', { transactions: [{ ...payment, amount: '30.00' }] })])
    },
  },
  'Debit that is not ours': {
    bank: 'euro-bank',
    reportDifference: async (month) => {
      await month.euro.states([buildDebit('49.00')])
      return month.about('euro-bank')
    },
  },
  'Storno with its original': {
    bank: 'euro-bank',
    reportDifference: async (month) => {
      await month.euro.states([
        buildDebit('73.00'),
        { ...buildDebit('73.00'), direction: 'CRDT', isReversal: true },
      ])
      return month.about('euro-bank')
    },
  },
  'Charge without a code': {
    bank: 'euro-bank',
    reportDifference: async (month) => {
      await month.euro.states([buildDebit('5.00')])
      return month.about('euro-bank')
    },
  },
  'Payment with a charge': {
    bank: 'euro-bank',
    reportDifference: async (month) => {
      const payment = await createFilePayment(month, 10_000)
      await month.euro.states([buildEntry('DBIT', '103.00', payment)])
      const { id, body } = await month.reportOf('euro-bank', payment.id)
      return [payment.id, body.id, id]
    },
  },
  'Late return, without a reason and less a charge': {
    bank: 'euro-bank',
    reportDifference: async (month) => {
      const payment = await createFilePayment(month, 12_000)
      await month.euro.states([buildEntry('DBIT', '120.00', payment)])
      await month.ends(payment.id, 'COMPLETED')
      await month.euro.states([buildEntry('CRDT', '117.50', payment, { isReversal: true })])
      const { id, body } = await month.reportOf('euro-bank', payment.id)
      return [payment.id, body.id, id]
    },
  },
  'Batch booked as one sum': {
    bank: 'batch-bank',
    reportDifference: async (month) => {
      const ids = await settleBatch(month, [10_000, 20_000])
      await month.batch.states([buildDebit('300.00')])
      const [line = ''] = (await month.about('batch-bank')).filter((id) => id.startsWith('StatementEntry:'))
      return [line, ...ids]
    },
  },
  'Payment booked twice and reversed': {
    bank: 'batch-bank',
    reportDifference: async (month) => {
      const id = await month.pays(4_000, 'EUR', { paymentRail: 'SEPA_INSTANT' })
      const [refs] = listPayments((await month.batch.folder.takeFile()).text)
      const entry = buildDebit('40.00', { transactions: [{ ...refs, amount: '40.00' }] })
      await month.batch.states([entry, { ...entry, servicerReference: 'AGAIN' }])
      await month.ends(id, 'COMPLETED')
      expect(await month.differences('batch-bank')).toMatchObject([{ reason: 'BOOKED_TWICE', about: id }])
      await month.batch.states([{ amount: '40.00', direction: 'CRDT', isReversal: true }])
      const [line = ''] = (await month.about('batch-bank')).filter((candidate) => candidate !== id)
      return [id, line]
    },
  },
  'Second statement of a day': {
    bank: 'batch-bank',
    reportDifference: async (month) => {
      const { batch } = month
      await batch.states([])
      await batch.put([buildDebit('1.00')], batch.closing, batch.closing - 100n)
      return [await findReport(month, 'batch-bank', 'statement')]
    },
  },
  'Return that names no payment': {
    bank: 'dollar-bank',
    reportDifference: async (month) => {
      const id = await month.pays(30_000, 'USD')
      const { text } = await month.dollar.folder.takeFile()
      const entry = text.split('\n').find((line) => line.startsWith('6')) ?? ''
      const customer = entry.slice(39, 54).trim()
      await month.dollar.states([{ code: '451', amount: 30_000n, customer, texts: ['PAYOUT'] }])
      await month.ends(id, 'COMPLETED')
      await month.dollar.states([{ code: '257', amount: 30_000n, texts: ['RETURNED ITEM'] }])
      return [id, ...(await month.about('dollar-bank'))]
    },
  },
  'Currency sold at the bank': {
    bank: 'dollar-bank',
    reportDifference: async (month) => {
      await month.dollar.states([{ code: '495', amount: 50_000n, texts: ['FX DEAL 4711'] }])
      return month.about('dollar-bank')
    },
  },
  'Account in another currency': {
    bank: 'dollar-bank',
    reportDifference: async (month) => {
      await month.dollar.statesOther({ currency: 'CAD' })
      return [await findReport(month, 'dollar-bank', 'file.other-account')]
    },
  },
  'Account of somebody else': {
    bank: 'lockbox-bank',
    reportDifference: async (month) => {
      await month.lockbox.states([])
      await month.lockbox.statesOther({ account: '99998888' })
      return [await findReport(month, 'lockbox-bank', 'file.other-account')]
    },
  },
  'Deposits booked as one sum, less a charge': {
    bank: 'lockbox-bank',
    reportDifference: async (month) => {
      const { usdReference: reference } = month.customer
      await month.lockbox.reports([
        { amount: 11_100n, reference },
        { amount: 22_200n, reference },
      ])
      await month.lockbox.states([{ code: '166', amount: 33_000n, texts: ['ACH SETTLEMENT'] }])
      const about = await month.about('lockbox-bank')
      return about.toSorted((candidate) => (candidate.startsWith('StatementEntry:') ? -1 : 1))
    },
  },
  'Deposit with another amount': {
    bank: 'wire-bank',
    reportDifference: async (month) => {
      const { wire } = month
      const id = await wire.receives(10_000)
      wire.book(month.wireDays.next(), {
        kind: 'DEPOSIT',
        depositId: wire.deposit(10_000).depositId,
        amount: '9800',
      })
      await month.statesWires()
      return [id, id, month.customer.eur.id]
    },
  },
  'Payment that the bank never booked': {
    bank: 'wire-bank',
    reportDifference: async (month) => {
      const id = await month.wires(60_000)
      await month.wire.tell(month.wire.event('payment.delivered', { id }))
      await month.ends(id, 'COMPLETED')
      month.wireDays.next()
      await month.statesWires()
      return [id]
    },
  },
  'Failed payment that the bank has booked': {
    bank: 'wire-bank',
    reportDifference: async (month) => {
      const id = await month.wires(70_000)
      const failure = { code: 'QUOTE_EXECUTION_FAILED', message: 'Refused' }
      await month.wire.tell(month.wire.event('payment.failed', { id, failure }))
      await month.ends(id, 'FAILED')
      month.wire.book(month.wireDays.next(), { kind: 'PAYMENT', id, amount: '-70000' })
      await month.statesWires()
      return [id]
    },
  },
}

const GUIDE = readFileSync(new URL('../../../../docs/operations-month.md', import.meta.url), 'utf8')
const COMMANDS = commandsByHeading(GUIDE)

/** The rows of the guide's table: heading, bank, and the reasons that the server gives. */
const ROWS = [...GUIDE.matchAll(/^\| \[(.*)\]\(#.*\) \| `(.*)` \| (.*) \|$/gm)].map(
  ([, heading = '', bank, named = '']) => ({ heading, bank, named: named.replaceAll('`', '').split(', ') }),
)

let month: Month
let operator: GuidedOperator
beforeAll(async () => {
  month = await Month.open()
  operator = await GuidedOperator.open(month.world)
})
afterAll(async () => {
  await operator.close()
  await month.close()
})

/** Lists the reasons and states of all records of a bank that wait for a person. */
async function listWaiting(bank: BankName): Promise<string[]> {
  const reasons = [
    ...(await month.differences(bank)).map(({ reason }) => reason),
    ...(await month.reports(bank)).map(({ reason }) => reason),
    ...(await month.suspense(bank)).map(({ status }) => status),
  ]
  return [...new Set(reasons)].sort()
}

/** Waits for these reasons, because jobs carry out the decisions of a command. */
async function waitForReasons(bank: BankName, named: readonly string[]): Promise<void> {
  await until(
    () => listWaiting(bank),
    (reasons) => toJson(reasons) === toJson(named),
  )
}

/** Reads the number of differences in the alert's metric, by bank. */
async function readAlerts(): Promise<Record<string, number>> {
  const text = await month.world.service.app.metrics.text(async () => true)
  const counts = new Map<string, number>()
  for (const [, rail = '', count] of text.matchAll(
    /^countersign_reconciliation_differences\{rail="([^"]*)".*\} (\d+)$/gm,
  ))
    counts.set(rail, (counts.get(rail) ?? 0) + Number(count))
  return Object.fromEntries(counts)
}

test('the guide lists every difference of the month once, with a section of commands', () => {
  expect(ROWS.map(({ heading, bank }) => [heading, bank])).toEqual(
    Object.entries(MONTH_DIFFERENCES).map(([heading, { bank }]) => [heading, bank]),
  )
  expect(ROWS.length).toBeGreaterThanOrEqual(15)
  expect(new Set(ROWS.map(({ bank }) => bank))).toEqual(new Set(BANK_NAMES))
  for (const { heading } of ROWS) expect(COMMANDS.get(heading)?.length, heading).toBeGreaterThan(0)
})

describe('a difference of the month is named by the server, and closed by the commands of the guide:', () => {
  test.each(ROWS)('$heading', async ({ heading, named }) => {
    const { bank, reportDifference, after } = MONTH_DIFFERENCES[heading]!
    const ids = await reportDifference(month)
    await waitForReasons(bank, named)
    const differenceCount = (await month.differences(bank)).length
    expect((await readAlerts())[bank]).toBe(differenceCount)
    if (bank === 'batch-bank' && differenceCount > 2)
      await operator.follows(COMMANDS.get('Every morning') ?? [], { ids: [], date: month.dateOf(bank) })
    await operator.follows(COMMANDS.get(heading) ?? [], { ids, date: month.dateOf(bank) })
    await after?.(month)
    await waitForReasons(bank, [])
  })
})

test("if two members have to approve, a token is refused, and the second member who sends the guide's request closes the difference", async () => {
  const { client } = month.world
  const [line = ''] = (await MONTH_DIFFERENCES['Debit that is not ours']?.reportDifference(month)) ?? []
  const members = [
    await newMember(client, ['VIEW', 'APPROVE'], 'Ada', { hasPasskey: true }),
    await newMember(client, ['VIEW', 'APPROVE'], 'Grace', { hasPasskey: true }),
  ]
  const text = blocksOf(GUIDE).find(({ language }) => language === 'json')?.code ?? ''
  const body = JSON.parse(text.replace('StatementEntry:…', line))
  await client.send('PATCH', '/config', { approvalsRequired: 2 })
  expectError(await client.post('/reconciliation-matches', body), { code: 'FORBIDDEN' })
  const states: unknown[] = []
  for (const { browser } of members)
    states.push(
      (await browser.post('/reconciliation-matches', body)).body.status,
      await listWaiting('euro-bank'),
    )
  await client.send('PATCH', '/config', { approvalsRequired: 1 })
  const openReasons = ['UNEXPLAINED', 'UNKNOWN_PAYMENT']
  expect(states).toEqual(['PROPOSED', openReasons, 'MATCHED', []])
  const { data } = (await client.get('/reconciliation-matches?rail=euro-bank&status=MATCHED&limit=1')).body
  await client.post(`/reconciliation-matches/${data[0].id}/undo`, { reason: 'The wrong account' })
  await waitForReasons('euro-bank', openReasons)
  await client.post('/reconciliation-matches', { ...body, reason: 'The right account' })
  await waitForReasons('euro-bank', [])
})

test('at the end of the month the alert counts no difference, and the books equal the balances of the banks', async () => {
  expect(await readAlerts()).toEqual(Object.fromEntries(BANK_NAMES.map((bank) => [bank, 0])))
  const [euros, dollars] = [
    await readSystemBalances(month.world.client, 'EUR'),
    await readSystemBalances(month.world.client, 'USD'),
  ]
  const { euro, batch, dollar, lockbox, wire, wireDays } = month
  expect(euros['rail:euro-bank']).toBe(Number(euro.closing))
  expect(euros['rail:batch-bank']).toBe(Number(batch.closing))
  expect(euros['rail:wire-bank']).toBe(Number(wire.statements.get(wireDays.last)?.closingBalance))
  expect(dollars['rail:dollar-bank']).toBe(Number(dollar.closing))
  expect(dollars['rail:lockbox-bank']).toBe(Number(lockbox.closing))
  const { findings } = (await runCommand(month.world.service.app, ['books', 'verify'], '')) as BooksReport
  expect(findings).toEqual([])
  const commands = COMMANDS.get('At the end of the month') ?? []
  expect(commands).toHaveLength(2)
  await operator.follows(commands, { ids: [], date: euro.date })
})
