import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { ConnectorStatement, type StatementEntry } from '@countersign/contract/connectors/events'
import { runHook } from '../kit/accounts.ts'
import {
  balanceOf,
  bodyOf,
  type Context,
  eventAbout,
  hookFor,
  isRefused,
  receiverOf,
} from '../kit/context.ts'
import { type Group, holds, NotChecked } from '../kit/report.ts'

/** The statement that the first check created, for use by the others. */
const createdStatement = new WeakMap<Context, ConnectorStatement>()

export const STATEMENTS: Group<Context> = {
  name: 'Statement',
  checks: [
    { name: 'a day that is not closed is 404 STATEMENT_NOT_FOUND', run: notClosed },
    { name: 'a closed day has a statement', run: checkClosedDay },
    { name: 'opening balance and entries make the closing balance', run: sums },
    { name: 'the closing balance is the balance of GET /balance', run: isBalance },
    { name: 'each movement of this run is an entry, once, and nothing else is', run: namesAll },
    { name: 'the event has the same content as GET', run: isReported },
  ],
}

function getStatement(context: Context): ConnectorStatement {
  const statement = createdStatement.get(context)
  if (statement) return statement
  throw new NotChecked('there is no statement')
}

async function notClosed({ wire, accounts }: Context): Promise<void> {
  const path = `/statements/2999-12-31?currency=${accounts.currency}`
  const reply = await wire.call({ method: 'GET', path })
  isRefused(reply, [404], `GET ${path}`, 'STATEMENT_NOT_FOUND')
}

async function checkClosedDay(context: Context): Promise<void> {
  const answer = await runHook(hookFor(context, 'closeDay'), context.url)
  const { date = new Date().toISOString().slice(0, 10) }: { date?: string } = answer ?? {}
  const path = `/statements/${date}?currency=${context.accounts.currency}`
  const until = Date.now() + context.waitMs
  let reply = await context.wire.call({ method: 'GET', path })
  while (reply.status === 404 && Date.now() < until) {
    await sleep(100)
    reply = await context.wire.call({ method: 'GET', path })
  }
  const statement = bodyOf(reply, ConnectorStatement, `GET ${path}`)
  createdStatement.set(context, statement)
  holds(statement.date === date, `the statement of ${date} is of ${statement.date}`)
  holds(statement.currency === context.accounts.currency, `the statement is in ${statement.currency}`)
}

async function sums(context: Context): Promise<void> {
  const { openingBalance, closingBalance, entries } = getStatement(context)
  const sum = entries.reduce((total, { amount }) => total + BigInt(amount), BigInt(openingBalance))
  holds(sum === BigInt(closingBalance), `opening balance and entries make ${sum}, not ${closingBalance}`)
  const ids = new Set(entries.map(({ entryId }) => entryId))
  holds(ids.size === entries.length, 'two entries have one entryId')
}

async function isBalance(context: Context): Promise<void> {
  const { closingBalance } = getStatement(context)
  const balance = await balanceOf(context)
  holds(balance === BigInt(closingBalance), `GET /balance says ${balance}, the statement ${closingBalance}`)
}

/**
 * The entries of that statement, and of statements that the connector closed automatically during the run,
 * for example at midnight.
 */
function getEntries(context: Context): StatementEntry[] {
  const last = getStatement(context)
  const statements = new Map([[last.statementId, last]])
  for (const { event } of context.receiver?.deliveries ?? [])
    if (event.type === 'statement' && event.data.currency === last.currency && event.data.date < last.date)
      statements.set(event.data.statementId, event.data)
  return [...statements.values()].flatMap(({ entries }) => entries)
}

async function namesAll(context: Context): Promise<void> {
  const entries = getEntries(context)
  for (const [id, amounts] of context.moved) {
    const own = entries.filter(
      (one) => one.id === id || (one.kind.startsWith('DEPOSIT') && one.depositId === id),
    )
    const found = own.map(({ amount }) => BigInt(amount))
    holds(
      isDeepStrictEqual(sortAmounts(found), sortAmounts(amounts)),
      `${id} has the entries ${found.join(', ') || 'none'}, but moved ${amounts.join(', ') || 'nothing'}`,
    )
    for (const { kind, amount } of own)
      holds(
        kindsFor(id, amounts, BigInt(amount)).includes(kind),
        `the entry ${amount} of ${id} is called ${kind}`,
      )
  }
  // The statement may contain payments of earlier runs, but no unexpected payments of this run.
  const stranger = entries.find(
    ({ kind, id, depositId }) =>
      kind !== 'FEE' &&
      kind !== 'INTEREST' &&
      kind !== 'OTHER' &&
      id === undefined &&
      depositId === undefined,
  )
  holds(
    stranger === undefined,
    `the entry ${stranger?.entryId} (${stranger?.kind}) does not name what it books`,
  )
}

function kindsFor(id: string, amounts: readonly bigint[], amount: bigint): string[] {
  if (!/^(?:Transaction|Deposit):/.test(id)) return [amount < 0n ? 'DEPOSIT_REVERSAL' : 'DEPOSIT']
  const direction = amounts[0]! < 0n ? 'PAYMENT' : 'PULL'
  return [amount < 0n === amounts[0]! < 0n ? direction : `${direction}_RETURN`]
}

function sortAmounts(amounts: readonly bigint[]): bigint[] {
  return [...amounts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

async function isReported(context: Context): Promise<void> {
  receiverOf(context)
  const statement = getStatement(context)
  const { event } = await eventAbout(context, `${statement.date}/${statement.currency}`, 'statement')
  holds(isDeepStrictEqual(event.data, statement), 'the event and GET have different content')
}
