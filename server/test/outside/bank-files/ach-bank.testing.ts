import { expect } from 'vitest'
import { FILLER, writeRecord } from '../../../src/outside/bank-files/formats/ach-records.ts'
import { AchTotals } from '../../../src/outside/bank-files/formats/ach-totals.ts'
import {
  camtFile,
  formatCents,
  type SampleEntry,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import {
  ACH_FORMAT,
  type FileBank,
  findDepositReference,
  openFileBank,
} from '../../worlds/production/file-bank.testing.ts'
import type { InternalAccount } from '../../worlds/production/production.testing.ts'

/** An entry in a bank's file. */
export interface BankEntry {
  readonly transactionCode: string
  readonly amount: bigint
  readonly individualId: string
  readonly trace: string
  readonly addenda: string
  /** The account number of the counterparty. */
  readonly account?: string
}

/** Builds a bank's file of these entries with correct totals. */
export function buildBankFile(entries: readonly BankEntry[]): string {
  const totals = new AchTotals()
  for (const { transactionCode, amount } of entries) totals.add(transactionCode, '01140153', amount, 1)
  const batch = { serviceClass: 200, companyId: '1123456789', originatingBank: '01140153', batchNumber: 1 }
  const sums = { entries: totals.entries, hash: totals.hash, debits: totals.debits, credits: totals.credits }
  const lines = [
    writeRecord('fileHeader', {
      priority: '01',
      destination: ' 021000021',
      origin: ' 011401533',
      date: '260302',
      time: '0930',
      modifier: 'A',
      recordSize: '094',
      blockingFactor: 10,
      format: 1,
    }),
    writeRecord('batchHeader', {
      ...batch,
      companyName: 'PAYER',
      entryClass: 'PPD',
      description: 'X',
      effectiveDate: '260302',
      originatorStatus: '1',
    }),
    ...entries.flatMap(({ addenda, account = '987654321', ...entry }) => [
      writeRecord('entry', {
        ...entry,
        receivingBank: '01140153',
        checkDigit: 3,
        account,
        name: 'ADA',
        addendaIndicator: 1,
      }),
      addenda,
    ]),
    writeRecord('batchControl', { ...batch, ...sums }),
  ]
  const blocks = Math.ceil((lines.length + 1) / 10)
  lines.push(writeRecord('fileControl', { batches: 1, blocks, ...sums }))
  while (lines.length % 10 > 0) lines.push(FILLER)
  return lines.map((line) => `${line}\n`).join('')
}

const BANK_FIELDS = { originalReceivingBank: '01140153', trace: '011401530000009' }

export const buildReturnAddenda = (originalTrace: string, reason: string) =>
  writeRecord('returnAddenda', { type: 99, reason, originalTrace, ...BANK_FIELDS })

export const buildChangeAddenda = (originalTrace: string, reason: string, corrected: string) =>
  writeRecord('changeAddenda', { type: 98, reason, originalTrace, corrected, ...BANK_FIELDS })

/** Lists the entries in one of our files, without offsets. */
export function listEntries(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('6') && !line.includes('OFFSET'))
}

export function listDescriptions(text: string): readonly string[] {
  const batches = text.split('\n').filter((line) => line.startsWith('5'))
  return batches.map((line) => line.slice(53, 63).trim())
}

/** Pays in an amount, 10.00 USD by default, with this text. */
function payIn(bank: FileBank, name: string, text: string, amount = 1_000n): Promise<unknown> {
  const creditEntry = {
    ...{ transactionCode: '22', amount, individualId: 'X', trace: '011401530000005' },
    addenda: writeRecord('addenda', { type: '05', text, sequence: 1, entrySequence: 5 }),
  }
  return bank.put(`${name}.ach`, buildBankFile([creditEntry]))
}

/** Credits 100.00 USD to the platform's own account. */
export async function fundPlatform(bank: FileBank): Promise<void> {
  const { client } = bank.world
  await payIn(bank, 'own-money', 'CAPITAL', 10_000n)
  const [deposit] = (await client.get('/deposits?status=SUSPENSE')).body.data
  const [account] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  const assigned = await client.post(`/deposits/${deposit.id}/assign`, { accountId: account.id })
  if (assigned.status !== 200) throw new Error(JSON.stringify(assigned.body))
}

/** Creates a customer with 10.00 USD, and returns calls that add accounts and pay. */
export async function newPayingCustomer(bank: FileBank, addedAt: string) {
  const { customerId, account } = await bank.customer()
  await payIn(bank, addedAt, findDepositReference(account))
  await bank.waitForBalance(customerId, 1_000n)
  return buildPaymentCalls(bank, customerId, account)
}

/** Creates a customer without money. */
export async function newUnfundedCustomer(bank: FileBank) {
  const { customerId, account } = await bank.customer()
  return buildPaymentCalls(bank, customerId, account)
}

function buildPaymentCalls(bank: FileBank, customerId: string, account: InternalAccount) {
  const addAccount = async (accountNumber: string) => {
    const { body } = await bank.world.client.post('/customers/external-accounts', {
      customerId,
      currency: 'USD',
      accountInfo: {
        ...{ accountType: 'USD_ACCOUNT', accountNumber, routingNumber: '011401533' },
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
      },
    })
    return body.id as string
  }
  const send = (to: string, amount: number) =>
    bank.world.client.post('/transfer-out', {
      ...{ source: { accountId: account.id }, destination: { accountId: to } },
      amount,
    })
  const pull = (from: string, amount: number) =>
    bank.world.client.post('/transfer-in', {
      ...{ source: { accountId: from }, destination: { accountId: account.id } },
      amount,
    })
  return { customerId, addAccount, send, pull }
}

/** Payments in accepted ACH files, their reversals, and the bank's reports about both. */

export const FUNDS = 1_000n
const DECISION_REASON = { reason: 'Sent twice', evidence: { note: 'The order was booked twice' } }

const DAY_MS = 86_400_000
export const readReference = (entry: string) => entry.slice(39, 54).trim()
export const readTrace = (entry: string) => entry.slice(79)

/** Builds an entry with which the bank credits our account. */
const buildCreditEntry = (amount: bigint, text: string, individualId: string): BankEntry => ({
  ...{ transactionCode: '22', amount, individualId, trace: '011401530000008' },
  addenda: writeRecord('addenda', { type: '05', text, sequence: 1, entrySequence: 8 }),
})

/** A statement line with its amount and whatever names a payment or a reversal. */
export interface StatedLine extends Pick<SampleEntry, 'batch' | 'servicerReference'> {
  readonly amount: bigint
  readonly reference?: string
  readonly text?: string
  readonly returnReason?: string
}

/** Opens an ACH bank that acknowledges files, with calls for the platform and the bank. */
export async function openReversalBank(more: object = {}, settings: Record<string, string> = {}) {
  const acknowledgements = { accepted: '{file}.ack', rejected: '{file}.nak' }
  const bank = await openFileBank('ACH', { acknowledgements, ...more }, settings)
  return {
    bank,
    ...buildCalls(bank),
    ...buildFileSteps(bank),
    interrupt: (isRow: IsRow, run: () => Promise<unknown>) => interruptCommit(bank, isRow, run),
  }
}

function buildCalls({ world }: FileBank) {
  const { client } = world
  const get = async (path: string) => (await client.get(path)).body
  const decide = (id: string, body: object, from: Pick<typeof client, 'post'> = client): Promise<Reply> =>
    from.post(`/transactions/${id}/decide`, { ...DECISION_REASON, ...body })
  const listDecisions = async (id: string) => (await get(`/transactions/${id}/decisions`)).data
  return {
    get,
    decide,
    listDecisions,
    reverse: (id: string, body: object = {}, from?: Pick<typeof client, 'post'>) =>
      decide(id, { outcome: 'REVERSAL', ...body }, from),
    /** Finds the progress of a payment's last reversal. */
    findReversal: async (id: string) =>
      (await listDecisions(id)).find((decision: object) => 'reversal' in decision)?.reversal,
    readStatus: async (id: string) => (await get(`/transactions/${id}`)).status,
    /** Lists the deposits in suspense with this amount. */
    listSuspended: async (amount: bigint) =>
      (await get('/deposits?status=SUSPENSE&limit=100')).data.filter(
        (deposit: { amount: { amount: bigint } }) => BigInt(deposit.amount.amount) === amount,
      ),
    query: (sql: string, values: unknown[] = []) => world.service.app.db.query(sql, values),
    /** Finds reports that wait for a person and contain this text. */
    findReports: async (text: string) =>
      (await get('/rail-events?status=WAITING&limit=100')).data.filter((report: object) =>
        JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? String(value) : value)).includes(
          text,
        ),
      ),
  }
}

type IsRow = (table: string, row: Record<string, unknown>) => boolean

/**
 * Runs an action just before the first commit that inserts such a row. Returns a function that restores the
 * commit and says if the action ran.
 */
function interruptCommit({ world }: FileBank, isRow: IsRow, run: () => Promise<unknown>): () => boolean {
  const { app } = world.service
  const { commit } = app
  let isDone = false
  app.commit = async (op, writes) => {
    if (!isDone && writes.some((write) => write.write === 'insert' && isRow(write.table, write.row))) {
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

function buildFileSteps(bank: FileBank) {
  const { query, reverse, findReversal, readStatus } = buildCalls(bank)
  let files = 0
  let day = Date.parse('2026-03-02T00:00:00Z')
  let closing = 0n
  /** Takes the next file, which the bank accepts or rejects. */
  const takeNextFile = async (mark: 'ack' | 'nak' = 'ack') => {
    const { name, text } = await bank.takeFile()
    await bank.put(`${name}.${mark}`, '')
    await until(
      async () =>
        (await query('SELECT id FROM bank_files WHERE name = $1 AND accepted_at IS NULL', [name])).rows,
      (rows) => rows.length === 0,
    )
    return { name, text, entries: listEntries(text) }
  }
  /** Assigns all files so far to another day, because the number of reversals a day is limited. */
  const startDay = () =>
    query(`UPDATE bank_files SET made_on = '2000-01-01T00:00', modifier = NULL WHERE accepted_at IS NOT NULL`)
  /** Settles every file so far, as if enough banking days had passed. */
  const passBankingDays = async () => {
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
  /** Submits a payment or a pull in an accepted file, and returns its entry. */
  const submitPayment = async (kind: 'send' | 'pull', account: string, amount: number) => {
    files += 1
    const customer = await newPayingCustomer(bank, `carried-${files}`)
    const accountId = await customer.addAccount(account)
    const created = await customer[kind](accountId, amount)
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    await waitForQueued(1)
    const { entries } = await takeNextFile()
    return { ...customer, accountId, id: String(created.body.id), entry: entries[0] ?? '' }
  }
  const buildReturn = (entry: string, reason: string, amount = BigInt(entry.slice(29, 39))) => ({
    ...{ transactionCode: '21', amount, account: entry.slice(12, 29).trim() },
    ...{ trace: '011401530000009', individualId: readReference(entry) },
    addenda: buildReturnAddenda(readTrace(entry), reason),
  })
  const buildCamt = (file: object, lines: readonly StatedLine[]) => {
    files += 1
    const date = new Date(day).toISOString().slice(0, 10)
    const text = camtFile({ id: `S-${files}`, ...file, entries: lines.map(buildEntry) })
      .replace(/<IBAN>[^<]*<\/IBAN>/, `<Othr><Id>${ACH_FORMAT.accountNumber}</Id></Othr>`)
      .replaceAll('EUR', 'USD')
      .replaceAll('2026-03-02', date)
      .replaceAll('SVC-1', `SVC-${files}`)
    return { date, text, name: `camt-${files}.xml` }
  }
  return {
    takeNextFile,
    waitForQueued,
    startDay,
    passBankingDays,
    submitPayment,
    /** Submits a payment and its reversal, each in an accepted file. */
    async submitReversedPayment(account: string, amount: number) {
      const payment = await submitPayment('send', account, amount)
      const reply = await reverse(payment.id)
      expect(reply.status, JSON.stringify(reply.body)).toBe(200)
      const { name, entries } = await takeNextFile()
      expect(await findReversal(payment.id)).toEqual({ status: 'SENT' })
      const { rows } = await query('SELECT message_name FROM bank_files WHERE name = $1', [name])
      return { ...payment, reversalEntry: entries[0] ?? '', file: String(rows[0]?.message_name) }
    },
    /** Has the bank return one of our entries. */
    async returnEntry(entry: string, reason: string, amount?: bigint) {
      files += 1
      await bank.put(`return-${files}.ach`, buildBankFile([buildReturn(entry, reason, amount)]))
    },
    /** Puts a statement of the next day with these lines, and resolves to its date. */
    async putStatement(...lines: readonly StatedLine[]) {
      const opening = closing
      closing += lines.reduce((sum, { amount }) => sum + amount, 0n)
      day += DAY_MS
      const balances = [formatCents(opening), formatCents(closing)] as const
      const { name, text, date } = buildCamt({ balances }, lines)
      expect(await bank.put(name, text)).toBe('done')
      return date
    },
    /** Has the bank credit our account by an ACH entry, on the day of the next statement. */
    async putCreditEntry(amount: bigint, text: string, individualId = 'X') {
      files += 1
      const date = new Date(day + DAY_MS).toISOString().slice(2, 10).replaceAll('-', '')
      const file = buildBankFile([buildCreditEntry(amount, text, individualId)]).replaceAll('260302', date)
      expect(await bank.put(`entered-${files}.ach`, file)).toBe('done')
    },
    /** Puts an advice about these lines. */
    async putAdvice(...lines: readonly StatedLine[]) {
      const { name, text } = buildCamt({ kind: '054' }, lines)
      expect(await bank.put(name, text)).toBe('done')
    },
    /** Lets banking days pass until this payment counts as delivered. */
    async waitForDelivery(id: string) {
      await passBankingDays()
      await until(
        () => readStatus(id),
        (status) => status === 'COMPLETED',
      )
    },
    waitForBalance: bank.waitForBalance,
    waitForReversal: (id: string, status: string) =>
      until(
        () => findReversal(id),
        (found) => found?.status === status,
      ),
  }
}

function buildEntry({
  amount,
  reference,
  text,
  returnReason,
  batch,
  servicerReference,
}: StatedLine): SampleEntry {
  const size = formatCents(amount < 0n ? -amount : amount)
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
