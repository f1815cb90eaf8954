import { verifyLedger } from '../../../server/src/operation/proofs/verify.ts'
import type { Database } from '../../../server/src/storage/engine/port.ts'
import type { Reply } from '../world/servers.ts'
import { type Backend, expectStatus } from './clients.ts'
import { FAILS, type Payment, Violation } from './model.ts'
import type { Bank } from './rail.ts'
import type { Receiver } from './receiver.ts'

/** Longer than any sandbox payment takes, and longer than any quote is valid. */
const SETTLED_SECONDS = 20 * 60
/** Longer than the longest backoff of webhook deliveries. */
const DELIVERED_SECONDS = 12 * 60 * 60
/** A killed server's work resumes after its claim expires. */
const CLAIMED_MS = 30_000
const SETTLE_ROUNDS_MAX = 20
const OPEN_STATUSES: ReadonlySet<string> = new Set(['PENDING', 'PROCESSING', 'CREATED'])
const OPEN_DEPOSITS: ReadonlySet<string> = new Set(['PENDING', 'RETURNING'])

/** Waits until everything has settled, and compares the result with the model. Throws Violation. */
export async function checkEnd(bank: Bank, receiver: Receiver | undefined): Promise<void> {
  const { backend, rail } = bank
  const transactions = await waitUntilSettled(bank)
  checkTransactions(bank, transactions)
  await checkBalances(bank)
  await rail.checkFinalState(bank.model)
  if (receiver) await checkDeliveries(bank, receiver)
  checkReportedEvents(bank, await checkEvents(backend))
}

/**
 * Verifies that the ledger is consistent (specification 4.12), and that no holds or due jobs remain. Throws
 * Violation.
 */
export async function checkLedger(db: Database, key: string): Promise<void> {
  const { findings } = await verifyLedger(db, key, [])
  if (findings.length > 0) throw new Violation(`The ledger is inconsistent: ${JSON.stringify(findings)}`)
  const { rows } = await db.query(
    `SELECT 'hold' AS what, id::text FROM ledger_transfers WHERE state = 'pending'
     UNION ALL SELECT kind, id::text FROM jobs WHERE due_at < now()`,
  )
  if (rows.length > 0) throw new Violation(`Unfinished work: ${JSON.stringify(rows)}`)
}

/** Advances time until nothing is open. Returns all transactions. */
async function waitUntilSettled({ backend, rail, model }: Bank): Promise<Reply['body'][]> {
  for (let round = 0; ; round++) {
    await rail.advanceTime(SETTLED_SECONDS)
    // Check the rail before and after the platform. While the platform is checked, the rail may deliver its
    // last report, or the platform may submit its last payment.
    const before = await rail.findOpenWork(model)
    const transactions = await listAll(backend, '/transactions?limit=100')
    const openWork =
      before ?? (await findPlatformOpenWork(backend, transactions)) ?? (await rail.findOpenWork(model))
    if (openWork === undefined) return transactions
    if (round === SETTLE_ROUNDS_MAX) throw new Violation(openWork)
  }
}

/**
 * Returns the work that the platform still has, or undefined if it is done. The payment of a refused deposit
 * ends before its money has been returned to the sender.
 */
async function findPlatformOpenWork(
  backend: Backend,
  transactions: readonly Reply['body'][],
): Promise<string | undefined> {
  const open = transactions.filter(({ status }) => OPEN_STATUSES.has(status))
  if (open.length > 0) return `Payments never settled: ${JSON.stringify(open)}`
  const deposits = await listAll(backend, '/deposits?limit=100')
  const undecided = deposits.filter(({ status }) => OPEN_DEPOSITS.has(status))
  return undecided.length > 0 ? `Deposits never settled: ${JSON.stringify(undecided)}` : undefined
}

function checkTransactions({ model }: Bank, transactions: readonly Reply['body'][]): void {
  const byId = new Map(transactions.map((transaction) => [transaction.id as string, transaction]))
  for (const payment of model.payments) {
    const { description, transactionId, state } = payment
    if (transactionId === undefined) continue
    const transaction = byId.get(transactionId)
    const status = transaction?.status
    if (payment.expectedOutcome.mayFail && status === 'FAILED') payment.expectedOutcome = FAILS
    payment.shortfall = BigInt(transaction?.counterpartyInformation?.shortfall ?? 0)
    const isExpected =
      state === 'unused' || state === 'refused'
        ? status === 'EXPIRED' || status === 'FAILED' || status === undefined
        : status === payment.expectedOutcome.status && payment.shortfall <= payment.received
    if (!isExpected)
      throw new Violation(
        `${description} (${transactionId}, ${state}) ended as ${JSON.stringify(transaction)}`,
      )
  }
  const known = new Set(model.payments.map(({ transactionId }) => transactionId))
  const unknown = transactions.filter(({ id, type }) => !known.has(id) && type !== 'INCOMING')
  if (unknown.length > 0)
    throw new Violation(`Transactions that no request created: ${JSON.stringify(unknown)}`)
}

async function checkBalances({ backend, model }: Bank): Promise<void> {
  for (const { id, customerId } of model.accounts.values()) {
    const accounts = expectStatus(
      await backend.get(`/customers/internal-accounts?customerId=${customerId}`),
      200,
    ).data
    const reported = accounts.find((account: { id: string }) => account.id === id)
    const [available, total] = [BigInt(reported.balance.amount), BigInt(reported.totalBalance.amount)]
    const expected = model.finalBalance(id)
    if (available !== expected || total !== expected) {
      const involved = model.payments.filter(({ from, to }) => from === id || to === id).map(describePayment)
      throw new Violation(
        `${id} has ${available} of ${total}, but should have ${expected}:\n${involved.join('\n')}`,
      )
    }
  }
}

/** Checks that the events of each object are numbered without gaps. Returns the feed. */
async function checkEvents(backend: Backend): Promise<Reply['body'][]> {
  const feed = (await listAll(backend, '/events?limit=100')).filter(({ type }) => type !== 'TEST')
  const last = new Map<string, number>()
  for (const { id, objectId, sequence } of feed) {
    if (sequence !== (last.get(objectId) ?? 0) + 1)
      throw new Violation(`Event ${id} of ${objectId} is number ${sequence}, after ${last.get(objectId)}`)
    last.set(objectId, sequence)
  }
  return feed
}

/** Checks that every event was delivered, and that each object's events arrived in order. */
async function checkDeliveries({ backend, rail }: Bank, receiver: Receiver): Promise<void> {
  for (let round = 0; ; round++) {
    const missing = (await checkEvents(backend)).filter(({ id }) => !receiver.first.has(id))
    if (missing.length === 0) break
    if (round === SETTLE_ROUNDS_MAX)
      throw new Violation(`Undelivered events: ${missing.map(({ id, type }) => `${id} ${type}`).join(', ')}`)
    await rail.advanceTime(DELIVERED_SECONDS)
    await backend.machine.pause(CLAIMED_MS)
  }
  const lastDelivered = new Map<string, number>()
  for (const { id, objectId, sequence } of receiver.first.values()) {
    if (sequence < (lastDelivered.get(objectId) ?? 0))
      throw new Violation(`Event ${id} of ${objectId} was delivered after a later event`)
    lastDelivered.set(objectId, sequence)
  }
}

/**
 * Checks that exactly one event reports the end of each payment, and that each account's last event shows its
 * balance.
 */
function checkReportedEvents({ model }: Bank, feed: readonly Reply['body'][]): void {
  for (const { description, state, transactionId, expectedOutcome } of model.payments) {
    if (state !== 'acknowledged' || transactionId === undefined) continue
    const isCompleted = expectedOutcome.status === 'COMPLETED'
    const finalEvents = feed.filter(
      ({ objectId, type }) => objectId === transactionId && /\.(COMPLETED|FAILED)$/.test(type),
    )
    const isExpected = finalEvents.length === 1 || (finalEvents.length === 2 && !isCompleted)
    if (!isExpected || !finalEvents.at(-1)!.type.endsWith(isCompleted ? '.COMPLETED' : '.FAILED'))
      throw new Violation(
        `${description}: its final events are ${JSON.stringify(finalEvents.map(({ type }) => type))}`,
      )
  }
  for (const { id } of model.accounts.values()) {
    const lastBalanceEvent = feed
      .filter(({ objectId, type }) => objectId === id && type.endsWith('BALANCE_UPDATED'))
      .at(-1)
    const amount = lastBalanceEvent && BigInt(lastBalanceEvent.data.balance.amount)
    if (amount !== model.finalBalance(id))
      throw new Violation(`The last event of ${id} shows ${amount}, not ${model.finalBalance(id)}`)
  }
}

async function listAll(backend: Backend, path: string): Promise<Reply['body'][]> {
  const found: Reply['body'][] = []
  for (let cursor = ''; ; ) {
    const body = expectStatus(
      await backend.get(`${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`),
      200,
    )
    found.push(...body.data)
    if (!body.hasMore) return found
    cursor = body.nextCursor
  }
}

function describePayment({
  description,
  state,
  expectedOutcome,
  sent,
  received,
  transactionId,
}: Payment): string {
  return `  ${description}: ${state}, ${expectedOutcome.status}, ${sent} > ${received}, ${transactionId}`
}
