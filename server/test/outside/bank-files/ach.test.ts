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
    ...entries.flatMap(({ addenda, ...entry }) => [
      writeRecord('entry', {
        ...entry,
        receivingBank: '01140153',
        checkDigit: 3,
        account: '987654321',
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

test('after a notification of change, payments to the account wait for a person, queued ones too', async () => {
  const { customerId, account } = await bank.customer()
  const addenda = writeRecord('addenda', {
    ...{ type: '05', text: referenceOf(account), sequence: 1, entrySequence: 5 },
  })
  const paidIn = {
    transactionCode: '22',
    amount: 1_000n,
    individualId: 'X',
    trace: '011401530000005',
    addenda,
  }
  await bank.put('for-change.ach', fileOf([paidIn]))
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
  const send = async (to: string, amount: number) => {
    const ends = { source: { accountId: account.id }, destination: { accountId: to } }
    return (await bank.world.client.post('/transfer-out', { ...ends, amount })).body.id as string
  }
  const [doubted, other] = [await accountOf('444555666'), await accountOf('444555667')]
  await send(doubted, 100)
  const first = (await bank.takeFile()).text.split('\n').find((line) => line.startsWith('6')) ?? ''
  const queued = await send(doubted, 150)
  const { db, workers } = bank.world.service.app
  await until(
    async () => (await db.query('SELECT id FROM bank_payments WHERE file_id IS NULL')).rows,
    (rows) => rows.length === 1,
  )
  const change = writeRecord('changeAddenda', {
    ...{ type: 98, reason: 'C01', originalTrace: first.slice(79), corrected: '444555668' },
    ...{ originalReceivingBank: '01140153', trace: '011401530000009' },
  })
  const individualId = first.slice(39, 54).trim()
  const notified = {
    transactionCode: '21',
    amount: 0n,
    individualId,
    trace: '011401530000009',
    addenda: change,
  }
  await bank.put('notification.ach', fileOf([notified]))
  const [event] = await until(
    async () => (await bank.world.client.get('/rail-events?status=WAITING')).body.data,
    (found) => found[0]?.reason === 'CHANGE_OF_ACCOUNT',
  )
  const held = await send(doubted, 200)
  await send(other, 300)
  const second = (await bank.takeFile()).text
  expect(second).toContain('444555667')
  expect(second).not.toContain('444555666')
  for (const id of [queued, held]) expect(await transaction(id)).toMatchObject({ status: 'PENDING' })
  const resolved = await bank.world.client.post(`/rail-events/${event.id}/resolve`, { note: 'confirmed' })
  expect(resolved.status, JSON.stringify(resolved.body)).toBe(200)
  await db.query(`UPDATE jobs SET due_at = created_at WHERE kind = 'transfer.settle'`)
  workers.wake()
  await until(
    async () => (await db.query('SELECT id FROM bank_payments WHERE file_id IS NULL')).rows,
    (rows) => rows.length === 2,
  )
  const third = (await bank.takeFile()).text
  expect(third.match(/444555666/g)).toHaveLength(2)
})

test('a deposit whose sender has no known account is marked as not returnable at once, and can still be assigned', async () => {
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
  const { body } = await bank.world.client.get('/rail-events?status=WAITING')
  expect(body.data.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
    'CHANGE_OF_ACCOUNT',
    'UNKNOWN_PAYMENT',
  ])
})
