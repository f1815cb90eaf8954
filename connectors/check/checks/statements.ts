import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { ConnectorStatement, type StatementEntry } from '@countersign/contract/connectors/events'
import { runHook } from '../kit/accounts.ts'
import {
  type Context,
  expectBody,
  expectRefusal,
  fetchBalance,
  getHook,
  getReceiver,
  waitForEvent,
} from '../kit/context.ts'
import { assert, CheckSkipped, type Group } from '../kit/report.ts'

/** The statement that the first check created, for use by the others. */
const createdStatement = new WeakMap<Context, ConnectorStatement>()

export const STATEMENTS: Group<Context> = {
  name: 'Statement',
  checks: [
    { name: 'a day that is not closed returns 404 STATEMENT_NOT_FOUND', run: checkOpenDay },
    { name: 'a closed day has a statement', run: checkClosedDay },
    { name: 'the opening balance and the entries add up to the closing balance', run: checkSums },
    { name: 'the closing balance equals the balance that GET /balance returns', run: checkClosingBalance },
    {
      name: 'every movement of this run has exactly one entry, and there are no other entries',
      run: checkEntries,
    },
    { name: 'the event has the same content as GET', run: checkEvent },
  ],
}

function getStatement(context: Context): ConnectorStatement {
  const statement = createdStatement.get(context)
  if (statement) return statement
  throw new CheckSkipped('no statement was created')
}

async function checkOpenDay({ wire, accounts }: Context): Promise<void> {
  const path = `/statements/2999-12-31?currency=${accounts.currency}`
  const reply = await wire.call({ method: 'GET', path })
  expectRefusal(reply, [404], `GET ${path}`, 'STATEMENT_NOT_FOUND')
}

async function checkClosedDay(context: Context): Promise<void> {
  const hookResult = await runHook(getHook(context, 'closeDay'), context.url)
  const { date = new Date().toISOString().slice(0, 10) }: { date?: string } = hookResult ?? {}
  const path = `/statements/${date}?currency=${context.accounts.currency}`
  const deadline = Date.now() + context.waitMs
  let reply = await context.wire.call({ method: 'GET', path })
  while (reply.status === 404 && Date.now() < deadline) {
    await sleep(100)
    reply = await context.wire.call({ method: 'GET', path })
  }
  const statement = expectBody(reply, ConnectorStatement, `GET ${path}`)
  createdStatement.set(context, statement)
  assert(statement.date === date, `the statement of ${date} has the date ${statement.date}`)
  assert(statement.currency === context.accounts.currency, `the statement is in ${statement.currency}`)
}

async function checkSums(context: Context): Promise<void> {
  const { openingBalance, closingBalance, entries } = getStatement(context)
  const sum = entries.reduce((total, { amount }) => total + BigInt(amount), BigInt(openingBalance))
  assert(
    sum === BigInt(closingBalance),
    `the opening balance and the entries add up to ${sum}, not ${closingBalance}`,
  )
  const ids = new Set(entries.map(({ entryId }) => entryId))
  assert(ids.size === entries.length, 'two entries have the same entryId')
}

async function checkClosingBalance(context: Context): Promise<void> {
  const { closingBalance } = getStatement(context)
  const balance = await fetchBalance(context)
  assert(
    balance === BigInt(closingBalance),
    `GET /balance returns ${balance}, but the statement has ${closingBalance}`,
  )
}

/**
 * Returns the entries of the created statement, and of statements that the connector closed automatically
 * during the run, for example at midnight.
 */
function getEntries(context: Context): StatementEntry[] {
  const last = getStatement(context)
  const statements = new Map([[last.statementId, last]])
  for (const { event } of context.receiver?.deliveries ?? [])
    if (event.type === 'statement' && event.data.currency === last.currency && event.data.date < last.date)
      statements.set(event.data.statementId, event.data)
  return [...statements.values()].flatMap(({ entries }) => entries)
}

async function checkEntries(context: Context): Promise<void> {
  const entries = getEntries(context)
  for (const [id, amounts] of context.movements) {
    const matching = entries.filter(
      (entry) => entry.id === id || (entry.kind.startsWith('DEPOSIT') && entry.depositId === id),
    )
    const bookedAmounts = matching.map(({ amount }) => BigInt(amount))
    assert(
      isDeepStrictEqual(sortAmounts(bookedAmounts), sortAmounts(amounts)),
      `${id} has the entries ${bookedAmounts.join(', ') || 'none'}, but moved ${amounts.join(', ') || 'nothing'}`,
    )
    for (const { kind, amount } of matching)
      assert(
        listAllowedKinds(id, amounts, BigInt(amount)).includes(kind),
        `the entry ${amount} of ${id} has the kind ${kind}`,
      )
  }
  // The statement may contain payments of earlier runs, but no unexpected payments of this run.
  const unidentified = entries.find(
    ({ kind, id, depositId }) =>
      kind !== 'FEE' &&
      kind !== 'INTEREST' &&
      kind !== 'OTHER' &&
      id === undefined &&
      depositId === undefined,
  )
  assert(
    unidentified === undefined,
    `the entry ${unidentified?.entryId} (${unidentified?.kind}) does not name its payment or deposit`,
  )
}

function listAllowedKinds(id: string, amounts: readonly bigint[], amount: bigint): string[] {
  if (!/^(?:Transaction|Deposit):/.test(id)) return [amount < 0n ? 'DEPOSIT_REVERSAL' : 'DEPOSIT']
  const direction = amounts[0]! < 0n ? 'PAYMENT' : 'PULL'
  return [amount < 0n === amounts[0]! < 0n ? direction : `${direction}_RETURN`]
}

function sortAmounts(amounts: readonly bigint[]): bigint[] {
  return [...amounts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

async function checkEvent(context: Context): Promise<void> {
  getReceiver(context)
  const statement = getStatement(context)
  const { event } = await waitForEvent(context, `${statement.date}/${statement.currency}`, 'statement')
  assert(isDeepStrictEqual(event.data, statement), 'the event and GET have different content')
}
