import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import { decide } from '../../../src/money/rails/rail-worker.ts'
import { applyToEntry } from '../../../src/outside/bank-files/outgoing.ts'
import { orderPrenotes } from '../../../src/outside/bank-files/prenotes.ts'
import { type BankFileWorker, isBankFilesRail } from '../../../src/outside/bank-files/rail.ts'
import type { QueuedPaymentRow } from '../../../src/storage/rows/bank-file.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  ACH_FORMAT,
  type FileBank,
  openFileBank,
  pauseWorkers,
  waitUntilQueued,
} from '../../worlds/production/file-bank.testing.ts'
import {
  ERASES_NOW,
  requestErasure,
  resumeErasures,
  waitUntilErased,
  waitUntilErasureWaits,
} from '../../worlds/records/erasures.testing.ts'
import {
  buildBankFile,
  buildChangeAddenda,
  buildReturnAddenda,
  listEntries,
  newPayingCustomer,
  newUnfundedCustomer,
} from './ach-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank(
    'ACH',
    {
      format: { ...ACH_FORMAT, sendsPrenotes: true },
      acknowledgements: { accepted: '{file}.ack', rejected: '{file}.nak' },
    },
    ERASES_NOW,
  )
})
afterAll(() => bank.close())

const get = async (path: string) => (await bank.world.client.get(path)).body
const readStatus = async (id: string) => (await get(`/transactions/${id}`)).status
const query = (sql: string) => bank.world.service.app.db.query(sql)
async function findFileWorker(): Promise<BankFileWorker> {
  const { app } = bank.world.service
  const rail = requireValue(app.rails.list().find(isBankFilesRail), 'rail of files')
  return { app, rail, platformId: requireValue(await app.rails.ownerOf(rail), 'owner of the rail') }
}

/** Moves every file to an early date, as if banking days had passed. */
const passDays = () => query(`UPDATE bank_files SET executed_on = '2020-01-02'`)

/** Takes the next file, which the bank accepts. */
async function takeAcceptedFile(): Promise<string> {
  const { name, text } = await bank.takeFile()
  await bank.put(`${name}.ack`, '')
  await until(
    async () => (await query(`SELECT id FROM bank_files WHERE accepted_at IS NULL`)).rows,
    (rows) => rows.length === 0,
  )
  return text
}

const buildReturn = (entry: string, reason: string, amount = 0n) => ({
  ...{ transactionCode: '21', amount, account: entry.slice(12, 29).trim(), trace: '011401530000009' },
  ...{ individualId: entry.slice(39, 54).trim(), addenda: buildReturnAddenda(entry.slice(79), reason) },
})

test('the first payments to an account wait for one prenote and its three banking days, and later ones are sent immediately', async () => {
  const { addAccount, send } = await newPayingCustomer(bank, 'first')
  const payee = await addAccount('111222333')
  const [first, second] = [(await send(payee, 100)).body.id, (await send(payee, 150)).body.id]
  await waitUntilQueued(bank.world, 2)
  const prenotes = listEntries(await takeAcceptedFile())
  expect(prenotes).toHaveLength(1)
  expect(prenotes[0]).toMatch(/^623011401533111222333 {8}0000000000CS[0-9A-F]{12} Grace Hopper/)
  expect([await readStatus(first), await readStatus(second)]).toEqual(['PENDING', 'PENDING'])

  // Its banking days are not over, even if other files are sent.
  const otherAccount = await addAccount('111222334')
  await send(otherAccount, 50)
  await waitUntilQueued(bank.world, 3)
  expect(listEntries(await takeAcceptedFile())).toEqual([expect.stringMatching(/^623011401533111222334/)])

  await passDays()
  const payments = listEntries(await takeAcceptedFile())
  expect(payments.map((line) => [line.slice(0, 3), Number(line.slice(29, 39))])).toEqual([
    ['622', 100],
    ['622', 150],
    ['622', 50],
  ])
  await send(payee, 70)
  await waitUntilQueued(bank.world, 1)
  expect(listEntries(await takeAcceptedFile())).toEqual([
    expect.stringMatching(/^622011401533111222333 {8}0000000070/),
  ])
})

test('the return of a prenote makes the account INACTIVE with the reason and fails the payments that wait, once', async () => {
  const { customerId, addAccount, send } = await newPayingCustomer(bank, 'returned')
  const payee = await addAccount('222333444')
  const payment = (await send(payee, 400)).body.id
  await waitUntilQueued(bank.world, 1)
  const [prenote = ''] = listEntries(await takeAcceptedFile())
  const file = buildBankFile([buildReturn(prenote, 'R03')])
  await bank.put('prenote-return.ach', file)
  await until(
    () => readStatus(payment),
    (status) => status === 'FAILED',
  )
  await bank.put('prenote-return-again.ach', `${file}\n`)
  const account = await get(`/customers/external-accounts/${payee}`)
  expect(account).toMatchObject({
    status: 'INACTIVE',
    statusReason: 'R03: No account was found, or it has a different name',
  })
  const { failureReason } = await get(`/transactions/${payment}`)
  expect(failureReason).toBe('COUNTERPARTY_POST_TX_FAILED')
  await bank.waitForBalance(customerId, 1_000n)
  const refusal = await send(payee, 400)
  expect([refusal.status, refusal.body.code]).toEqual([409, 'EXTERNAL_ACCOUNT_INACTIVE'])

  // The failed payment is never sent, and the account gets a new prenote after it is added again.
  await passDays()
  await bank.world.client.send('DELETE', `/customers/external-accounts/${payee}`)
  const newAccount = await addAccount('222333444')
  await send(newAccount, 410)
  await waitUntilQueued(bank.world, 2)
  expect(listEntries(await takeAcceptedFile())).toEqual([expect.stringMatching(/^623011401533222333444/)])
  await passDays()
  expect(listEntries(await takeAcceptedFile())).toEqual([
    expect.stringMatching(/^622011401533222333444 {8}0000000410/),
  ])
})

test('an account that is pulled from gets one debit prenote, however many processes order it in parallel', async () => {
  const { addAccount, pull } = await newPayingCustomer(bank, 'pulled')
  const from = await addAccount('555666777')
  const before = (await query('SELECT id FROM bank_payments WHERE file_id IS NULL')).rows.length
  const pulled = await pull(from, 120)
  expect(pulled.status, JSON.stringify(pulled.body)).toBe(201)
  await waitUntilQueued(bank.world, before + 1)
  const worker = await findFileWorker()
  const runPrenotes = () => orderPrenotes(worker, worker.app.clock())
  await Promise.all(Array.from({ length: 10 }, runPrenotes))
  const listPrenotes = () =>
    query(`SELECT batch FROM bank_payments WHERE kind = 'PRENOTE' AND details->>'account' = '555666777'`)
  expect((await listPrenotes()).rows).toEqual([{ batch: 'PPD-DEBIT-PRENOTE' }])
  expect(listEntries(await takeAcceptedFile())).toEqual([
    expect.stringMatching(/^628011401533555666777 {8}0{10}/),
  ])
  await passDays()
  expect(listEntries(await takeAcceptedFile())).toEqual([
    expect.stringMatching(/^627011401533555666777 {8}0000000120/),
  ])
  await runPrenotes()
  expect((await listPrenotes()).rows).toHaveLength(1)
})

test('a return with an amount that names a prenote waits for a person, and a notification of change proposes the new details', async () => {
  const { addAccount, send } = await newPayingCustomer(bank, 'changed')
  const payee = await addAccount('333444555')
  const payment = (await send(payee, 300)).body.id
  await waitUntilQueued(bank.world, 2)
  const [prenote = ''] = listEntries(await takeAcceptedFile())
  await bank.put('with-amount.ach', buildBankFile([buildReturn(prenote, 'R03', 300n)]))
  const listReports = () => get('/rail-events?status=WAITING')
  await until(listReports, ({ data }) =>
    data.some((report: { reason: string }) => report.reason === 'OTHER_AMOUNT'),
  )
  const change = buildChangeAddenda(prenote.slice(79), 'C01', '333444556')
  await bank.put('change.ach', buildBankFile([{ ...buildReturn(prenote, 'R03'), addenda: change }]))
  const listChanges = () => get(`/account-changes?externalAccountId=${payee}`)
  const { data } = await until(listChanges, (found) => found.data.length === 1)
  expect(data[0]).toMatchObject({ status: 'PENDING', code: 'C01', transactionId: payment })
  await passDays()
  const dismissed = await bank.world.client.post(`/account-changes/${data[0].id}/dismiss`, {
    reason: 'Asked',
  })
  expect(dismissed.status).toBe(200)
  expect(listEntries(await takeAcceptedFile())).toEqual([
    expect.stringMatching(/^622011401533333444555 {8}0000000300/),
  ])
})

test('a rejected file fails the payments that wait for its prenotes, and leaves the accounts usable', async () => {
  const { addAccount, send } = await newPayingCustomer(bank, 'rejected')
  const payee = await addAccount('444555666')
  const payment = (await send(payee, 200)).body.id
  await waitUntilQueued(bank.world, 2)
  const { name } = await bank.takeFile()
  await bank.put(`${name}.nak`, 'WRONG COMPANY ID')
  await until(
    () => readStatus(payment),
    (status) => status === 'FAILED',
  )
  expect(await get(`/customers/external-accounts/${payee}`)).toMatchObject({ status: 'ACTIVE' })
  await send(payee, 210)
  await waitUntilQueued(bank.world, 3)
  expect(listEntries(await takeAcceptedFile())).toEqual([expect.stringMatching(/^623011401533444555666/)])
})

describe('erasing a customer', () => {
  /** Starts a pull from an account of a new customer, which orders a prenote. */
  async function startPull(accountNumber: string) {
    const { customerId, addAccount, pull } = await newUnfundedCustomer(bank)
    const pulled = await pull(await addAccount(accountNumber), 130)
    expect(pulled.status, JSON.stringify(pulled.body)).toBe(201)
    return { customerId, payment: pulled.body.id as string }
  }

  /** Creates pulls that have failed because the bank rejected the file of their prenotes. */
  async function createFailedPulls(...accountNumbers: readonly string[]) {
    await pauseWorkers(bank.world)
    const pulls = await Promise.all(accountNumbers.map(startPull))
    await query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
    const { name } = await bank.takeFile()
    await bank.put(`${name}.nak`, 'NO')
    for (const { payment } of pulls)
      await until(
        () => readStatus(payment),
        (status) => status === 'FAILED',
      )
    return { name, customers: pulls.map(({ customerId }) => customerId) }
  }

  const listRows = async (accountNumber: string) =>
    (await query(`SELECT * FROM bank_payments WHERE details->>'account' = '${accountNumber}'`)).rows

  test('removes a prenote that waits for a file, and keeps one in an unwritten file unchanged until the file is written', async () => {
    const { world } = bank
    const { name, customers } = await createFailedPulls('777888991', '777888992', '777888993')
    const [queued = '', unwritten = ''] = customers
    await pauseWorkers(world)
    await query(`UPDATE bank_payments SET file_id = NULL, place = NULL, trace = NULL
      WHERE kind = 'PRENOTE' AND details->>'account' = '777888991'`)
    await query(`UPDATE bank_files SET state = 'WRITING', part = NULL, accepted_at = NULL, bank_status = NULL
      WHERE name = '${name}'`)
    await requestErasure(world, queued)
    await waitUntilErased(world, queued)
    expect(await listRows('777888991')).toEqual([])
    await requestErasure(world, unwritten)
    expect(await waitUntilErasureWaits(world, unwritten)).toBe('ERASING')
    expect(await listRows('777888992')).toHaveLength(1)

    await query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
    world.service.app.workers.wake()
    const accounts = listEntries(await takeAcceptedFile()).map((line) => line.slice(12, 21))
    expect(accounts.sort()).toEqual(['777888992', '777888993'])
    await resumeErasures(world)
    await waitUntilErased(world, unwritten)
    expect(await listRows('777888992')).toEqual([])
  })

  test('is not undone by the return of a prenote that was read before the erasure', async () => {
    const { world } = bank
    const { customers } = await createFailedPulls('777888995')
    const [customerId = ''] = customers
    const read = await world.service.app.db.query<QueuedPaymentRow>(
      `UPDATE bank_payments SET details = details - 'failure'
       WHERE kind = 'PRENOTE' AND details->>'account' = '777888995' RETURNING *`,
    )
    const prenote = requireValue(read.rows[0], 'prenote')
    await requestErasure(world, customerId)
    await waitUntilErased(world, customerId)
    const worker = await findFileWorker()
    const failure = { code: 'R03', message: 'The account does not exist' }
    await decide(worker, (op) => applyToEntry(op, prenote, { id: 'R1', event: 'fail', failure }))
    expect(await listRows('777888995')).toEqual([])
  })
})
