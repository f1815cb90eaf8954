import type { IdKind, InternalIdKind } from '@countersign/contract/core/ids'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { insert, keep, type Write, withValues } from '../../../src/storage/commit/writes.ts'
import type { SharedServer } from '../server.testing.ts'
import { railPayment, testId } from './payments.testing.ts'

export const now = new Date('2026-03-01T12:00:00.000Z')

/**
 * A platform with records on which write sets can conflict. All its ids and strings contain its name, which
 * is eight hex digits.
 */
export interface World {
  readonly name: string
  readonly platformId: string
}

export const ACCOUNTS = ['a', 'b', 'c'] as const
/** The number of records of each kind on which sets can conflict. */
export const RECORDS = 30
export const SYSTEM = 'system'
/** The amount held by each pending transfer. */
export const HELD = 20n
export const ids = {
  account: (world: World, account: string) => buildWorldId(world, 'InternalAccount', account),
  transfer: (world: World, n: number | string) => buildWorldId(world, 'LedgerTransfer', n),
  job: (world: World, n: number | string) => buildWorldId(world, 'Job', n),
  transaction: (world: World, n: number | string) => buildWorldId(world, 'Transaction', n),
  event: (world: World, n: number | string) => buildWorldId(world, 'Event', n),
  railPayment: (world: World, n: number | string) => buildWorldId(world, 'RailPayment', n),
  role: (world: World, n: number | string) => buildWorldId(world, 'MemberRole', n),
  railEvent: (world: World, n: number | string) => buildWorldId(world, 'RailEvent', n),
  owner: (world: World) => buildWorldId(world, 'Customer', 'owner'),
}

/** Builds an id that begins with the world's name. Its remainder is the same in all worlds. */
function buildWorldId({ name }: World, kind: IdKind | InternalIdKind, n: number | string): string {
  return testId(kind, n).replace(/:.{8}-/, `:${name}-`)
}

/** Returns the id of the event that carries a set's number. */
export const setId = (world: World, n: number) => ids.event(world, `set-${n}`)

/** Returns the account on which a hold is placed. */
export const holder = (n: number) => ACCOUNTS[n % ACCOUNTS.length]!

export async function newWorld(host: SharedServer, name: string): Promise<World> {
  const { platform } = await host.newOp()
  return { name, platformId: platform.id }
}

/** Builds the write set that creates the records of a world. */
export function firstSet(world: World): Write[] {
  const open = (account: string, mayOverdraw: boolean): Write => ({
    write: 'open',
    id: ids.account(world, account),
    platformId: world.platformId,
    owner: ids.owner(world),
    name: null,
    currency: 'USD',
    normalSide: mayOverdraw ? 'debit' : 'credit',
    mayOverdraw,
  })
  return [
    ...ACCOUNTS.map((account) => open(account, false)),
    open(SYSTEM, true),
    ...ACCOUNTS.map((to) => transfer(world, `first-${to}`, SYSTEM, to, 400n)),
    ...Array.from({ length: RECORDS }, (_, n): Write[] => [
      transfer(world, n, holder(n), SYSTEM, HELD, 'pending'),
      newJob(world, n),
      newTransaction(world, n, `old-${n}`),
      newRailPayment(world, n),
      newRole(world, n, `role ${n}`),
    ]).flat(),
    newKey(world, 0, 3600),
    newKey(world, 1, -3600),
  ]
}

export function newJob(world: World, n: number | string): Write {
  const row = insert('jobs', {
    id: ids.job(world, n),
    platform_id: world.platformId,
    kind: 'quote.expire',
    payload: { quoteId: String(n) },
    // Far in the future, so that no other process claims it during the test.
    due_at: addSeconds(now, 3e9),
    attempts: 0,
    claimed_until: null,
    last_error: null,
    created_at: now,
  })
  // Written like a job that starts immediately.
  return withValues(row, { attempts: 1, claimed_until: now })
}

export function newTransaction(world: World, n: number | string, reference: string): Write {
  return insert('transactions', {
    id: ids.transaction(world, n),
    platform_id: world.platformId,
    customer_id: null,
    kind: 'TRANSFER_OUT',
    type: 'INCOMING',
    direction: 'DEBIT',
    state: 'PENDING',
    source_account_id: null,
    destination_account_id: null,
    source_identifier: null,
    destination_identifier: null,
    sent_amount: 9_007_199_254_740_993n,
    sent_currency: 'USD',
    received_amount: null,
    received_currency: null,
    fees: null,
    quote_id: null,
    hold_id: null,
    payment_rail: null,
    remittance_information: `"quoted" \\ ${reference}`,
    description: null,
    reference,
    failure_reason: null,
    refund: null,
    details: { fundedAmount: 9_007_199_254_740_993n },
    receipt_delivery_confirmed_at: null,
    agent_id: null,
    settled_at: null,
    created_at: now,
    updated_at: now,
  })
}

export function newRole(world: World, n: number | string, name: string): Write {
  return insert('member_roles', {
    id: ids.role(world, n),
    platform_id: world.platformId,
    name,
    permissions: [],
    version: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  })
}

export function newRailPayment(world: World, n: number | string): Write {
  const [id, paymentId] = [ids.railPayment(world, n), ids.transaction(world, n)]
  return insert('rail_payments', railPayment(world.platformId, id, paymentId, now))
}

export function newKey(world: World, n: number, expiresInSeconds: number): Write {
  return keep({
    scope: `${world.name} scope`,
    key: `key-${n}`,
    platform_id: world.platformId,
    request_hash: new Uint8Array([n, 255]),
    status: 200,
    body: `{"text": "\\"${n}\\" 😀"}`,
    created_at: now,
    expires_at: addSeconds(now, expiresInSeconds),
  })
}

export function sides(world: World, from: string, to: string, moved: bigint) {
  return {
    platformId: world.platformId,
    debit: ids.account(world, from),
    credit: ids.account(world, to),
    currency: 'USD',
    amount: moved,
    at: now,
  }
}

export function transfer(
  world: World,
  n: number | string,
  from: string,
  to: string,
  moved: bigint,
  state: 'pending' | 'posted' = 'posted',
): Write {
  const id = ids.transfer(world, n)
  return {
    ...sides(world, from, to, moved),
    write: 'transfer',
    id,
    state,
    cause: 'test',
    causeId: ids.owner(world),
  }
}

export function event(world: World, fresh: string, objectId: string, ofAccount = false): Write {
  return {
    write: 'event',
    id: ids.event(world, fresh),
    platformId: world.platformId,
    type: 'INTERNAL_ACCOUNT.BALANCE_UPDATED',
    objectId,
    data: '{"balance":{"amount":0},"totalBalance":{"amount":0},"exact":9007199254740993}',
    ...(ofAccount ? { ofAccount } : {}),
    at: now,
  }
}

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
