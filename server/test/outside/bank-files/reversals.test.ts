import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import { buildRejection, buildStatusReport } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { isBankFilesRail } from '../../../src/outside/bank-files/rail.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { dieAtEachCommit, pauseWorkers } from '../../worlds/production/file-bank.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import {
  buildBankFile,
  buildChangeAddenda,
  FUNDS,
  newPayingCustomer,
  openReversalBank,
  readReference,
  readTrace,
} from './ach-bank.testing.ts'

let world: Awaited<ReturnType<typeof openReversalBank>>
beforeAll(async () => {
  world = await openReversalBank()
})
beforeEach(() => world.startDay())
afterAll(() => world.bank.close())

const toUuid = (id: string) => id.slice(id.indexOf(':') + 1)

test('a reversal is the opposite entry and the only one in its file, in a REVERSAL batch of the same company, class, account and amount', async () => {
  const {
    bank,
    submitPayment,
    reverse,
    waitForQueued,
    takeNextFile,
    readStatus,
    findReversal,
    waitForDelivery,
  } = world
  const { id, entry, addAccount, send, customerId } = await submitPayment('send', '111222333', 400)
  await waitForDelivery(id)
  await send(await addAccount('111222334'), 10)
  await waitForQueued(1)
  expect(await reverse(id)).toMatchObject({
    status: 200,
    body: {
      transaction: { id, status: 'COMPLETED' },
      decision: { outcome: 'REVERSAL', status: 'DECIDED', reversal: { status: 'WAITING' } },
    },
  })
  expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^622011401533111222334/)])
  const { text, entries } = await takeNextFile()
  const batchHeaders = text.split('\n').filter((line) => line.startsWith('5'))
  expect(batchHeaders).toEqual([expect.stringMatching(/^5225ACME {32}1123456789PPDREVERSAL {2}/)])
  expect(entries).toEqual([
    expect.stringMatching(/^627011401533111222333 {8}0000000400CS[0-9A-F]{12} Grace Hopper/),
  ])
  const [reversalEntry = ''] = entries
  expect(readReference(reversalEntry)).not.toBe(readReference(entry))
  expect(readTrace(reversalEntry)).not.toBe(readTrace(entry))
  expect(await findReversal(id)).toEqual({ status: 'SENT' })
  expect([await readStatus(id), await bank.balanceOf(customerId)]).toEqual(['COMPLETED', 590n])
})

test('a reversal of a pull or an unsent payment, a second request and a late one are each refused with the reason', async () => {
  const { bank, submitPayment, reverse, query, takeNextFile, waitForQueued } = world
  const expectReason = async (id: string, reason: string, message: string) => {
    const reply = await reverse(id)
    expectError(reply, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(reply.body).toMatchObject({ details: { reason }, message: expect.stringContaining(message) })
  }
  const pull = await submitPayment('pull', '222333444', 120)
  await expectReason(pull.id, 'NOT_REVERSIBLE', 'This payment is a pull')

  const { id, addAccount, send } = await submitPayment('send', '222333445', 100)
  const unsent = (await send(await addAccount('222333446'), 50)).body.id
  await waitForQueued(1)
  await expectReason(unsent, 'NOT_SENT', 'not in an accepted file')
  await takeNextFile()

  await query(
    `UPDATE bank_files SET executed_on = '2026-01-05' WHERE id = (SELECT file_id FROM bank_payments WHERE payment_id = $1)`,
    [toUuid(unsent)],
  )
  await expectReason(unsent, 'TOO_LATE', 'by 2026-01-12')

  for (const [field, body] of [
    ['charge', { charge: { amount: 1, currency: 'USD' } }],
    ['railEventId', { railEventId: 'RailEvent:0198c0de-0000-7000-8000-000000000001' }],
  ] as const)
    expectError(await reverse(id, body), { code: 'INVALID_INPUT', field })
  expect((await reverse('Transaction:0198c0de-0000-7000-8000-000000000001')).status).toBe(404)

  const replies = await Promise.all(Array.from({ length: 50 }, () => reverse(id)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  await expectReason(id, 'ALREADY_REQUESTED', 'WAITING')
  expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^627011401533222333445/)])
  await expectReason(id, 'ALREADY_REQUESTED', 'SENT')
  expect(await bank.outbox()).toEqual({})
})

test('a rejected reversal leaves the payment unchanged and can be requested again', async () => {
  const {
    bank,
    submitPayment,
    reverse,
    takeNextFile,
    waitForReversal,
    findReversal,
    query,
    listDecisions,
    waitForDelivery,
  } = world
  const { id, customerId } = await submitPayment('send', '333444555', 100)
  await reverse(id)
  const first = await takeNextFile('nak')
  expect((await waitForReversal(id, 'FAILED')).failure).toContain('bank')

  expect((await reverse(id)).status).toBe(200)
  const second = await takeNextFile()
  const { rows } = await query('SELECT message_name FROM bank_files WHERE name = $1', [second.name])
  const status = buildRejection({ endToEndId: readReference(second.entries[0] ?? '') }, 'AC04')
  await bank.put('rejected.xml', buildStatusReport(String(rows[0]?.message_name), { ofBatch: status }))
  await bank.put(
    'rejected-again.xml',
    `${buildStatusReport(String(rows[0]?.message_name), { ofBatch: status })}\n`,
  )
  expect((await waitForReversal(id, 'FAILED')).failure).toContain('AC04')

  expect((await reverse(id)).status).toBe(200)
  const third = await takeNextFile()
  const thirdFile = await query('SELECT message_name FROM bank_files WHERE name = $1', [third.name])
  const fileStatus = buildStatusReport(String(thirdFile.rows[0]?.message_name), {
    ofBatch: '<PmtInfSts>RJCT</PmtInfSts>',
  })
  await bank.put('whole.xml', fileStatus)
  await waitForReversal(id, 'FAILED')

  expect((await reverse(id)).status).toBe(200)
  const fourth = await takeNextFile()
  expect(await findReversal(id)).toEqual({ status: 'SENT' })
  const traces = [first, second, third, fourth].flatMap(({ entries }) => entries.map(readTrace))
  expect(new Set(traces).size).toBe(4)
  const statuses = (await listDecisions(id)).map(
    ({ reversal }: { reversal: { status: string } }) => reversal.status,
  )
  expect(statuses).toEqual(['SENT', 'FAILED', 'FAILED', 'FAILED'])
  await waitForDelivery(id)
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 100n)
})

test("a returned reversal fails with the bank's reason, leaves the payment unchanged and can be requested again", async () => {
  const {
    bank,
    submitReversedPayment,
    returnEntry,
    waitForReversal,
    reverse,
    waitForDelivery,
    takeNextFile,
    findReports,
  } = world
  const { id, reversalEntry, customerId } = await submitReversedPayment('333444556', 300)
  await returnEntry(reversalEntry, 'R01')
  expect((await waitForReversal(id, 'FAILED')).failure).toMatch(/^R01: /)
  await returnEntry(reversalEntry, 'R01')
  await waitForDelivery(id)
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 300n)
  expect(await findReports(id)).toEqual([])
  expect((await reverse(id)).status).toBe(200)
  expect((await takeNextFile()).entries).toHaveLength(1)
})

test('a reversal is never sent if its payment is returned or becomes too old first', async () => {
  const { submitPayment, reverse, returnEntry, waitForBalance, waitForReversal, query, bank } = world
  const returnedPayment = await submitPayment('send', '444555666', 200)
  await reverse(returnedPayment.id)
  await returnEntry(returnedPayment.entry, 'R03')
  await waitForBalance(returnedPayment.customerId, FUNDS)
  const oldPayment = await sendAloneInFile(returnedPayment, '444555667')
  expect((await waitForReversal(returnedPayment.id, 'FAILED')).failure).toBe(
    'The payment was returned before the reversal was sent',
  )
  expectError(await reverse(returnedPayment.id), { code: 'INVALID_STATE_TRANSITION' })

  await reverse(oldPayment.id)
  await query(
    `UPDATE bank_files SET executed_on = '2026-01-05' WHERE id = (SELECT file_id FROM bank_payments WHERE payment_id = $1 AND kind = 'PAYMENT')`,
    [toUuid(oldPayment.id)],
  )
  await sendAloneInFile(returnedPayment, '444555668')
  expect((await waitForReversal(oldPayment.id, 'FAILED')).failure).toContain('by 2026-01-12')
  expectError(await reverse(oldPayment.id), { code: 'PAYMENT_NOT_DECIDABLE' })
  expect(await bank.outbox()).toEqual({})
})

/** Sends another payment of the customer, which is alone in the next file. */
async function sendAloneInFile(
  { addAccount, send }: Pick<Awaited<ReturnType<typeof newPayingCustomer>>, 'addAccount' | 'send'>,
  account: string,
) {
  const { id } = (await send(await addAccount(account), 10)).body
  await world.waitForQueued(1)
  const { entries } = await world.takeNextFile()
  expect(entries).toEqual([expect.stringMatching(new RegExp(`^622011401533${account}`))])
  return { id: String(id) }
}

test('a notification of change that waits for a person does not delay a reversal', async () => {
  const { bank, submitPayment, reverse, takeNextFile, get } = world
  const { id, entry, accountId } = await submitPayment('send', '555666777', 100)
  const change = {
    ...{ transactionCode: '21', amount: 0n, account: '555666777', trace: '011401530000009' },
    ...{
      individualId: readReference(entry),
      addenda: buildChangeAddenda(readTrace(entry), 'C01', '555666778'),
    },
  }
  await bank.put('change.ach', buildBankFile([change]))
  await until(
    () => get(`/account-changes?externalAccountId=${accountId}`),
    ({ data }) => data.length === 1 && data[0].status === 'PENDING',
  )
  expect((await reverse(id)).status).toBe(200)
  expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^627011401533555666777/)])
})

test('a reversal that is requested while the bank is closed waits for its next opening', async () => {
  const { bank, submitPayment, reverse, takeNextFile, query, findReversal } = world
  const { id } = await submitPayment('send', '555666779', 100)
  const { app } = bank.world.service
  const { entry } = requireValue(app.rails.list().find(isBankFilesRail), 'rail of files')
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']
  const [today, tomorrow, dayAfter] = [0, 1, 2].map((count) =>
    new Date(app.clock().getTime() + count * 86_400_000).toISOString().slice(0, 10),
  )
  const hours = { timeZone: 'UTC', days, opensAt: '00:00', cutOff: '00:01', holidays: [today, tomorrow] }
  await bank.world.setRails([{ ...entry, hours }])
  expect((await reverse(id)).status).toBe(200)
  const { rows } =
    await query(`SELECT created_at FROM bank_payments WHERE kind = 'REVERSAL' AND file_id IS NULL
    AND NOT details ? 'failure'`)
  expect(rows).toEqual([{ created_at: new Date(`${dayAfter}T00:00:00.000Z`) }])
  await bank.world.setRails([entry])
  await sendAloneInFile(await newPayingCustomer(bank, 'closed'), '555666780')
  expect(await findReversal(id)).toEqual({ status: 'WAITING' })
  await query(`UPDATE bank_payments SET created_at = now() WHERE created_at > now()`)
  expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^627011401533555666779/)])
})

test('a server that dies at each of its commits sends a reversal once, in one file', async () => {
  const { bank, submitPayment, reverse, waitForReversal } = world
  const { id } = await submitPayment('send', '666777888', 250)
  await pauseWorkers(bank.world)
  expect((await reverse(id)).status).toBe(200)
  const { deaths } = await dieAtEachCommit(bank.world)
  expect(deaths).toBeGreaterThan(3)
  const { name, text } = await bank.takeFile()
  expect(text.split('\n').filter((line) => line.startsWith('6'))).toEqual([expect.stringMatching(/^627/)])
  expect(await bank.outbox()).toEqual({})
  await bank.put(`${name}.ack`, '')
  await waitForReversal(id, 'SENT')
})

test('if two approvals are required, a reversal is queued only after two members agree, and API tokens cannot request it', async () => {
  const { bank, submitPayment, reverse, listDecisions, takeNextFile } = world
  const { client } = bank.world
  const { id } = await submitPayment('send', '777888999', 100)
  const [ada, grace] = [
    await newMember(client, ['VIEW', 'APPROVE'], 'Ada', { hasPasskey: true }),
    await newMember(client, ['VIEW', 'APPROVE'], 'Grace', { hasPasskey: true }),
  ]
  await client.send('PATCH', '/config', { approvalsRequired: 2 })
  expectError(await reverse(id), { code: 'FORBIDDEN' })
  const proposal = await reverse(id, {}, ada.browser)
  expect(proposal.body.decision).toMatchObject({ status: 'PROPOSED', outcome: 'REVERSAL' })
  expect((await reverse(id, {}, ada.browser)).body.decision).toBeUndefined()
  const decision = await reverse(id, {}, grace.browser)
  await client.send('PATCH', '/config', { approvalsRequired: 1 })
  expect(decision.body.decision).toMatchObject({ status: 'DECIDED', reversal: { status: 'WAITING' } })
  expect(await listDecisions(id)).toHaveLength(2)
  expect((await takeNextFile()).entries).toHaveLength(1)
})

test('erasing a customer erases their reversals, and a waiting one is not sent and stops no other payment', async () => {
  const erasureWorld = await openReversalBank({}, { PERSONAL_DATA_DAYS: '0' })
  const {
    bank,
    submitPayment,
    reverse,
    submitReversedPayment,
    query,
    takeNextFile,
    waitForQueued,
    waitForDelivery,
    waitForReversal,
    get,
  } = erasureWorld
  const eraseCustomer = async (id: string) => {
    expect((await bank.world.client.send('DELETE', `/customers/${id}`)).status).toBe(200)
    await bank.world.client.post(`/customers/${id}/erasure`)
    await until(
      () => get(`/customers/${id}/erasure`),
      ({ status }) => status === 'DONE',
    )
  }
  try {
    const sentPayment = await submitReversedPayment('888999000', 1_000)
    const waitingPayment = await submitPayment('send', '888999001', 1_000)
    await waitForDelivery(sentPayment.id)
    await waitForDelivery(waitingPayment.id)
    await pauseWorkers(bank.world)
    expect((await reverse(waitingPayment.id)).status).toBe(200)
    for (const { customerId } of [sentPayment, waitingPayment]) await eraseCustomer(customerId)
    expect((await query(`SELECT id FROM bank_payments WHERE details::text LIKE '%88899900%'`)).rows).toEqual(
      [],
    )
    await query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
    const otherCustomer = await newPayingCustomer(bank, 'other')
    await otherCustomer.send(await otherCustomer.addAccount('888999002'), 10)
    await waitForQueued(1)
    expect((await takeNextFile()).entries).toEqual([expect.stringMatching(/^622011401533888999002/)])
    expect((await waitForReversal(waitingPayment.id, 'FAILED')).failure).toBe('The customer was erased')
  } finally {
    await bank.close()
  }
})
