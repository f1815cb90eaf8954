import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRecord } from '../../../src/outside/bank-files/formats/ach-records.ts'
import { until } from '../../worlds/client.testing.ts'
import { statusFile } from '../../worlds/production/direct-debits.testing.ts'
import {
  type FileBank,
  openFileBank,
  pauseWorkers,
  referenceOf,
  untilQueued,
} from '../../worlds/production/file-bank.testing.ts'
import { type BankEntry, bankFile, payingCustomer, returnAddenda } from './ach-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('ACH')
})
afterAll(() => bank.close())

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
function notification({
  entry,
  reason,
  corrected,
  account,
  amount = 0n,
  ...original
}: Notification): BankEntry {
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
  const { accountOf, send } = await payingCustomer(bank, 'for-change')
  const [doubted, other] = [await accountOf('444555666'), await accountOf('444555667')]
  await send(doubted, 100)
  const entry = entryIn((await bank.takeFile()).text)
  const queued = (await send(doubted, 150)).body.id
  const { workers } = bank.world.service.app
  await untilQueued(bank.world, 1)
  const said = { entry, account: '444555666' }
  const c06 = { ...said, reason: 'C06', corrected: `${'444555668'.padEnd(20)}32` }
  await bank.put('notification.ach', bankFile([notification(c06)]))
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
  await untilQueued(bank.world, 2)
  const third = (await bank.takeFile()).text
  // The payment that was made before keeps the details that it was made with.
  expect(third.match(/^622011401533 *444555666 /gm)).toHaveLength(1)
  expect(third.match(/^632011401533 *444555668 /gm)).toHaveLength(1)
  // The bank repeats itself in another file.
  await bank.put('again.ach', bankFile([notification({ ...c06, amount: 0n }), notification(c06)]))
  await bank.put('last.ach', bankFile([notification({ ...said, reason: 'C61', corrected: 'C01' })]))
  await until(reports, (found) => found.some(({ reason }: { reason: string }) => reason === 'UNREADABLE'))
  expect(await changesOf(doubted)).toHaveLength(1)
})

test('a notification of change that differs from the entry, or corrects nothing of an account, proposes nothing', async () => {
  const { accountOf, send } = await payingCustomer(bank, 'for-strange-changes')
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
    await bank.put(`strange-${index}.ach`, bankFile([notification(one)]))
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
  await bank.put('suspense.ach', bankFile([entry]))
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
  expect(body.message).toContain('the routing number of the account is unknown')
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
    bankFile([
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
  await bank.put('unknown.ach', bankFile([{ ...back, addenda: returnAddenda('021000029999999', 'R02') }]))
  await bank.put(
    'change.ach',
    bankFile([
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
  await bank.put('return.ach', bankFile([{ ...back, addenda: returnAddenda(trace, 'R02') }]))
  await until(
    () => bank.balanceOf(customerId),
    (balance) => balance === 50_000n,
  )
  expect(await transaction(id)).toMatchObject({ failureReason: 'COUNTERPARTY_POST_TX_FAILED' })
  const waiting = (await reports()).filter(({ createdAt }: { createdAt: string }) => createdAt > started)
  expect(waiting.map(({ reason }: { reason: string }) => reason)).toEqual(['UNKNOWN_PAYMENT'])
  expect(await changesOf(to.body.id)).toMatchObject([{ status: 'PENDING', transactionId: id }])
})

test('a status of one batch moves no payment of a file with several, and waits for a person', async () => {
  const { db } = bank.world.service.app
  const { accountOf, send, pull } = await payingCustomer(bank, 'batches')
  const [payee, payer] = [await accountOf('700700701'), await accountOf('700700702')]
  await pauseWorkers(bank.world)
  const made = [await send(payee, 110), await pull(payer, 120)]
  await untilQueued(bank.world, 2)
  await db.query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
  const { text } = await bank.takeFile()
  expect(text.split('\n').filter((line) => line.startsWith('5'))).toHaveLength(2)
  const { rows } = await db.query<{ message_name: string }>(
    'SELECT message_name FROM bank_files ORDER BY number DESC LIMIT 1',
  )
  const before = (await reports()).length
  const status = statusFile(rows[0]?.message_name ?? '', '<PmtInfSts>RJCT</PmtInfSts>')
  expect(await bank.put('batch.xml', status)).toBe('done')
  const waiting = await reports()
  expect(waiting).toHaveLength(before + 1)
  expect(waiting[0].reason).toBe('UNKNOWN_PAYMENT')
  for (const { body } of made) {
    const { status } = (await bank.world.client.get(`/transactions/${body.id}`)).body
    expect(status).not.toBe('FAILED')
  }
})
