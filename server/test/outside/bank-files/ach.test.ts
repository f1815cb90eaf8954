import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRecord } from '../../../src/outside/bank-files/formats/ach-records.ts'
import { buildStatusReport } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
  pauseWorkers,
  waitUntilQueued,
} from '../../worlds/production/file-bank.testing.ts'
import { type BankEntry, buildBankFile, buildReturnAddenda, newPayingCustomer } from './ach-bank.testing.ts'

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

/** Builds a notification of change about one of our entries. */
function buildNotification({
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

const findEntry = (text: string) => text.split('\n').find((line) => line.startsWith('6')) ?? ''
const listChanges = async (id: string) =>
  (await bank.world.client.get(`/account-changes?externalAccountId=${id}`)).body.data

test('a notification of change stops payments to the account, including queued ones, until it is applied; later payments use the new details', async () => {
  const { addAccount, send } = await newPayingCustomer(bank, 'for-change')
  const [changedAccount, otherAccount] = [await addAccount('444555666'), await addAccount('444555667')]
  await send(changedAccount, 100)
  const entry = findEntry((await bank.takeFile()).text)
  const queued = (await send(changedAccount, 150)).body.id
  const { workers } = bank.world.service.app
  await waitUntilQueued(bank.world, 1)
  const notice = { entry, account: '444555666' }
  const c06 = { ...notice, reason: 'C06', corrected: `${'444555668'.padEnd(20)}32` }
  await bank.put('notification.ach', buildBankFile([buildNotification(c06)]))
  const [pending] = await until(
    () => listChanges(changedAccount),
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
  expect((await send(changedAccount, 200)).body.code).toBe('EXTERNAL_ACCOUNT_UNDER_REVIEW')
  await send(otherAccount, 300)
  const second = (await bank.takeFile()).text
  expect(second).toContain('444555667')
  expect(second).not.toContain('444555666')
  expect(await bank.world.readTransaction(queued)).toMatchObject({ status: 'PENDING' })

  const applied = await bank.world.client.post(`/account-changes/${pending.id}/apply`, {
    reason: 'Confirmed',
  })
  expect(applied.status, JSON.stringify(applied.body)).toBe(200)
  await send(changedAccount, 50)
  workers.wake()
  await waitUntilQueued(bank.world, 2)
  const third = (await bank.takeFile()).text
  // The earlier payment keeps its original details.
  expect(third.match(/^622011401533 *444555666 /gm)).toHaveLength(1)
  expect(third.match(/^632011401533 *444555668 /gm)).toHaveLength(1)
  // The bank repeats the notification in another file.
  await bank.put(
    'again.ach',
    buildBankFile([buildNotification({ ...c06, amount: 0n }), buildNotification(c06)]),
  )
  await bank.put(
    'last.ach',
    buildBankFile([buildNotification({ ...notice, reason: 'C61', corrected: 'C01' })]),
  )
  await until(bank.world.listWaitingReports, (found) =>
    found.some(({ reason }: { reason: string }) => reason === 'UNREADABLE'),
  )
  expect(await listChanges(changedAccount)).toHaveLength(1)
})

test('a notification of change that contradicts the entry or corrects no account detail proposes no change', async () => {
  const { addAccount, send } = await newPayingCustomer(bank, 'for-strange-changes')
  const payee = await addAccount('555666777')
  await send(payee, 100)
  const entry = findEntry((await bank.takeFile()).text)
  const notice = { entry, account: '555666777', reason: 'C01', corrected: '555666778' }
  const before = (await bank.world.listWaitingReports()).length
  const mismatches = [
    { ...notice, account: '555666770' },
    { ...notice, amount: 100n },
    { ...notice, originalReceivingBank: '02100002' },
    { ...notice, originalTrace: '021000029999999' },
    { ...notice, entry: `${entry.slice(0, 39)}${'CSFFFFFFFFFFFF'.padEnd(15)}${entry.slice(54)}` },
    { ...notice, reason: 'C02', corrected: '011401534' },
    { ...notice, reason: 'C05', corrected: '52' },
    { ...notice, reason: 'C09', corrected: 'CS000000000000' },
    { ...notice, reason: 'C13', corrected: ' ' },
  ]
  for (const [index, mismatch] of mismatches.entries())
    await bank.put(`strange-${index}.ach`, buildBankFile([buildNotification(mismatch)]))
  await until(bank.world.listWaitingReports, (found) => found.length === before + mismatches.length)
  const reasons = (await bank.world.listWaitingReports())
    .map(({ reason }: { reason: string }) => reason)
    .slice(0, mismatches.length)
  expect(reasons.toSorted()).toEqual([
    ...Array(4).fill('CHANGE_OF_ACCOUNT'),
    ...Array(5).fill('UNKNOWN_PAYMENT'),
  ])
  expect(await listChanges(payee)).toEqual([])
})

test('a deposit from an unknown account cannot be returned but can still be assigned', async () => {
  const { customerId, account } = await bank.customer()
  const addenda = writeRecord('addenda', { type: '05', text: 'NO REFERENCE', sequence: 1, entrySequence: 8 })
  const entry = { transactionCode: '22', amount: 700n, individualId: 'X', trace: '011401530000008', addenda }
  await bank.put('suspense.ach', buildBankFile([entry]))
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

test('an incoming payment is credited by its reference, and an outgoing payment completes after its banking days and can still be returned', async () => {
  const started = new Date().toISOString()
  const { customerId, account } = await bank.customer()
  const addenda = writeRecord('addenda', {
    type: '05',
    text: `INVOICE ${findDepositReference(account)}`,
    sequence: 1,
    entrySequence: 7,
  })
  await bank.put(
    'in.ach',
    buildBankFile([
      { transactionCode: '22', amount: 50_000n, individualId: 'X', trace: '011401530000007', addenda },
    ]),
  )
  await bank.waitForBalance(customerId, 50_000n)

  const payee = await bank.world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '1234567890',
      routingNumber: '011401533',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
    },
  })
  expect(payee.status, JSON.stringify(payee.body)).toBe(201)
  const transfer = await bank.world.client.post('/transfer-out', {
    source: { accountId: account.id },
    destination: { accountId: payee.body.id },
    amount: 12_550,
  })
  const { id } = transfer.body
  const lines = (await bank.takeFile()).text.split('\n')
  const entry = lines.find((line) => line.startsWith('6'))!
  expect(entry).toMatch(/^622011401533 *1234567890 *0000012550CS[0-9A-F]{12} Grace Hopper/)
  expect(lines.find((line) => line.startsWith('5'))).toContain('PPDPAYOUT')
  const trace = entry.slice(79)

  // Settles the file, as if three banking days had passed.
  await until(
    async () => {
      await bank.world.service.app.db.query(
        `UPDATE bank_files SET settles_at = 'epoch' WHERE settles_at IS NOT NULL`,
      )
      return bank.world.readTransaction(id)
    },
    ({ status }) => status === 'COMPLETED',
  )
  expect(await bank.balanceOf(customerId)).toBe(37_450n)

  const returnEntry = {
    transactionCode: '21',
    amount: 12_550n,
    individualId: entry.slice(39, 54).trim(),
    trace: '011401530000009',
    account: '1234567890',
  }
  await bank.put(
    'unknown.ach',
    buildBankFile([{ ...returnEntry, addenda: buildReturnAddenda('021000029999999', 'R02') }]),
  )
  await bank.put(
    'change.ach',
    buildBankFile([
      {
        ...returnEntry,
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
  await bank.put('return.ach', buildBankFile([{ ...returnEntry, addenda: buildReturnAddenda(trace, 'R02') }]))
  await bank.waitForBalance(customerId, 50_000n)
  expect(await bank.world.readTransaction(id)).toMatchObject({ failureReason: 'COUNTERPARTY_POST_TX_FAILED' })
  const waitingReports = (await bank.world.listWaitingReports()).filter(
    ({ createdAt }: { createdAt: string }) => createdAt > started,
  )
  expect(waitingReports.map(({ reason }: { reason: string }) => reason)).toEqual(['UNKNOWN_PAYMENT'])
  expect(await listChanges(payee.body.id)).toMatchObject([{ status: 'PENDING', transactionId: id }])
})

test('the status of one batch in a file with several changes no payment and waits for a person', async () => {
  const { db } = bank.world.service.app
  const { addAccount, send, pull } = await newPayingCustomer(bank, 'batches')
  const [payee, payer] = [await addAccount('700700701'), await addAccount('700700702')]
  await pauseWorkers(bank.world)
  const replies = [await send(payee, 110), await pull(payer, 120)]
  await waitUntilQueued(bank.world, 2)
  await db.query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
  const { text } = await bank.takeFile()
  expect(text.split('\n').filter((line) => line.startsWith('5'))).toHaveLength(2)
  const { rows } = await db.query<{ message_name: string }>(
    'SELECT message_name FROM bank_files ORDER BY number DESC LIMIT 1',
  )
  const before = (await bank.world.listWaitingReports()).length
  const status = buildStatusReport(rows[0]?.message_name ?? '', { ofBatch: '<PmtInfSts>RJCT</PmtInfSts>' })
  expect(await bank.put('batch.xml', status)).toBe('done')
  const waitingReports = await bank.world.listWaitingReports()
  expect(waitingReports).toHaveLength(before + 1)
  expect(waitingReports[0].reason).toBe('UNKNOWN_PAYMENT')
  for (const { body } of replies) {
    const { status } = (await bank.world.client.get(`/transactions/${body.id}`)).body
    expect(status).not.toBe('FAILED')
  }
})
