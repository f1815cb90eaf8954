import { randomInt } from 'node:crypto'
import { beforeAll, expect, test, vi } from 'vitest'
import { openDatabase } from '../src/db/open.ts'
import type { Database } from '../src/db/port.ts'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  type Reply,
  type SignedIn,
  signIn,
} from './client.testing.ts'
import {
  ensureServerBuilt,
  newPlace,
  type Place,
  PROCESS_TEST_MS,
  ServerProcess,
} from './server-process.testing.ts'

vi.setConfig({ testTimeout: PROCESS_TEST_MS })
beforeAll(ensureServerBuilt)

const ROUNDS = 2
const CLIENTS = 20
const QUOTES_PER_ROUND = 40
const AMOUNT = 1_000_000
const FUNDS = 1_000 * AMOUNT

/** Something that was sent, under a key of its own, and its answer if one came. */
interface Attempt {
  readonly kind: 'customer' | 'payment'
  readonly path: string
  readonly body: unknown
  readonly headers: Record<string, string>
  readonly transactionId?: string
  readonly quoteId?: string
  answer?: Reply
}

interface Payer {
  readonly id: string
  readonly wallet: string
  readonly usd: string
  readonly bank: string
  readonly session: SignedIn
}

test('kill -9 at any moment loses nothing that was acknowledged, and a retry does nothing twice', async () => {
  const place = await newPlace()
  let server = await ServerProcess.ready(place)
  const payer = await newPayer(server.client())
  const attempts: Attempt[] = []
  let unsettled = 0

  for (let round = 1; round <= ROUNDS; round++) {
    const sent = await killUnderLoad(server, payer, attempts.length)
    attempts.push(...sent)
    unsettled += await atRest(place, countUnsettled)

    server = await ServerProcess.ready(place)
    const client = server.client()
    for (const attempt of sent) await retry(client, attempt)
    await settled(client, attempts)
    await expectOnce(client, payer, attempts)
  }

  // Whatever the moments were, some payments were executed and not yet settled.
  expect(unsettled).toBeGreaterThan(0)
  const balances = await accountBalances(server.client())
  expect((await server.kill('SIGTERM')).code).toBe(0)
  await atRest(place, (db) => expectSoundBooks(db, balances, attempts))
})

async function newPayer(client: Client): Promise<Payer> {
  const ada = await newCustomer(client)
  const bank = await newBankAccount(client, ada.id)
  await fund(client, ada.wallet, FUNDS)
  await fund(client, ada.usd, FUNDS)
  return { ...ada, bank, session: await signIn(client, ada.wallet) }
}

/**
 * Twenty clients execute quotes, from a wallet with a signature and from a fiat account without, and create customers,
 * until the server is killed in the middle. Gives what was sent.
 */
async function killUnderLoad(server: ServerProcess, payer: Payer, already: number): Promise<Attempt[]> {
  const client = server.client()
  const payments = await Promise.all(
    Array.from({ length: QUOTES_PER_ROUND }, (_, n) => preparePayment(client, payer, already + n)),
  )
  const sent: Attempt[] = []
  const acknowledgementsBeforeKill = randomInt(5, 2 * QUOTES_PER_ROUND)
  let acknowledgements = 0
  const next = (): Attempt => {
    const n = already + sent.length
    const attempt = (n % 2 === 0 ? payments.pop() : undefined) ?? prepareCustomer(n)
    sent.push(attempt)
    return attempt
  }
  const loop = async (): Promise<never> => {
    for (;;) {
      const attempt = next()
      attempt.answer = await client.post(attempt.path, attempt.body, attempt.headers)
      if (++acknowledgements === acknowledgementsBeforeKill) server.signal('SIGKILL')
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: CLIENTS }, loop))
  for (const end of ends) expect(String((end as PromiseRejectedResult).reason)).toMatch(/TypeError/)
  expect((await server.ended()).signal).toBe('SIGKILL')
  return sent
}

async function preparePayment(client: Client, payer: Payer, n: number): Promise<Attempt> {
  const isSigned = n % 2 === 0
  const quote = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: isSigned ? payer.wallet : payer.usd },
    destination: { destinationType: 'ACCOUNT', accountId: payer.bank },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: AMOUNT,
  })
  expect(quote.status).toBe(201)
  const payload = quote.body.paymentInstructions?.[0]?.accountOrWalletInfo?.payloadToSign
  return {
    kind: 'payment',
    path: `/quotes/${quote.body.id}/execute`,
    body: undefined,
    headers: {
      'Idempotency-Key': `payment ${quote.body.id}`,
      ...(isSigned ? { 'Svc-Wallet-Signature': payer.session.stamp(payload) } : {}),
    },
    quoteId: quote.body.id,
    transactionId: quote.body.transactionId,
  }
}

function prepareCustomer(n: number): Attempt {
  const email = `restart${n}@example.com`
  return {
    kind: 'customer',
    path: '/customers',
    body: { customerType: 'INDIVIDUAL', fullName: `Customer ${n}`, email },
    headers: { 'Idempotency-Key': `customer ${n}` },
  }
}

/** Sends it again, as a client does that does not know what became of it. */
async function retry(client: Client, attempt: Attempt): Promise<void> {
  const status = attempt.kind === 'customer' ? 201 : 200
  const again = await client.post(attempt.path, attempt.body, attempt.headers)
  expect([again.status, again.body]).toEqual([status, attempt.answer?.body ?? again.body])
  if (!attempt.answer) return
  expect(attempt.answer.status).toBe(status)
  expect(again.headers.get('Idempotency-Replayed')).toBe('true')
}

/**
 * Waits until the due work of the killed process is done. One piece may be claimed by that process for some seconds
 * more; `advance` does not wait for it.
 */
async function settled(client: Client, attempts: readonly Attempt[]): Promise<void> {
  const ids = attempts.flatMap(({ transactionId }) => transactionId ?? [])
  for (;;) {
    const states = await Promise.all(ids.map((id) => client.get(`/transactions/${id}`)))
    if (states.filter(({ body }) => body.status !== 'COMPLETED').length <= 1) return client.advance(0)
  }
}

/** Each customer and each payment is there once, and the accounts have paid for these alone. */
async function expectOnce(client: Client, payer: Payer, attempts: readonly Attempt[]): Promise<void> {
  const customers = await listAll(client, '/customers?limit=100')
  const expected = attempts.filter(({ kind }) => kind === 'customer').map(({ body }) => emailOf(body))
  const found = customers.filter(({ id }) => id !== payer.id).map(emailOf)
  expect(found.sort()).toEqual(expected.sort())

  const paid = attempts.flatMap(({ transactionId }) => transactionId ?? [])
  const completed = await listAll(client, '/transactions?limit=100&status=COMPLETED')
  expect(completed.map(({ id }) => id).sort()).toEqual(paid.sort())
  const balances = await accountBalances(client)
  const left = [payer.wallet, payer.usd].map((id) => balances.get(id)!)
  expect(left.every(({ available, total }) => available === total)).toBe(true)
  expect(left.reduce((sum, { total }) => sum + total, 0)).toBe(2 * FUNDS - paid.length * AMOUNT)
}

function emailOf(customer: unknown): string {
  return (customer as { email: string }).email
}

async function listAll(client: Client, path: string): Promise<Reply['body'][]> {
  const items: Reply['body'][] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await client.get(cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path)
    expect(status).toBe(200)
    items.push(...body.data)
    if (!body.hasMore) return items
    cursor = body.nextCursor
  }
}

type Balances = ReadonlyMap<string, { available: number; total: number }>

async function accountBalances(client: Client): Promise<Balances> {
  const accounts = await listAll(client, '/customers/internal-accounts?limit=100')
  return new Map(
    accounts.map(({ id, balance, totalBalance }) => [
      id,
      { available: balance.amount, total: totalBalance.amount },
    ]),
  )
}

/** Reads the database while no server has it open. */
async function atRest<T>(place: Place, read: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(place)
  try {
    return await read(db)
  } finally {
    await db.close()
  }
}

async function countUnsettled(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>(
    `SELECT count(*) FROM transactions WHERE state = 'PROCESSING'`,
  )
  return Number(rows[0]!.count)
}

/** The ledger adds up, says what the API said, and knows of each payment once. */
async function expectSoundBooks(
  db: Database,
  balances: Balances,
  attempts: readonly Attempt[],
): Promise<void> {
  const { rows: rebuilt } = await db.query<{ id: string; posted: bigint; sum: string; held: bigint }>(
    `SELECT a.id, a.posted, a.held, coalesce(sum(e.amount), 0) * CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END AS sum
     FROM ledger_accounts a LEFT JOIN ledger_entries e ON e.account_id = a.id GROUP BY a.id`,
  )
  expect(rebuilt.filter(({ posted, sum }) => String(posted) !== sum)).toEqual([])
  expect(rebuilt.filter(({ held }) => held !== 0n)).toEqual([])
  const byId = new Map(rebuilt.map(({ id, sum }) => [id, Number(sum)]))
  for (const [id, { available, total }] of balances)
    expect([id, byId.get(id), available]).toEqual([id, total, total])

  const { rows: currencies } = await db.query(
    'SELECT currency FROM ledger_entries GROUP BY currency HAVING sum(amount) <> 0',
  )
  expect(currencies).toEqual([])
  const { rows: transfers } = await db.query<{ cause_id: string }>(
    `SELECT cause_id FROM ledger_transfers WHERE cause = 'quote'`,
  )
  const quotes = attempts.flatMap(({ quoteId }) => quoteId ?? [])
  expect(transfers.map((row) => row.cause_id).sort()).toEqual(quotes.sort())
  const { rows: events } = await db.query<{ count: bigint }>(
    `SELECT count(*) FROM events WHERE type = 'OUTGOING_PAYMENT.COMPLETED'`,
  )
  expect(events[0]!.count).toBe(BigInt(quotes.length))
}
