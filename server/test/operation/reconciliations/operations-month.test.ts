import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { Verified } from '../../../src/operation/proofs/verify.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  BANK_NAMES,
  type BankName,
  blocksOf,
  commandsByHeading,
  GuidedOperator,
  Month,
} from '../../worlds/production/month.testing.ts'
import { MONTH_DIFFERENCES } from '../../worlds/production/month-banks.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { booksOf } from '../../worlds/records/payments.testing.ts'

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

/** Everything that waits for a person at a bank, as the server calls it. */
async function waiting(bank: BankName): Promise<string[]> {
  const found = [
    ...(await month.differences(bank)).map(({ reason }) => reason),
    ...(await month.reports(bank)).map(({ reason }) => reason),
    ...(await month.suspense(bank)).map(({ status }) => status),
  ]
  return [...new Set(found)].sort()
}

/** The differences that the alert counts, of each bank. */
async function alerts(): Promise<Record<string, number>> {
  const text = await month.world.service.app.metrics.text(async () => true)
  const counted = new Map<string, number>()
  for (const [, rail = '', count] of text.matchAll(
    /^countersign_reconciliation_differences\{rail="([^"]*)".*\} (\d+)$/gm,
  ))
    counted.set(rail, (counted.get(rail) ?? 0) + Number(count))
  return Object.fromEntries(counted)
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
    const { bank, happens, after } = MONTH_DIFFERENCES[heading]!
    const ids = await happens(month)
    expect(await waiting(bank)).toEqual(named)
    const differs = (await month.differences(bank)).length
    expect((await alerts())[bank]).toBe(differs)
    if (bank === 'batch-bank' && differs > 2)
      await operator.follows(COMMANDS.get('Every morning') ?? [], { ids: [], date: month.dateOf(bank) })
    await operator.follows(COMMANDS.get(heading) ?? [], { ids, date: month.dateOf(bank) })
    await after?.(month)
    expect(await waiting(bank)).toEqual([])
  })
})

test('with four eyes a command is refused, and the second member who sends the body of the guide closes the difference, until the match is undone', async () => {
  const { client } = month.world
  const [line = ''] = (await MONTH_DIFFERENCES['Debit that is not ours']?.happens(month)) ?? []
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
    states.push((await browser.post('/reconciliation-matches', body)).body.status, await waiting('euro-bank'))
  await client.send('PATCH', '/config', { approvalsRequired: 1 })
  const open = ['UNEXPLAINED', 'UNKNOWN_PAYMENT']
  expect(states).toEqual(['PROPOSED', open, 'MATCHED', []])
  const { data } = (await client.get('/reconciliation-matches?rail=euro-bank&status=MATCHED&limit=1')).body
  await client.post(`/reconciliation-matches/${data[0].id}/undo`, { reason: 'The wrong account' })
  expect(await waiting('euro-bank')).toEqual(open)
  await client.post('/reconciliation-matches', { ...body, reason: 'The right account' })
  expect(await waiting('euro-bank')).toEqual([])
})

test('at the end of the month the alert is quiet, and the books have what the banks have', async () => {
  expect(await alerts()).toEqual(Object.fromEntries(BANK_NAMES.map((bank) => [bank, 0])))
  const [euros, dollars] = [
    await booksOf(month.world.client, 'EUR'),
    await booksOf(month.world.client, 'USD'),
  ]
  const { euro, batch, dollar, lockbox, wire, wireDays } = month
  expect(euros['rail:euro-bank']).toBe(Number(euro.closing))
  expect(euros['rail:batch-bank']).toBe(Number(batch.closing))
  expect(euros['rail:wire-bank']).toBe(Number(wire.statements.get(wireDays.last)?.closingBalance))
  expect(dollars['rail:dollar-bank']).toBe(Number(dollar.closing))
  expect(dollars['rail:lockbox-bank']).toBe(Number(lockbox.closing))
  const { findings } = (await runCommand(month.world.service.app, ['books', 'verify'], '')) as Verified
  expect(findings).toEqual([])
  const commands = COMMANDS.get('At the end of the month') ?? []
  expect(commands).toHaveLength(2)
  await operator.follows(commands, { ids: [], date: euro.date })
})
