import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vectorsAbsent } from '../../../src/base/crypto/vectors.testing.ts'
import { schemaFaults } from '../../../src/outside/bank-files/formats/official-schema.testing.ts'
import { camtFile, type SampleEntry } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import {
  booked,
  collectionsIn,
  partOf,
  rejection,
  returned,
  statusFile,
} from '../../worlds/production/direct-debits.testing.ts'
import {
  dieAtEachCommit,
  type FileBank,
  openFileBank,
  pauseWorkers,
  untilQueued,
} from '../../worlds/production/file-bank.testing.ts'
import { newEuroAccount, newMandate } from '../../worlds/records/mandates.testing.ts'

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

/** A customer with an account elsewhere and a mandate for it. */
async function newPayer(more: object = {}): Promise<Payer> {
  const { customerId, account } = await bank.customer()
  const external = await newEuroAccount(bank.world.client, customerId)
  const { id: mandate } = await newMandate(bank.world.client, external, more)
  return { customerId, account: account.id, external, mandate }
}

const askPull = ({ external, account }: Payer, amount: number): Promise<Reply> =>
  bank.world.client.post('/transfer-in', {
    ...{ source: { accountId: external }, destination: { accountId: account }, amount },
  })

async function pull(payer: Payer, amount = 12_550): Promise<string> {
  const { status, body } = await askPull(payer, amount)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

/** Pulls, and takes the file of the pull, which has nothing else. */
async function pulledFile(payer: Payer, amount?: number) {
  const id = await pull(payer, amount)
  const { text } = await bank.takeFile()
  const [collection] = collectionsIn(text)
  if (!collection) throw new Error(`No collection in ${text}`)
  return { id, text, collection, sequence: partOf(text, 'SeqTp'), message: partOf(text, 'MsgId') }
}

let cents = 0
let statements = 0
const decimal = (amount: number) => (amount / 100).toFixed(2)

/** A statement with balances that books these entries. */
function statement(entries: readonly SampleEntry[], kept: object = {}) {
  const opening = cents
  for (const { amount, direction } of entries)
    cents += (direction === 'CRDT' ? 1 : -1) * Math.round(Number(amount) * 100)
  statements += 1
  const id = `DEBITS-${statements}`
  return [
    `${id}.xml`,
    camtFile({ id, balances: [decimal(opening), decimal(cents)], entries, ...kept }),
  ] as const
}

const transaction = async (id: string) => (await bank.world.client.get(`/transactions/${id}`)).body
const mandateOf = async ({ mandate }: Payer) => (await bank.world.client.get(`/mandates/${mandate}`)).body
const ended = (id: string, status: string) =>
  until(
    () => transaction(id),
    (found) => found.status === status,
  )
const balanceIs = ({ customerId }: Payer, amount: bigint) =>
  until(
    () => bank.balanceOf(customerId),
    (balance) => balance === amount,
  )
const waiting = async (): Promise<Reply['body'][]> =>
  (await bank.world.client.get('/rail-events?status=WAITING&limit=100')).body.data

/** This many payments wait for a file. */
/** The time in which the bank of the debtor may return collections passes. */
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

/** A pull that was booked and credited. */
async function credited(payer: Payer, amount = 12_550) {
  const file = await pulledFile(payer, amount)
  expect(await bank.put(...statement([booked(file.collection)]))).toBe('done')
  await passReturnTime()
  await ended(file.id, 'COMPLETED')
  return file
}

describe('a direct debit', () => {
  test('is credited once the bank has booked it and can no longer return it, and not before', {
    tags: 'smoke',
  }, async () => {
    const payer = await newPayer({ reference: 'MANDATE-1' })
    const { id, text, collection, message } = await pulledFile(payer)
    if (!vectorsAbsent) expect(schemaFaults('pain.008.001.08', text)).toEqual([])
    for (const part of [
      '<SeqTp>FRST</SeqTp>',
      '<Id>DE98ZZZ09999999999</Id>',
      '<MndtId>MANDATE-1</MndtId><DtOfSgntr>2026-02-27</DtOfSgntr>',
      '<Nm>Ada Lovelace</Nm>',
    ])
      expect(text).toContain(part)
    expect(collection.amount).toBe('125.50')
    expect(await mandateOf(payer)).toMatchObject({ status: 'ACTIVE', lastCollectedOn: expect.any(String) })

    await bank.put('settled.xml', statusFile(message, '<PmtInfSts>ACSC</PmtInfSts>'))
    await passReturnTime()
    expect(await transaction(id)).toMatchObject({ status: 'PENDING' })
    await bank.put(...statement([booked(collection)]))
    expect(await transaction(id)).toMatchObject({ status: 'PENDING' })
    expect(await bank.balanceOf(payer.customerId)).toBe(0n)
    await passReturnTime()
    await ended(id, 'COMPLETED')
    expect(await bank.balanceOf(payer.customerId)).toBe(12_550n)
  })

  test('of a mandate is its first, then recurrent, and at last final; the file of a one-off says so', async () => {
    const payer = await newPayer()
    expect((await pulledFile(payer)).sequence).toBe('FRST')
    expect((await pulledFile(payer)).sequence).toBe('RCUR')
    await bank.world.client.post(`/mandates/${payer.mandate}/cancel`, {
      ...{ reason: 'Moved away', afterNextCollection: true },
    })
    expect((await pulledFile(payer)).sequence).toBe('FNAL')
    expect(await mandateOf(payer)).toMatchObject({ status: 'CANCELED', cancelReason: 'Moved away' })
    expect((await askPull(payer, 100)).status).toBe(400)
    expect((await pulledFile(await newPayer({ lastCollectedOn: '2026-03-01' }))).sequence).toBe('RCUR')
    const once = await newPayer({ mandateType: 'ONE_OFF' })
    expect((await pulledFile(once)).sequence).toBe('OOFF')
    expect((await askPull(once, 100)).status).toBe(400)
  })

  test('needs an active mandate for the account as it is: transfers and quotes are refused without', async () => {
    const { customerId, account } = await bank.customer()
    const { client } = bank.world
    const external = await newEuroAccount(client, customerId)
    const payer = { customerId, account: account.id, external, mandate: '' }
    const refused = await askPull(payer, 100)
    expect([refused.status, refused.body.details?.field]).toEqual([400, 'source.accountId'])
    expect(refused.body.message).toContain('POST /mandates')
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: external, customerId },
      destination: { destinationType: 'ACCOUNT', accountId: account.id },
      ...{ lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 100 },
    })
    expect([quote.status, quote.body.details?.field]).toEqual([400, 'source.accountId'])
    const { id } = await newMandate(client, external)
    await client.post(`/mandates/${id}/cancel`, { reason: 'Asked by letter' })
    expect((await askPull(payer, 100)).status).toBe(400)
    await newMandate(client, external)
    expect((await askPull(payer, 100)).status).toBe(201)
    await bank.takeFile()
  })

  test('of a one-off mandate is made once, however many requests come in parallel', async () => {
    const payer = await newPayer({ mandateType: 'ONE_OFF' })
    const replies = await Promise.all(Array.from({ length: 20 }, () => askPull(payer, 100)))
    const made = replies.filter(({ status }) => status === 201).map(({ body }) => body.id as string)
    const { text } = await bank.takeFile()
    expect(collectionsIn(text)).toHaveLength(1)
    const states = await until(
      () => Promise.all(made.map(transaction)),
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

  test('is the first of its mandate once, however many requests come in parallel', async () => {
    const payer = await newPayer()
    await Promise.all(Array.from({ length: 12 }, (_, at) => pull(payer, 100 + at)))
    await untilQueued(bank.world, 12)
    const texts = [(await bank.takeFile()).text, (await bank.takeFile()).text]
    const counts = texts.map((text) => [partOf(text, 'SeqTp'), collectionsIn(text).length])
    expect(counts.sort()).toEqual([
      ['FRST', 1],
      ['RCUR', 11],
    ])
  })

  test('pays a quote, and is owed to the platform if it comes back after that', async () => {
    const payer = await newPayer()
    const { client } = bank.world
    const other = await newEuroAccount(client, payer.customerId)
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: payer.external, customerId: payer.customerId },
      destination: { destinationType: 'ACCOUNT', accountId: other },
      ...{ lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 5_000 },
    })
    expect(quote.status, JSON.stringify(quote.body)).toBe(201)
    expect((await client.post(`/quotes/${quote.body.id}/execute`, {})).status).toBe(200)
    const [collection] = collectionsIn((await bank.takeFile()).text)
    await bank.put(...statement([booked(collection!)]))
    await passReturnTime()
    const { text } = await bank.takeFile()
    expect(text).toContain('CstmrCdtTrfInitn')
    await bank.put(...statement([returned(collection!, 'MD07')]))
    const { transactionId } = quote.body
    const found = await until(
      () => transaction(transactionId),
      ({ counterpartyInformation }) => counterpartyInformation?.fundingReturnDetail !== undefined,
    )
    expect(found.counterpartyInformation.fundingReturnDetail).toMatch(/^MD07/)
    expect(await mandateOf(payer)).toMatchObject({
      status: 'CANCELED',
      cancelReason: expect.stringMatching(/^MD07/),
    })
  })
})

describe('a direct debit that is not paid', () => {
  test.each([
    ['AC04', 'CANCELED'],
    ['AM04', 'ACTIVE'],
    ['MD01', 'CANCELED'],
    ['MS03', 'ACTIVE'],
    ['SL01', 'ACTIVE'],
  ])('is rejected with %s before its day: it fails, and the mandate is %s', async (code, status) => {
    const payer = await newPayer()
    const { id, message, collection } = await pulledFile(payer)
    await bank.put(`rejected-${code}.xml`, statusFile(message, rejection(collection, code)))
    const { counterpartyInformation } = await ended(id, 'FAILED')
    expect(counterpartyInformation.failureDetail).toMatch(new RegExp(`^${code}: `))
    expect(await mandateOf(payer)).toMatchObject({ status })
    // A collection that has not reached the bank of the debtor does not count as the first.
    if (status === 'ACTIVE') expect((await pulledFile(payer)).sequence).toBe('FRST')
    else expect((await askPull(payer, 100)).status).toBe(400)
  })

  test('is returned before it is credited: it fails, and nothing was credited', async () => {
    const payer = await newPayer()
    const { id, collection } = await pulledFile(payer)
    await bank.put(...statement([booked(collection)]))
    await bank.put(...statement([returned(collection, 'AM04')]))
    await ended(id, 'FAILED')
    await passReturnTime()
    expect(await bank.balanceOf(payer.customerId)).toBe(0n)
    expect((await pulledFile(payer)).sequence).toBe('RCUR')
  })

  test('is refunded within eight weeks: its amount is taken from the account again', async () => {
    const payer = await newPayer()
    const { id, collection } = await credited(payer)
    await bank.put(...statement([returned(collection, 'MD06')]))
    await ended(id, 'REFUNDED')
    await balanceIs(payer, 0n)
    expect(await mandateOf(payer)).toMatchObject({ status: 'ACTIVE' })
  })

  test('is refunded after its money was spent: the rest is owed to the platform', async () => {
    const payer = await newPayer()
    const { id, collection } = await credited(payer)
    const other = await newEuroAccount(bank.world.client, payer.customerId)
    const sent = await bank.world.client.post('/transfer-out', {
      ...{ source: { accountId: payer.account }, destination: { accountId: other }, amount: 10_000 },
    })
    expect(sent.status, JSON.stringify(sent.body)).toBe(201)
    await bank.takeFile()
    await bank.put(...statement([returned(collection, 'MD01')]))
    const { counterpartyInformation } = await ended(id, 'REFUNDED')
    expect(counterpartyInformation).toMatchObject({ shortfall: '10000' })
    expect(await bank.balanceOf(payer.customerId)).toBe(0n)
    expect(await mandateOf(payer)).toMatchObject({ status: 'CANCELED' })
  })

  test('is reversed by the bank: that counts as a return', async () => {
    const payer = await newPayer()
    const { id, collection } = await credited(payer)
    const reversal = { direction: 'DBIT', isReversal: true, servicerReference: 'REVERSAL' } as const
    await bank.put(...statement([{ ...booked(collection), ...reversal }]))
    await ended(id, 'REFUNDED')
  })
})

describe('a file of the bank', () => {
  test('takes effect once, under two names, and a return for another amount or account has no effect', async () => {
    const payer = await newPayer()
    const { id, collection } = await credited(payer)
    const before = (await waiting()).length
    const advice = (amount: string, name: string) =>
      camtFile({ id: name, kind: '054', entries: [returned({ ...collection, amount }, 'MD06')] })
    await bank.put('other-amount.xml', advice('125.49', 'OTHER-AMOUNT'))
    await bank.put(
      'other-account.xml',
      advice('125.50', 'OTHER-ACCOUNT').replaceAll('DE89370400440532013000', 'DE02120300000000202051'),
    )
    expect((await waiting()).map(({ reason }) => reason).slice(0, -before || undefined)).toEqual(
      expect.arrayContaining(['OTHER_AMOUNT', 'OTHER_ACCOUNT']),
    )
    expect(await transaction(id)).toMatchObject({ status: 'COMPLETED' })
    const file = advice('125.50', 'SAME')
    await bank.put('back.xml', file)
    await bank.put('back-again.xml', file)
    await ended(id, 'REFUNDED')
    await balanceIs(payer, 0n)
  })

  test('books a file of ours as one sum, without the collections that it has rejected', async () => {
    const payers = [await newPayer(), await newPayer(), await newPayer()]
    const ids: string[] = []
    for (const payer of payers) ids.push(await pull(payer, 1_000))
    const { text } = await bank.takeFile()
    const message = partOf(text, 'MsgId')
    const [first] = collectionsIn(text)
    await bank.put('one-rejected.xml', statusFile(message, rejection(first!, 'AC04')))
    await bank.put(
      ...statement([{ amount: '20.00', direction: 'CRDT', batch: message, servicerReference: message }]),
    )
    await passReturnTime()
    const found = await until(
      () => Promise.all(ids.map(transaction)),
      (all) => all.every(({ status }) => status !== 'PENDING'),
    )
    expect(found.map(({ status }) => status).sort()).toEqual(['COMPLETED', 'COMPLETED', 'FAILED'])
  })
})

test('collections are in one file each, wherever the process dies that writes it, and resume', async () => {
  const payers = [await newPayer(), await newPayer({ mandateType: 'ONE_OFF' })]
  await pauseWorkers(bank.world)
  for (const payer of payers) await pull(payer, 777)
  await untilQueued(bank.world, payers.length)
  const { deaths } = await dieAtEachCommit(bank.world)
  expect(deaths).toBeGreaterThan(5)
  const files = await until(
    () => bank.outbox(),
    (found) => Object.keys(found).length === 2,
  )
  expect(
    Object.values(files)
      .map((text) => [partOf(text, 'SeqTp'), ...collectionsIn(text).map(({ amount }) => amount)])
      .sort(),
  ).toEqual([
    ['FRST', '7.77'],
    ['OOFF', '7.77'],
  ])
})
