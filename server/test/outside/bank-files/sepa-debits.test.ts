import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vectorsAbsent } from '../../../src/base/crypto/vectors.testing.ts'
import { schemaFaults } from '../../../src/outside/bank-files/formats/official-schema.testing.ts'
import {
  BankBalance,
  buildRejection,
  buildStatusReport,
  camtFile,
  listPayments,
  readElement,
  readMessageId,
  type SampleEntry,
  type SubmittedPayment,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import {
  dieAtEachCommit,
  type FileBank,
  openFileBank,
  pauseWorkers,
  waitUntilQueued,
} from '../../worlds/production/file-bank.testing.ts'
import { newEuroAccount, newMandate } from '../../worlds/records/external-accounts.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA_DEBIT')
})
afterAll(() => bank.close())

interface Payer {
  readonly customerId: string
  readonly account: string
  readonly external: string
  readonly mandate: string
}

/** Creates a customer with an external account and a mandate for it. */
async function newPayer(more: object = {}): Promise<Payer> {
  const { customerId, account } = await bank.customer()
  const external = await newEuroAccount(bank.world.client, customerId)
  const { id: mandate } = await newMandate(bank.world.client, external, more)
  return { customerId, account: account.id, external, mandate }
}

const requestPull = ({ external, account }: Payer, amount: number): Promise<Reply> =>
  bank.world.client.post('/transfer-in', {
    ...{ source: { accountId: external }, destination: { accountId: account }, amount },
  })

async function pull(payer: Payer, amount = 12_550): Promise<string> {
  const { status, body } = await requestPull(payer, amount)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

/** Creates a pull, and takes its file, which contains nothing else. */
async function takePullFile(payer: Payer, amount?: number) {
  const id = await pull(payer, amount)
  const { text } = await bank.takeFile()
  const [collection] = listPayments(text)
  if (!collection) throw new Error(`No collection in ${text}`)
  return { id, text, collection, sequence: readElement(text, 'SeqTp'), message: readMessageId(text) }
}

const balance = new BankBalance()
let statements = 0

const booked = (collection: SubmittedPayment): SampleEntry => ({
  amount: collection.amount,
  direction: 'CRDT',
  servicerReference: `IN-${collection.endToEndId}`,
  transactions: [collection],
})
const returned = (collection: SubmittedPayment, returnReason: string): SampleEntry => ({
  amount: collection.amount,
  direction: 'DBIT',
  servicerReference: `BACK-${collection.endToEndId}`,
  transactions: [{ ...collection, returnReason }],
})

/** Builds a statement with balances that books these entries. */
function buildStatement(entries: readonly SampleEntry[], more: object = {}) {
  statements += 1
  const id = `DEBITS-${statements}`
  return [`${id}.xml`, camtFile({ id, balances: balance.book(entries), entries, ...more })] as const
}

const readMandate = async ({ mandate }: Payer) => (await bank.world.client.get(`/mandates/${mandate}`)).body
const waitForBalance = ({ customerId }: Payer, amount: bigint) => bank.waitForBalance(customerId, amount)

/** Settles all files, as if the return period of the debtor's bank had passed. */
async function passReturnTime(): Promise<void> {
  const { db, workers } = bank.world.service.app
  await db.query(
    `UPDATE bank_files SET settles_at = 'epoch' WHERE settles_at IS NOT NULL AND settled_at IS NULL`,
  )
  workers.wake()
  await until(
    async () =>
      (await db.query(`SELECT 1 FROM bank_files WHERE settles_at = 'epoch' AND settled_at IS NULL`)).rows,
    (rows) => rows.length === 0,
  )
}

/** Creates a booked and credited pull. */
async function createCreditedPull(payer: Payer, amount = 12_550) {
  const file = await takePullFile(payer, amount)
  expect(await bank.put(...buildStatement([booked(file.collection)]))).toBe('done')
  await passReturnTime()
  await bank.world.waitForStatus(file.id, 'COMPLETED')
  return file
}

describe('SEPA direct debits', () => {
  test('a direct debit is credited only once the bank has booked it and can no longer return it', {
    tags: 'smoke',
  }, async () => {
    const payer = await newPayer({ reference: 'MANDATE-1' })
    const { id, text, collection, message } = await takePullFile(payer)
    if (!vectorsAbsent) expect(schemaFaults('pain.008.001.08', text)).toEqual([])
    for (const part of [
      '<SeqTp>FRST</SeqTp>',
      '<Id>DE98ZZZ09999999999</Id>',
      '<MndtId>MANDATE-1</MndtId><DtOfSgntr>2026-02-27</DtOfSgntr>',
      '<Nm>Ada Lovelace</Nm>',
    ])
      expect(text).toContain(part)
    expect(collection.amount).toBe('125.50')
    expect(await readMandate(payer)).toMatchObject({ status: 'ACTIVE', lastCollectedOn: expect.any(String) })

    await bank.put('settled.xml', buildStatusReport(message, { ofBatch: '<PmtInfSts>ACSC</PmtInfSts>' }))
    await passReturnTime()
    expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    await bank.put(...buildStatement([booked(collection)]))
    expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    expect(await bank.balanceOf(payer.customerId)).toBe(0n)
    await passReturnTime()
    await bank.world.waitForStatus(id, 'COMPLETED')
    expect(await bank.balanceOf(payer.customerId)).toBe(12_550n)
  })

  test('the direct debits of a mandate are first, then recurrent and finally final, and a one-off is marked as such', async () => {
    const payer = await newPayer()
    expect((await takePullFile(payer)).sequence).toBe('FRST')
    expect((await takePullFile(payer)).sequence).toBe('RCUR')
    await bank.world.client.post(`/mandates/${payer.mandate}/cancel`, {
      ...{ reason: 'Moved away', afterNextCollection: true },
    })
    expect((await takePullFile(payer)).sequence).toBe('FNAL')
    expect(await readMandate(payer)).toMatchObject({ status: 'CANCELED', cancelReason: 'Moved away' })
    expect((await requestPull(payer, 100)).status).toBe(400)
    expect((await takePullFile(await newPayer({ lastCollectedOn: '2026-03-01' }))).sequence).toBe('RCUR')
    const oneOffPayer = await newPayer({ mandateType: 'ONE_OFF' })
    expect((await takePullFile(oneOffPayer)).sequence).toBe('OOFF')
    expect((await requestPull(oneOffPayer, 100)).status).toBe(400)
  })

  test('a direct debit needs an active mandate for its account: transfers and quotes without one are refused', async () => {
    const { customerId, account } = await bank.customer()
    const { client } = bank.world
    const external = await newEuroAccount(client, customerId)
    const payer = { customerId, account: account.id, external, mandate: '' }
    const refusal = await requestPull(payer, 100)
    expect([refusal.status, refusal.body.details?.field]).toEqual([400, 'source.accountId'])
    expect(refusal.body.message).toContain('POST /mandates')
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: external, customerId },
      destination: { destinationType: 'ACCOUNT', accountId: account.id },
      ...{ lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 100 },
    })
    expect([quote.status, quote.body.details?.field]).toEqual([400, 'source.accountId'])
    const { id } = await newMandate(client, external)
    await client.post(`/mandates/${id}/cancel`, { reason: 'Asked by letter' })
    expect((await requestPull(payer, 100)).status).toBe(400)
    await newMandate(client, external)
    expect((await requestPull(payer, 100)).status).toBe(201)
    await bank.takeFile()
  })

  test('a one-off mandate is collected once, however many requests arrive in parallel', async () => {
    const payer = await newPayer({ mandateType: 'ONE_OFF' })
    const replies = await Promise.all(Array.from({ length: 20 }, () => requestPull(payer, 100)))
    const ids = replies.filter(({ status }) => status === 201).map(({ body }) => body.id as string)
    const { text } = await bank.takeFile()
    expect(listPayments(text)).toHaveLength(1)
    const states = await until(
      () => Promise.all(ids.map(bank.world.readTransaction)),
      (found) => found.filter(({ status }) => status === 'PENDING').length === 1,
    )
    for (const { status, counterpartyInformation } of states)
      if (status !== 'PENDING')
        expect([status, counterpartyInformation.failureDetail]).toEqual([
          'FAILED',
          expect.stringMatching(/CANCELED$/),
        ])
    expect(await bank.outbox()).toEqual({})
  })

  test('only one direct debit is the first of its mandate, however many requests arrive in parallel', async () => {
    const payer = await newPayer()
    await Promise.all(Array.from({ length: 12 }, (_, index) => pull(payer, 100 + index)))
    await waitUntilQueued(bank.world, 12)
    const texts = [(await bank.takeFile()).text, (await bank.takeFile()).text]
    const counts = texts.map((text) => [readElement(text, 'SeqTp'), listPayments(text).length])
    expect(counts.sort()).toEqual([
      ['FRST', 1],
      ['RCUR', 11],
    ])
  })

  test('a direct debit can pay a quote, and is owed to the platform if it is returned afterwards', async () => {
    const payer = await newPayer()
    const { client } = bank.world
    const otherAccount = await newEuroAccount(client, payer.customerId)
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: payer.external, customerId: payer.customerId },
      destination: { destinationType: 'ACCOUNT', accountId: otherAccount },
      ...{ lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 5_000 },
    })
    expect(quote.status, JSON.stringify(quote.body)).toBe(201)
    expect((await client.post(`/quotes/${quote.body.id}/execute`, {})).status).toBe(200)
    const [collection] = listPayments((await bank.takeFile()).text)
    await bank.put(...buildStatement([booked(collection!)]))
    await passReturnTime()
    const { text } = await bank.takeFile()
    expect(text).toContain('CstmrCdtTrfInitn')
    await bank.put(...buildStatement([returned(collection!, 'MD07')]))
    const { transactionId } = quote.body
    const found = await until(
      () => bank.world.readTransaction(transactionId),
      ({ counterpartyInformation }) => counterpartyInformation?.fundingReturnDetail !== undefined,
    )
    expect(found.counterpartyInformation.fundingReturnDetail).toMatch(/^MD07/)
    expect(await readMandate(payer)).toMatchObject({
      status: 'CANCELED',
      cancelReason: expect.stringMatching(/^MD07/),
    })
  })
})

describe('an unpaid direct debit', () => {
  test.each([
    ['AC04', 'CANCELED'],
    ['AM04', 'ACTIVE'],
    ['MD01', 'CANCELED'],
    ['MS03', 'ACTIVE'],
    ['SL01', 'ACTIVE'],
  ])(
    'fails if it is rejected with %s before its due date, and its mandate is then %s',
    async (code, status) => {
      const payer = await newPayer()
      const { id, message, collection } = await takePullFile(payer)
      await bank.put(
        `rejected-${code}.xml`,
        buildStatusReport(message, { ofBatch: buildRejection(collection, code) }),
      )
      const { counterpartyInformation } = await bank.world.waitForStatus(id, 'FAILED')
      expect(counterpartyInformation.failureDetail).toMatch(new RegExp(`^${code}: `))
      expect(await readMandate(payer)).toMatchObject({ status })
      // A collection that did not reach the debtor's bank does not count as the first.
      if (status === 'ACTIVE') expect((await takePullFile(payer)).sequence).toBe('FRST')
      else expect((await requestPull(payer, 100)).status).toBe(400)
    },
  )

  test('fails without a credit if it is returned before it is credited', async () => {
    const payer = await newPayer()
    const { id, collection } = await takePullFile(payer)
    await bank.put(...buildStatement([booked(collection)]))
    await bank.put(...buildStatement([returned(collection, 'AM04')]))
    await bank.world.waitForStatus(id, 'FAILED')
    await passReturnTime()
    expect(await bank.balanceOf(payer.customerId)).toBe(0n)
    expect((await takePullFile(payer)).sequence).toBe('RCUR')
  })

  test('is debited from the account again if the payer claims a refund within eight weeks', async () => {
    const payer = await newPayer()
    const { id, collection } = await createCreditedPull(payer)
    await bank.put(...buildStatement([returned(collection, 'MD06')]))
    await bank.world.waitForStatus(id, 'REFUNDED')
    await waitForBalance(payer, 0n)
    expect(await readMandate(payer)).toMatchObject({ status: 'ACTIVE' })
  })

  test('leaves a debt to the platform if its money was spent before the refund', async () => {
    const payer = await newPayer()
    const { id, collection } = await createCreditedPull(payer)
    const otherAccount = await newEuroAccount(bank.world.client, payer.customerId)
    const sent = await bank.world.client.post('/transfer-out', {
      ...{ source: { accountId: payer.account }, destination: { accountId: otherAccount }, amount: 10_000 },
    })
    expect(sent.status, JSON.stringify(sent.body)).toBe(201)
    await bank.takeFile()
    await bank.put(...buildStatement([returned(collection, 'MD01')]))
    const { counterpartyInformation } = await bank.world.waitForStatus(id, 'REFUNDED')
    expect(counterpartyInformation).toMatchObject({ shortfall: '10000' })
    expect(await bank.balanceOf(payer.customerId)).toBe(0n)
    expect(await readMandate(payer)).toMatchObject({ status: 'CANCELED' })
  })

  test('counts as returned if the bank reverses it', async () => {
    const payer = await newPayer()
    const { id, collection } = await createCreditedPull(payer)
    const reversal = { direction: 'DBIT', isReversal: true, servicerReference: 'REVERSAL' } as const
    await bank.put(...buildStatement([{ ...booked(collection), ...reversal }]))
    await bank.world.waitForStatus(id, 'REFUNDED')
  })
})

describe('a file of the bank', () => {
  test('takes effect once under two names, and a return for another amount or account has no effect', async () => {
    const payer = await newPayer()
    const { id, collection } = await createCreditedPull(payer)
    const before = (await bank.world.listWaitingReports()).length
    const buildAdvice = (amount: string, name: string) =>
      camtFile({ id: name, kind: '054', entries: [returned({ ...collection, amount }, 'MD06')] })
    await bank.put('other-amount.xml', buildAdvice('125.49', 'OTHER-AMOUNT'))
    await bank.put(
      'other-account.xml',
      buildAdvice('125.50', 'OTHER-ACCOUNT').replaceAll('DE89370400440532013000', 'DE02120300000000202051'),
    )
    expect(
      (await bank.world.listWaitingReports()).map(({ reason }) => reason).slice(0, -before || undefined),
    ).toEqual(expect.arrayContaining(['OTHER_AMOUNT', 'OTHER_ACCOUNT']))
    expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'COMPLETED' })
    const file = buildAdvice('125.50', 'SAME')
    await bank.put('back.xml', file)
    await bank.put('back-again.xml', file)
    await bank.world.waitForStatus(id, 'REFUNDED')
    await waitForBalance(payer, 0n)
  })

  test('can book one of our files as one sum without the rejected collections', async () => {
    const payers = [await newPayer(), await newPayer(), await newPayer()]
    const ids: string[] = []
    for (const payer of payers) ids.push(await pull(payer, 1_000))
    const { text } = await bank.takeFile()
    const message = readMessageId(text)
    const [first] = listPayments(text)
    await bank.put(
      'one-rejected.xml',
      buildStatusReport(message, { ofBatch: buildRejection(first!, 'AC04') }),
    )
    await bank.put(
      ...buildStatement([{ amount: '20.00', direction: 'CRDT', batch: message, servicerReference: message }]),
    )
    await passReturnTime()
    const found = await until(
      () => Promise.all(ids.map(bank.world.readTransaction)),
      (all) => all.every(({ status }) => status !== 'PENDING'),
    )
    expect(found.map(({ status }) => status).sort()).toEqual(['COMPLETED', 'COMPLETED', 'FAILED'])
  })
})

test('each collection is in exactly one file, wherever the process that writes it dies', async () => {
  const payers = [await newPayer(), await newPayer({ mandateType: 'ONE_OFF' })]
  await pauseWorkers(bank.world)
  for (const payer of payers) await pull(payer, 777)
  await waitUntilQueued(bank.world, payers.length)
  const { deaths } = await dieAtEachCommit(bank.world)
  expect(deaths).toBeGreaterThan(5)
  const files = await until(
    () => bank.outbox(),
    (found) => Object.keys(found).length === 2,
  )
  expect(
    Object.values(files)
      .map((text) => [readElement(text, 'SeqTp'), ...listPayments(text).map(({ amount }) => amount)])
      .sort(),
  ).toEqual([
    ['FRST', '7.77'],
    ['OOFF', '7.77'],
  ])
})
