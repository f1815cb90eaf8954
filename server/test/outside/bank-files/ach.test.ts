import { afterAll, beforeAll, expect, test } from 'vitest'
import { FILLER, writeRecord } from '../../../src/outside/bank-files/formats/ach-records.ts'
import { AchTotals } from '../../../src/outside/bank-files/formats/ach-totals.ts'
import { until } from '../../worlds/client.testing.ts'
import { type FileBank, openFileBank, referenceOf } from '../../worlds/production/file-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('ACH')
})
afterAll(() => bank.close())

interface Entry {
  readonly transactionCode: string
  readonly amount: bigint
  readonly individualId: string
  readonly trace: string
  readonly addenda: string
  /** The account at the other end. */
  readonly account?: string
}

/** A file of the bank with these entries, whose sums are right. */
function fileOf(entries: readonly Entry[]): string {
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

const returned = (originalTrace: string, reason: string) =>
  writeRecord('returnAddenda', {
    type: 99,
    reason,
    originalTrace,
    originalReceivingBank: '01140153',
    trace: '011401530000009',
  })

/** Pays in for a new customer, and returns how its money is sent and where to. */
async function payingCustomer(addedAt: string) {
  const { customerId, account } = await bank.customer()
  const text = { type: '05', text: referenceOf(account), sequence: 1, entrySequence: 5 }
  const paidIn = {
    ...{ transactionCode: '22', amount: 1_000n, individualId: 'X', trace: '011401530000005' },
    addenda: writeRecord('addenda', text),
  }
  await bank.put(`${addedAt}.ach`, fileOf([paidIn]))
  await until(
    () => bank.balanceOf(customerId),
    (balance) => balance === 1_000n,
  )
  const accountOf = async (accountNumber: string) => {
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
  return { accountOf, send }
}

interface Notification {
  readonly entry: string
  readonly reason: string
  readonly corrected: string
  readonly account: string
  readonly amount?: bigint
  readonly originalTrace?: string
  readonly originalReceivingBank?: string
}

/** A notification of change about an entry of ours. */
function notification({ entry, reason, corrected, account, amount = 0n, ...original }: Notification): Entry {
  const { originalTrace = entry.slice(79), originalReceivingBank = '01140153' } = original
  const trace = '011401530000009'
  const fields = { type: 98, reason, corrected, trace, originalTrace, originalReceivingBank }
  return {
    ...{ transactionCode: '21', amount, account, trace },
    individualId: entry.slice(39, 54).trim(),
    addenda: writeRecord('changeAddenda', fields),
  }
}

const entryIn = (text: string) => text.split('\n').find((line) => line.startsWith('6')) ?? ''
const reports = async () => (await bank.world.client.get('/rail-events?status=WAITING')).body.data
const changesOf = async (id: string) =>
  (await bank.world.client.get(`/account-changes?externalAccountId=${id}`)).body.data

test('a notification of change stops payments to the account, queued ones too, until somebody applies it; the next one uses the new details', async () => {
  const { accountOf, send } = await payingCustomer('for-change')
  const [doubted, other] = [await accountOf('444555666'), await accountOf('444555667')]
  await send(doubted, 100)
  const entry = entryIn((await bank.takeFile()).text)
  const queued = (await send(doubted, 150)).body.id
  const { db, workers } = bank.world.service.app
  const unwritten = async () => (await db.query('SELECT id FROM bank_payments WHERE file_id IS NULL')).rows
  await until(unwritten, (rows) => rows.length === 1)
  const said = { entry, account: '444555666' }
  const c06 = { ...said, reason: 'C06', corrected: `${'444555668'.padEnd(20)}32` }
  await bank.put('notification.ach', fileOf([notification(c06)]))
  const [pending] = await until(
    () => changesOf(doubted),
    (found) => found.length === 1,
  )
  expect(pending).toMatchObject({
    code: 'C06',
    status: 'PENDING',
    changes: [
      { field: 'accountNumber', before: '444555666', after: '444555668' },
      { field: 'bankAccountType', after: 'SAVINGS' },
    ],
  })
  expect((await send(doubted, 200)).body.code).toBe('EXTERNAL_ACCOUNT_UNDER_REVIEW')
  await send(other, 300)
  const second = (await bank.takeFile()).text
  expect(second).toContain('444555667')
  expect(second).not.toContain('444555666')
  expect(await transaction(queued)).toMatchObject({ status: 'PENDING' })

  const applied = await bank.world.client.post(`/account-changes/${pending.id}/apply`, {
    reason: 'Confirmed',
  })
  expect(applied.status, JSON.stringify(applied.body)).toBe(200)
  await send(doubted, 50)
  workers.wake()
  await until(unwritten, (rows) => rows.length === 2)
  const third = (await bank.takeFile()).text
  // The payment that was made before keeps the details that it was made with.
  expect(third.match(/^622011401533 *444555666 /gm)).toHaveLength(1)
  expect(third.match(/^632011401533 *444555668 /gm)).toHaveLength(1)
  // The bank repeats itself in another file.
  await bank.put('again.ach', fileOf([notification({ ...c06, amount: 0n }), notification(c06)]))
  await bank.put('last.ach', fileOf([notification({ ...said, reason: 'C61', corrected: 'C01' })]))
  await until(reports, (found) => found.some(({ reason }: { reason: string }) => reason === 'UNREADABLE'))
  expect(await changesOf(doubted)).toHaveLength(1)
})

test('a notification of change that differs from the entry, or corrects nothing of an account, proposes nothing', async () => {
  const { accountOf, send } = await payingCustomer('for-strange-changes')
  const payee = await accountOf('555666777')
  await send(payee, 100)
  const entry = entryIn((await bank.takeFile()).text)
  const said = { entry, account: '555666777', reason: 'C01', corrected: '555666778' }
  const before = (await reports()).length
  const strange = [
    { ...said, account: '555666770' },
    { ...said, amount: 100n },
    { ...said, originalReceivingBank: '02100002' },
    { ...said, originalTrace: '021000029999999' },
    { ...said, entry: `${entry.slice(0, 39)}${'CSFFFFFFFFFFFF'.padEnd(15)}${entry.slice(54)}` },
    { ...said, reason: 'C02', corrected: '011401534' },
    { ...said, reason: 'C05', corrected: '52' },
    { ...said, reason: 'C09', corrected: 'CS000000000000' },
    { ...said, reason: 'C13', corrected: ' ' },
  ]
  for (const [index, one] of strange.entries())
    await bank.put(`strange-${index}.ach`, fileOf([notification(one)]))
  await until(reports, (found) => found.length === before + strange.length)
  const reasons = (await reports()).map(({ reason }: { reason: string }) => reason).slice(0, strange.length)
  expect(reasons.toSorted()).toEqual([
    ...Array(4).fill('CHANGE_OF_ACCOUNT'),
    ...Array(5).fill('UNKNOWN_PAYMENT'),
  ])
  expect(await changesOf(payee)).toEqual([])
})

test('a deposit whose sender has no known account is immediately marked as not returnable, and can still be assigned', async () => {
  const { customerId, account } = await bank.customer()
  const addenda = writeRecord('addenda', { type: '05', text: 'NO REFERENCE', sequence: 1, entrySequence: 8 })
  const entry = { transactionCode: '22', amount: 700n, individualId: 'X', trace: '011401530000008', addenda }
  await bank.put('suspense.ach', fileOf([entry]))
  const [deposit] = await until(
    async () => (await bank.world.client.get('/deposits?status=SUSPENSE')).body.data,
    (found) => found.length === 1,
  )
  const { status, body } = await bank.world.client.post(`/deposits/${deposit.id}/return`, {})
  expect([status, body.code, body.details]).toEqual([
    409,
    'DEPOSIT_NOT_RETURNABLE',
    { reason: 'RETURN_UNAVAILABLE' },
  ])
  expect(body.message).toContain('routing number is not known')
  expect((await bank.world.client.get(`/deposits/${deposit.id}`)).body).toMatchObject({ status: 'SUSPENSE' })
  const assigned = await bank.world.client.post(`/deposits/${deposit.id}/assign`, { accountId: account.id })
  expect(assigned.status, JSON.stringify(assigned.body)).toBe(200)
  expect(await bank.balanceOf(customerId)).toBe(700n)
})

const transaction = async (id: string) => (await bank.world.client.get(`/transactions/${id}`)).body

test('a payment in by reference and a payment out, counted as delivered by time, are booked and can be returned afterwards', async () => {
  const started = new Date().toISOString()
  const { customerId, account } = await bank.customer()
  const addenda = writeRecord('addenda', {
    type: '05',
    text: `INVOICE ${referenceOf(account)}`,
    sequence: 1,
    entrySequence: 7,
  })
  await bank.put(
    'in.ach',
    fileOf([
      { transactionCode: '22', amount: 50_000n, individualId: 'X', trace: '011401530000007', addenda },
    ]),
  )
  await until(
    () => bank.balanceOf(customerId),
    (balance) => balance === 50_000n,
  )

  const to = await bank.world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '1234567890',
      routingNumber: '011401533',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
    },
  })
  expect(to.status, JSON.stringify(to.body)).toBe(201)
  const sent = await bank.world.client.post('/transfer-out', {
    source: { accountId: account.id },
    destination: { accountId: to.body.id },
    amount: 12_550,
  })
  const { id } = sent.body
  const lines = (await bank.takeFile()).text.split('\n')
  const entry = lines.find((line) => line.startsWith('6'))!
  expect(entry).toMatch(/^622011401533 *1234567890 *0000012550CS[0-9A-F]{12} Grace Hopper/)
  expect(lines.find((line) => line.startsWith('5'))).toContain('PPDPAYOUT')
  const trace = entry.slice(79)

  // Three days of the week pass.
  await until(
    async () => {
      await bank.world.service.app.db.query(
        `UPDATE bank_files SET settles_at = 'epoch' WHERE settles_at IS NOT NULL`,
      )
      return transaction(id)
    },
    ({ status }) => status === 'COMPLETED',
  )
  expect(await bank.balanceOf(customerId)).toBe(37_450n)

  const back = {
    transactionCode: '21',
    amount: 12_550n,
    individualId: entry.slice(39, 54).trim(),
    trace: '011401530000009',
    account: '1234567890',
  }
  await bank.put('unknown.ach', fileOf([{ ...back, addenda: returned('021000029999999', 'R02') }]))
  await bank.put(
    'change.ach',
    fileOf([
      {
        ...back,
        amount: 0n,
        addenda: writeRecord('changeAddenda', {
          type: 98,
          reason: 'C01',
          originalTrace: trace,
          corrected: '777',
          originalReceivingBank: '01140153',
          trace: '011401530000009',
        }),
      },
    ]),
  )
  expect(await bank.balanceOf(customerId)).toBe(37_450n)
  await bank.put('return.ach', fileOf([{ ...back, addenda: returned(trace, 'R02') }]))
  await until(
    () => bank.balanceOf(customerId),
    (balance) => balance === 50_000n,
  )
  expect(await transaction(id)).toMatchObject({ failureReason: 'COUNTERPARTY_POST_TX_FAILED' })
  const waiting = (await reports()).filter(({ createdAt }: { createdAt: string }) => createdAt > started)
  expect(waiting.map(({ reason }: { reason: string }) => reason)).toEqual(['UNKNOWN_PAYMENT'])
  expect(await changesOf(to.body.id)).toMatchObject([{ status: 'PENDING', transactionId: id }])
})
