import type { Write } from '../../../src/storage/commit/writes.ts'

type Row = Record<string, unknown>
type LedgerWrite = Extract<Write, { write: 'transfer' | 'end' }>

interface Account {
  readonly sign: 1n | -1n
  readonly mayOverdraw: boolean
  readonly currency: string
  posted: bigint
  held: bigint
  events: number
}

/** The contents of a database, by record id. */
export interface Contents {
  /** Rows by table and id. */
  readonly rows: Map<string, Row>
  /** The expiry time of an idempotency key, by scope and key. */
  readonly keys: Map<string, unknown>
  readonly accounts: Map<string, Account>
  readonly transfers: Map<
    string,
    { readonly debit: string; readonly credit: string; readonly amount: bigint; state: string }
  >
  /** Each event's number within its object, and the balances that it shows. */
  readonly events: Map<string, { object: string; sequence: number; available?: bigint; posted?: bigint }>
}

export const EMPTY: Contents = {
  rows: new Map(),
  keys: new Map(),
  accounts: new Map(),
  transfers: new Map(),
  events: new Map(),
}

class WriteRefused extends Error {}

/**
 * Applies the writes of a set in order, and returns the new contents. Returns undefined if a guard or a constraint refuses
 * one of them.
 */
export function applySet(contents: Contents, writes: readonly Write[]): Contents | undefined {
  const changed = structuredClone(contents)
  try {
    for (const write of writes) apply(changed, write)
    return changed
  } catch (error) {
    if (error instanceof WriteRefused) return undefined
    throw error
  }
}

function apply(contents: Contents, write: Write): void {
  const { rows, keys, accounts } = contents
  switch (write.write) {
    case 'insert':
      insertRow(rows, `${write.table} ${write.row.id}`, write.row)
      break
    case 'update':
      changeRow(rows, `${write.table} ${write.id}`, write.expect, write.set)
      break
    case 'expect':
      changeRow(rows, `${write.table} ${write.id}`, write.expect, {})
      break
    case 'remove':
      check(rows.delete(`${write.table} ${write.id}`))
      break
    case 'keep':
      storeKey(keys, write.row)
      break
    case 'event':
      addEvent(contents, write)
      break
    case 'open':
      openAccount(accounts, write)
      break
    case 'transfer':
    case 'end':
      moveMoney(contents, write)
      break
    default:
      throw new Error(`The model has no ${write.write}`)
  }
}

function check(holds: boolean): void {
  if (!holds) throw new WriteRefused()
}

/** Returns the value that must be unique within the table, if any. */
function readUniqueValue(name: string, row: Row): unknown {
  if (name.startsWith('transactions ')) return row.reference
  if (name.startsWith('member_roles ')) return row.deleted_at === null ? row.name : undefined
  return undefined
}

function insertRow(rows: Contents['rows'], name: string, row: Row): void {
  check(!rows.has(name))
  setRow(rows, name, row)
}

function setRow(rows: Contents['rows'], name: string, row: Row): void {
  const [table] = name.split(' ')
  const unique = readUniqueValue(name, row)
  for (const [otherName, otherRow] of rows)
    check(
      unique === undefined ||
        otherName === name ||
        !otherName.startsWith(`${table} `) ||
        readUniqueValue(otherName, otherRow) !== unique,
    )
  rows.set(name, row)
}

function changeRow(rows: Contents['rows'], name: string, expect: Row, set: Row): void {
  const row = rows.get(name)
  check(row !== undefined && Object.keys(expect).every((column) => row[column] === expect[column]))
  setRow(rows, name, { ...row, ...set })
}

function storeKey(
  keys: Contents['keys'],
  { scope, key, created_at: createdAt, expires_at: expiresAt }: Row,
): void {
  const name = `${scope} ${key}`
  const before = keys.get(name)
  check(before === undefined || String(before) <= String(createdAt))
  keys.set(name, expiresAt)
}

function openAccount(accounts: Contents['accounts'], write: Extract<Write, { write: 'open' }>): void {
  const { currency, mayOverdraw, normalSide } = write
  const id = write.id
  const sign = normalSide === 'credit' ? 1n : -1n
  if (!accounts.has(id)) accounts.set(id, { sign, mayOverdraw, currency, posted: 0n, held: 0n, events: 0 })
}

function addEvent({ events, accounts }: Contents, write: Extract<Write, { write: 'event' }>): void {
  const [id, object] = [write.id, write.objectId]
  const account = write.ofAccount && accounts.get(object)
  check(!write.ofAccount || account !== undefined)
  const sequence = account
    ? ++account.events
    : 1 + [...events.values()].filter((event) => event.object === object).length
  const balances = account ? { available: account.posted - account.held, posted: account.posted } : {}
  events.set(id, { object, sequence, ...balances })
}

function moveMoney(contents: Contents, write: LedgerWrite): void {
  const { transfers } = contents
  const { amount, state } = write
  const [id, debit, credit] = [write.id, write.debit, write.credit]
  const move = (account: string, by: bigint, held: bigint) => moveAccount(contents, write, account, by, held)
  if (write.write === 'transfer') {
    check(!transfers.has(id) && amount > 0n && debit !== credit)
    transfers.set(id, { debit, credit, amount, state })
    move(debit, state === 'posted' ? -amount : 0n, state === 'posted' ? 0n : amount)
  } else {
    const before = transfers.get(id)
    check(before?.state === 'pending' && before.amount === amount && before.debit === debit)
    check(state === 'voided' || before?.credit === credit)
    transfers.set(id, { debit, credit: before?.credit ?? credit, amount, state })
    move(debit, state === 'posted' ? -amount : 0n, -amount)
  }
  if (state === 'posted') move(credit, amount, 0n)
}

function moveAccount(
  { accounts }: Contents,
  { currency }: LedgerWrite,
  id: string,
  by: bigint,
  held: bigint,
): void {
  const account = accounts.get(id)
  if (account === undefined || account.currency !== currency) throw new WriteRefused()
  account.posted += by * account.sign
  account.held += held
  check(account.mayOverdraw || account.posted >= account.held)
}
