import { expect } from 'vitest'
import { writeRecord } from '../../../src/outside/bank-files/formats/ach-records.ts'
import { camtFile, type SampleEntry } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import { ACH_FORMAT, type FileBank, openFileBank } from '../../worlds/production/file-bank.testing.ts'
import { type BankEntry, bankFile, entriesIn, payingCustomer, returnAddenda } from './ach-bank.testing.ts'

/** Payments in accepted ACH files, their reversals, and what a bank reports about both. */

export const FUNDS = 1_000n
export const WHY = { reason: 'Sent twice', evidence: { note: 'The order was booked twice' } }

const DAY_MS = 86_400_000
const decimals = (cents: bigint) =>
  `${cents < 0n ? '-' : ''}${sizeOf(cents) / 100n}.${String(sizeOf(cents) % 100n).padStart(2, '0')}`
const sizeOf = (amount: bigint) => (amount < 0n ? -amount : amount)

/** The reference in an entry of ours. */
export const referenceIn = (entry: string) => entry.slice(39, 54).trim()
/** The trace number of an entry. */
export const traceIn = (entry: string) => entry.slice(79)

/** An entry by which the bank has credited our account. */
const creditEntry = (amount: bigint, text: string, individualId: string): BankEntry => ({
  ...{ transactionCode: '22', amount, individualId, trace: '011401530000008' },
  addenda: writeRecord('addenda', { type: '05', text, sequence: 1, entrySequence: 8 }),
})

/** A line of a statement: its amount, and the detail or the entry that names something. */
export interface StatedLine extends Pick<SampleEntry, 'batch' | 'servicerReference'> {
  readonly amount: bigint
  readonly reference?: string
  readonly text?: string
  readonly returnReason?: string
}

/** An ACH bank that acknowledges files, and a person at the platform. */
export async function openReversalBank(more: object = {}, settings: Record<string, string> = {}) {
  const acknowledgements = { accepted: '{file}.ack', rejected: '{file}.nak' }
  const bank = await openFileBank('ACH', { acknowledgements, ...more }, settings)
  return {
    bank,
    ...callsOf(bank),
    ...filesOf(bank),
    interrupt: (isRow: IsRow, run: () => Promise<unknown>) => interruptCommit(bank, isRow, run),
  }
}

function callsOf({ world }: FileBank) {
  const { client } = world
  const get = async (path: string) => (await client.get(path)).body
  const decide = (id: string, body: object, from: Pick<typeof client, 'post'> = client): Promise<Reply> =>
    from.post(`/transactions/${id}/decide`, { ...WHY, ...body })
  const decisionsOf = async (id: string) => (await get(`/transactions/${id}/decisions`)).data
  return {
    get,
    decide,
    decisionsOf,
    reverse: (id: string, body: object = {}, from?: Pick<typeof client, 'post'>) =>
      decide(id, { outcome: 'REVERSAL', ...body }, from),
    /** The progress of the last reversal of a payment. */
    reversalOf: async (id: string) =>
      (await decisionsOf(id)).find((one: object) => 'reversal' in one)?.reversal,
    statusOf: async (id: string) => (await get(`/transactions/${id}`)).status,
    /** The one deposit in suspense of this amount, or none. */
    suspended: async (amount: bigint) =>
      (await get('/deposits?status=SUSPENSE&limit=100')).data.filter(
        (one: { amount: { amount: bigint } }) => BigInt(one.amount.amount) === amount,
      ),
    query: (sql: string, values: unknown[] = []) => world.service.app.db.query(sql, values),
    /** Reports that wait for a person and have this text. */
    reportsWith: async (text: string) =>
      (await get('/rail-events?status=WAITING&limit=100')).data.filter((one: object) =>
        JSON.stringify(one, (_, value) => (typeof value === 'bigint' ? String(value) : value)).includes(text),
      ),
  }
}

type IsRow = (table: string, row: Record<string, unknown>) => boolean

/**
 * Does something after the first write set with this row was decided, and before it commits. Returns a
 * function that tells if it was done, and ends this.
 */
function interruptCommit({ world }: FileBank, isRow: IsRow, run: () => Promise<unknown>): () => boolean {
  const { app } = world.service
  const { commit } = app
  let isDone = false
  app.commit = async (op, writes) => {
    if (!isDone && writes.some((one) => one.write === 'insert' && isRow(one.table, one.row))) {
      isDone = true
      await run()
    }
    return commit(op, writes)
  }
  return () => {
    app.commit = commit
    return isDone
  }
}

function filesOf(bank: FileBank) {
  const { query, reverse, reversalOf, statusOf } = callsOf(bank)
  let files = 0
  let day = Date.parse('2026-03-02T00:00:00Z')
  let closing = 0n
  /** The next file, which the bank accepts or rejects. */
  const nextFile = async (mark: 'ack' | 'nak' = 'ack') => {
    const { name, text } = await bank.takeFile()
    await bank.put(`${name}.${mark}`, '')
    await until(
      async () =>
        (await query('SELECT id FROM bank_files WHERE name = $1 AND accepted_at IS NULL', [name])).rows,
      (rows) => rows.length === 0,
    )
    return { name, text, entries: entriesIn(text) }
  }
  /** Only a few reversals leave a day. The files so far count as files of another day. */
  const startDay = () =>
    query(`UPDATE bank_files SET made_on = '2000-01-01T00:00', modifier = NULL WHERE accepted_at IS NOT NULL`)
  /** Enough banking days pass for every file so far. */
  const lapse = async () => {
    await query(
      `UPDATE bank_files SET settles_at = 'epoch' WHERE settles_at IS NOT NULL AND settled_at IS NULL`,
    )
    await bank.look()
    await until(
      async () =>
        (await query(`SELECT id FROM bank_files WHERE settles_at = 'epoch' AND settled_at IS NULL`)).rows,
      (rows) => rows.length === 0,
    )
  }
  const waitForQueued = (count: number) =>
    until(
      async () =>
        (await query(`SELECT id FROM bank_payments WHERE file_id IS NULL AND kind = 'PAYMENT'`)).rows,
      (rows) => rows.length === count,
    )
  /** A payment or a pull in an accepted file, and its entry. */
  const carried = async (kind: 'send' | 'pull', account: string, amount: number) => {
    files += 1
    const customer = await payingCustomer(bank, `carried-${files}`)
    const accountId = await customer.accountOf(account)
    const made = await customer[kind](accountId, amount)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await waitForQueued(1)
    const { entries } = await nextFile()
    return { ...customer, accountId, id: String(made.body.id), entry: entries[0] ?? '' }
  }
  const returned = (entry: string, reason: string, amount = BigInt(entry.slice(29, 39))) => ({
    ...{ transactionCode: '21', amount, account: entry.slice(12, 29).trim() },
    ...{ trace: '011401530000009', individualId: referenceIn(entry) },
    addenda: returnAddenda(traceIn(entry), reason),
  })
  const camtOf = (file: object, lines: readonly StatedLine[]) => {
    files += 1
    const date = new Date(day).toISOString().slice(0, 10)
    const text = camtFile({ id: `S-${files}`, ...file, entries: lines.map(entryOf) })
      .replace(/<IBAN>[^<]*<\/IBAN>/, `<Othr><Id>${ACH_FORMAT.accountNumber}</Id></Othr>`)
      .replaceAll('EUR', 'USD')
      .replaceAll('2026-03-02', date)
      .replaceAll('SVC-1', `SVC-${files}`)
    return { date, text, name: `camt-${files}.xml` }
  }
  return {
    nextFile,
    waitForQueued,
    startDay,
    lapse,
    carried,
    /** A payment and its reversal, each in an accepted file, with both entries and the reversal's file. */
    async reversed(account: string, amount: number) {
      const payment = await carried('send', account, amount)
      const asked = await reverse(payment.id)
      expect(asked.status, JSON.stringify(asked.body)).toBe(200)
      const { name, entries } = await nextFile()
      expect(await reversalOf(payment.id)).toEqual({ status: 'SENT' })
      const { rows } = await query('SELECT message_name FROM bank_files WHERE name = $1', [name])
      return { ...payment, back: entries[0] ?? '', file: String(rows[0]?.message_name) }
    },
    /** The bank returns an entry of ours. */
    async giveBack(entry: string, reason: string, amount?: bigint) {
      files += 1
      await bank.put(`return-${files}.ach`, bankFile([returned(entry, reason, amount)]))
    },
    /** A statement of the next day with these lines. Resolves to its date. */
    async state(...lines: readonly StatedLine[]) {
      const opening = closing
      closing += lines.reduce((sum, { amount }) => sum + amount, 0n)
      day += DAY_MS
      const balances = [decimals(opening), decimals(closing)] as const
      const { name, text, date } = camtOf({ balances }, lines)
      expect(await bank.put(name, text)).toBe('done')
      return date
    },
    /** The bank credits our account by an ACH entry, on the day of the next statement. */
    async enter(amount: bigint, text: string, individualId = 'X') {
      files += 1
      const date = new Date(day + DAY_MS).toISOString().slice(2, 10).replaceAll('-', '')
      const file = bankFile([creditEntry(amount, text, individualId)]).replaceAll('260302', date)
      expect(await bank.put(`entered-${files}.ach`, file)).toBe('done')
    },
    /** An advice about these lines. */
    async advise(...lines: readonly StatedLine[]) {
      const { name, text } = camtOf({ kind: '054' }, lines)
      expect(await bank.put(name, text)).toBe('done')
    },
    /** Counts the payments of all files as delivered, as if banking days had passed. */
    async passDays(id: string) {
      await lapse()
      await until(
        () => statusOf(id),
        (status) => status === 'COMPLETED',
      )
    },
    balanceIs: (customerId: string, wanted: bigint) =>
      until(
        () => bank.balanceOf(customerId),
        (found) => found === wanted,
      ),
    reversalIs: (id: string, status: string) =>
      until(
        () => reversalOf(id),
        (found) => found?.status === status,
      ),
  }
}

function entryOf({
  amount,
  reference,
  text,
  returnReason,
  batch,
  servicerReference,
}: StatedLine): SampleEntry {
  const size = decimals(sizeOf(amount))
  const named = {
    ...(reference === undefined ? {} : { endToEndId: reference }),
    ...(text === undefined ? {} : { text }),
    ...(returnReason === undefined ? {} : { returnReason }),
  }
  return {
    amount: size,
    direction: amount < 0n ? 'DBIT' : 'CRDT',
    ...(servicerReference === undefined ? {} : { servicerReference }),
    ...(batch === undefined ? { transactions: [{ amount: size, ...named }] } : { batch }),
  }
}
