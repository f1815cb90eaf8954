import {
  STATEMENT_LINES_MAX,
  type StatementLineKind,
  type statement_get,
} from '@countersign/contract/books/statements'
import { toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { QueryOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { findBalancesAt } from './balances.ts'
import { findHolds, findMovements, type HoldRow, type MovementRow } from './movements.ts'
import { type AccountMovement, findOrigin, type Origin } from './origins.ts'
import { findOwnerName } from './parties.ts'
import { shiftTime } from './shift-time.ts'

/** A line of a statement. Amounts are in the smallest unit of the account's currency. */
export interface Line {
  readonly at: Date
  readonly kind: StatementLineKind
  readonly amount: bigint
  /** The balance after the movement. */
  readonly balance: bigint
  readonly transferId: string
  readonly cause: { readonly type: string; readonly id: string }
  readonly origin: Origin
}

/** An amount held at the end of the period. */
export interface Hold extends Pick<Line, 'transferId' | 'cause' | 'origin'> {
  readonly since: Date
  readonly amount: bigint
}

export interface Statement {
  readonly account: InternalAccountRow
  readonly ownerName: string
  readonly from: Date
  readonly to: Date
  readonly createdAt: Date
  readonly opening: bigint
  readonly closing: bigint
  readonly credits: bigint
  readonly debits: bigint
  readonly fees: bigint
  readonly lines: readonly Line[]
  readonly held: bigint
  readonly holds: readonly Hold[]
}

type StatementQuery = QueryOf<typeof statement_get>

/**
 * The statement of an internal account: the postings in [from, to), each with the balance after it. Throws
 * 404 `ACCOUNT_NOT_FOUND`, 400 `INVALID_INPUT` if the period ends before it begins, `PERIOD_TOO_LONG`.
 */
export async function makeStatement(op: Op, query: StatementQuery): Promise<Statement> {
  const account = await findInternalAccount(op, query.accountId)
  const from = query.from === undefined ? account.created_at : new Date(query.from)
  // Includes movements in the current millisecond.
  const to = query.to === undefined ? shiftTime(op.now, 1) : new Date(query.to)
  if (to < from) throw createFieldError('INVALID_INPUT', 'to', 'to must not be before from')
  const rows = await findMovements(op, account.id, from, to, STATEMENT_LINES_MAX + 1)
  const [balancesBefore, balancesAfter] = await Promise.all([
    findBalancesAt(op, [account.id], from),
    findBalancesAt(op, [account.id], to),
  ])
  const opening = balancesBefore.get(account.id)?.posted ?? 0n
  const held = balancesAfter.get(account.id)?.held ?? 0n
  const holds = await findHolds(op, account.id, to, held)
  const lines = await toLines(op, account.id, opening, rows)
  const firstExcess = lines[STATEMENT_LINES_MAX]
  if (firstExcess) throw createPeriodTooLongError(firstExcess.at, from)
  const sum = (part: readonly Line[]) => part.reduce((total, { amount }) => total + amount, 0n)
  return {
    account,
    ownerName: await findOwnerName(op, account.customer_id),
    from,
    to,
    createdAt: op.now,
    opening,
    closing: opening + sum(lines),
    credits: sum(lines.filter(({ amount }) => amount > 0n)),
    debits: -sum(lines.filter(({ amount }) => amount < 0n)),
    fees: -sum(lines.filter(({ kind }) => kind === 'FEE' || kind === 'FEE_REFUND')),
    lines,
    held,
    holds: await Promise.all(holds.map((row) => toHold(op, account.id, row))),
  }
}

/**
 * Converts movements to lines. A movement that contains a fee becomes two lines. Details are looked up in
 * batches.
 */
async function toLines(
  op: Op,
  accountId: string,
  opening: bigint,
  rows: readonly MovementRow[],
): Promise<readonly Line[]> {
  const lines: Line[] = []
  let balance = opening
  for (let at = 0; at < rows.length; at += BATCH_ROWS) {
    const batch = rows.slice(at, at + BATCH_ROWS)
    const moves = await Promise.all(
      batch.map(async (row) => ({ row, origin: await findOrigin(op, toMoved(accountId, row, row.change)) })),
    )
    for (const { row, origin } of moves) {
      for (const { kind, amount } of splitFee(row.change, origin)) {
        balance += amount
        const { id: transferId, ended_at } = row
        lines.push({ at: ended_at, kind, amount, balance, transferId, cause: toCause(row), origin })
      }
    }
  }
  return lines
}

const BATCH_ROWS = 500

/** Splits a movement into the payment and its fee. */
function splitFee(change: bigint, { kind, fee }: Origin): Pick<Line, 'kind' | 'amount'>[] {
  if (fee === 0n) return [{ kind, amount: change }]
  const signed = change < 0n ? -fee : fee
  const parts: Pick<Line, 'kind' | 'amount'>[] = [
    { kind, amount: change - signed },
    { kind: change < 0n ? 'FEE' : 'FEE_REFUND', amount: signed },
  ]
  return parts.filter(({ amount }) => amount !== 0n)
}

async function toHold(op: Op, accountId: string, row: HoldRow): Promise<Hold> {
  return {
    since: row.created_at,
    amount: row.amount,
    transferId: row.id,
    cause: toCause(row),
    origin: await findOrigin(op, toMoved(accountId, row, -row.amount)),
  }
}

function toMoved(
  accountId: string,
  { cause, cause_id }: Pick<HoldRow, 'cause' | 'cause_id'>,
  change: bigint,
): AccountMovement {
  return { accountId, change, cause, causeId: cause_id }
}

function toCause({ cause, cause_id }: Pick<HoldRow, 'cause' | 'cause_id'>): Line['cause'] {
  return { type: cause, id: cause_id }
}

/** The error for a statement with too many lines. It states the latest `to` that fits, if any. */
function createPeriodTooLongError(until: Date, from: Date): ApiError {
  return new ApiError('PERIOD_TOO_LONG', {
    details: present({
      field: 'to',
      linesMax: STATEMENT_LINES_MAX,
      until: until > from ? until.toISOString() : undefined,
    }),
  })
}

/** A statement in its API form. */
export function toStatementView(statement: Statement) {
  const { account } = statement
  return {
    account: {
      id: account.id,
      type: account.type,
      owner: account.customer_id ?? account.platform_id,
      ownerName: statement.ownerName,
      currency: toCurrencyRecord(account.currency),
    },
    from: statement.from.toISOString(),
    to: statement.to.toISOString(),
    createdAt: statement.createdAt.toISOString(),
    openingBalance: statement.opening,
    closingBalance: statement.closing,
    credits: statement.credits,
    debits: statement.debits,
    fees: statement.fees,
    lines: statement.lines.map((line) => ({
      at: line.at.toISOString(),
      kind: line.kind,
      amount: line.amount,
      balance: line.balance,
      ...toOriginView(line),
    })),
    heldBalance: statement.held,
    holds: statement.holds.map((hold) => ({
      since: hold.since.toISOString(),
      amount: hold.amount,
      ...toOriginView(hold),
    })),
  }
}

function toOriginView({ transferId, cause, origin }: Pick<Line, 'transferId' | 'cause' | 'origin'>) {
  const { transactionId, counterparty, reference, description } = origin
  return { transferId, cause, ...present({ transactionId, counterparty, reference, description }) }
}
