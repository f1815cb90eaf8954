import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import { isBankFilesRail } from '../../../src/outside/bank-files/rail.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { statusFile } from '../../worlds/production/direct-debits.testing.ts'
import { dieAtEachCommit, pauseWorkers } from '../../worlds/production/file-bank.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { bankFile, changeAddenda, payingCustomer } from './ach-bank.testing.ts'
import { FUNDS, openReversalBank, referenceIn, traceIn } from './reversals.testing.ts'

let world: Awaited<ReturnType<typeof openReversalBank>>
beforeAll(async () => {
  world = await openReversalBank()
})
beforeEach(() => world.startDay())
afterAll(() => world.bank.close())

const uuidOf = (id: string) => id.slice(id.indexOf(':') + 1)

test('a reversal is the opposite entry and the only one of its file, in a batch REVERSAL of the same company, class, account and amount', async () => {
  const { bank, carried, reverse, waitForQueued, nextFile, statusOf, reversalOf, passDays } = world
  const { id, entry, accountOf, send, customerId } = await carried('send', '111222333', 400)
  await passDays(id)
  await send(await accountOf('111222334'), 10)
  await waitForQueued(1)
  expect(await reverse(id)).toMatchObject({
    status: 200,
    body: {
      transaction: { id, status: 'COMPLETED' },
      decision: { outcome: 'REVERSAL', status: 'DECIDED', reversal: { status: 'WAITING' } },
    },
  })
  expect((await nextFile()).entries).toEqual([expect.stringMatching(/^622011401533111222334/)])
  const { text, entries } = await nextFile()
  const heads = text.split('\n').filter((line) => line.startsWith('5'))
  expect(heads).toEqual([expect.stringMatching(/^5225ACME {32}1123456789PPDREVERSAL {2}/)])
  expect(entries).toEqual([
    expect.stringMatching(/^627011401533111222333 {8}0000000400CS[0-9A-F]{12} Grace Hopper/),
  ])
  const [back = ''] = entries
  expect(referenceIn(back)).not.toBe(referenceIn(entry))
  expect(traceIn(back)).not.toBe(traceIn(entry))
  expect(await reversalOf(id)).toEqual({ status: 'SENT' })
  expect([await statusOf(id), await bank.balanceOf(customerId)]).toEqual(['COMPLETED', 590n])
})

test('what cannot be reversed is refused with its reason: a pull, a payment that has not left, a second request and one that would be too late', async () => {
  const { bank, carried, reverse, query, nextFile, waitForQueued } = world
  const expectReason = async (id: string, reason: string, message: string) => {
    const reply = await reverse(id)
    expectError(reply, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(reply.body).toMatchObject({ details: { reason }, message: expect.stringContaining(message) })
  }
  const pull = await carried('pull', '222333444', 120)
  await expectReason(pull.id, 'NOT_REVERSIBLE', 'This payment is a pull')

  const { id, accountOf, send } = await carried('send', '222333445', 100)
  const unsent = (await send(await accountOf('222333446'), 50)).body.id
  await waitForQueued(1)
  await expectReason(unsent, 'NOT_SENT', 'not in an accepted file')
  await nextFile()

  await query(
    `UPDATE bank_files SET executed_on = '2026-01-05' WHERE id = (SELECT file_id FROM bank_payments WHERE payment_id = $1)`,
    [uuidOf(unsent)],
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
  expect((await nextFile()).entries).toEqual([expect.stringMatching(/^627011401533222333445/)])
  await expectReason(id, 'ALREADY_REQUESTED', 'SENT')
  expect(await bank.outbox()).toEqual({})
})

test('a rejection of the file of a reversal leaves the payment as it is, and another request may follow', async () => {
  const { bank, carried, reverse, nextFile, reversalIs, reversalOf, query, decisionsOf, passDays } = world
  const { id, customerId } = await carried('send', '333444555', 100)
  await reverse(id)
  const first = await nextFile('nak')
  expect((await reversalIs(id, 'FAILED')).failure).toContain('bank')

  expect((await reverse(id)).status).toBe(200)
  const second = await nextFile()
  const { rows } = await query('SELECT message_name FROM bank_files WHERE name = $1', [second.name])
  const status = `<TxInfAndSts><OrgnlEndToEndId>${referenceIn(second.entries[0] ?? '')}</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf></TxInfAndSts>`
  await bank.put('rejected.xml', statusFile(String(rows[0]?.message_name), status))
  await bank.put('rejected-again.xml', `${statusFile(String(rows[0]?.message_name), status)}\n`)
  expect((await reversalIs(id, 'FAILED')).failure).toContain('AC04')

  expect((await reverse(id)).status).toBe(200)
  const third = await nextFile()
  const ofThird = await query('SELECT message_name FROM bank_files WHERE name = $1', [third.name])
  const whole = statusFile(String(ofThird.rows[0]?.message_name), '<PmtInfSts>RJCT</PmtInfSts>')
  await bank.put('whole.xml', whole)
  await reversalIs(id, 'FAILED')

  expect((await reverse(id)).status).toBe(200)
  const fourth = await nextFile()
  expect(await reversalOf(id)).toEqual({ status: 'SENT' })
  const traces = [first, second, third, fourth].flatMap(({ entries }) => entries.map(traceIn))
  expect(new Set(traces).size).toBe(4)
  const shown = (await decisionsOf(id)).map(
    ({ reversal }: { reversal: { status: string } }) => reversal.status,
  )
  expect(shown).toEqual(['SENT', 'FAILED', 'FAILED', 'FAILED'])
  await passDays(id)
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 100n)
})

test('a reversal that comes back has failed with the reason of the bank, leaves the payment as it is, and may be requested again', async () => {
  const { bank, reversed, giveBack, reversalIs, reverse, passDays, nextFile, reportsWith } = world
  const { id, back, customerId } = await reversed('333444556', 300)
  await giveBack(back, 'R01')
  expect((await reversalIs(id, 'FAILED')).failure).toMatch(/^R01: /)
  await giveBack(back, 'R01')
  await passDays(id)
  expect(await bank.balanceOf(customerId)).toBe(FUNDS - 300n)
  expect(await reportsWith(id)).toEqual([])
  expect((await reverse(id)).status).toBe(200)
  expect((await nextFile()).entries).toHaveLength(1)
})

test('a payment that comes back, or becomes too old, before its reversal left ends the reversal, which is never sent', async () => {
  const { carried, reverse, giveBack, balanceIs, reversalIs, query, bank } = world
  const returned = await carried('send', '444555666', 200)
  await reverse(returned.id)
  await giveBack(returned.entry, 'R03')
  await balanceIs(returned.customerId, FUNDS)
  const old = await carriedAfter(returned, '444555667')
  expect((await reversalIs(returned.id, 'FAILED')).failure).toBe(
    'The payment was returned before the reversal was sent',
  )
  expectError(await reverse(returned.id), { code: 'INVALID_STATE_TRANSITION' })

  await reverse(old.id)
  await query(
    `UPDATE bank_files SET executed_on = '2026-01-05' WHERE id = (SELECT file_id FROM bank_payments WHERE payment_id = $1 AND kind = 'PAYMENT')`,
    [uuidOf(old.id)],
  )
  await carriedAfter(returned, '444555668')
  expect((await reversalIs(old.id, 'FAILED')).failure).toContain('by 2026-01-12')
  expectError(await reverse(old.id), { code: 'PAYMENT_NOT_DECIDABLE' })
  expect(await bank.outbox()).toEqual({})
})

/** The next file has only this further payment of the customer. */
async function carriedAfter(
  { accountOf, send }: Pick<Awaited<ReturnType<typeof payingCustomer>>, 'accountOf' | 'send'>,
  account: string,
) {
  const { id } = (await send(await accountOf(account), 10)).body
  await world.waitForQueued(1)
  const { entries } = await world.nextFile()
  expect(entries).toEqual([expect.stringMatching(new RegExp(`^622011401533${account}`))])
  return { id: String(id) }
}

test('a notification of change that waits for a person does not delay a reversal', async () => {
  const { bank, carried, reverse, nextFile, get } = world
  const { id, entry, accountId } = await carried('send', '555666777', 100)
  const change = {
    ...{ transactionCode: '21', amount: 0n, account: '555666777', trace: '011401530000009' },
    ...{ individualId: referenceIn(entry), addenda: changeAddenda(traceIn(entry), 'C01', '555666778') },
  }
  await bank.put('change.ach', bankFile([change]))
  await until(
    () => get(`/account-changes?externalAccountId=${accountId}`),
    ({ data }) => data.length === 1 && data[0].status === 'PENDING',
  )
  expect((await reverse(id)).status).toBe(200)
  expect((await nextFile()).entries).toEqual([expect.stringMatching(/^627011401533555666777/)])
})

test('a reversal that is requested while the bank is closed waits for its next opening', async () => {
  const { bank, carried, reverse, nextFile, query, reversalOf } = world
  const { id } = await carried('send', '555666779', 100)
  const { app } = bank.world.service
  const { entry } = requireValue(app.rails.list().find(isBankFilesRail), 'rail of files')
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']
  const hours = { timeZone: 'UTC', days, opensAt: '00:00', cutOff: '00:01' }
  await bank.world.setRails([{ ...entry, hours }])
  expect((await reverse(id)).status).toBe(200)
  const { rows } =
    await query(`SELECT created_at FROM bank_payments WHERE kind = 'REVERSAL' AND file_id IS NULL
    AND NOT details ? 'failure'`)
  const tomorrow = new Date(app.clock().getTime() + 86_400_000).toISOString().slice(0, 10)
  expect(rows).toEqual([{ created_at: new Date(`${tomorrow}T00:00:00.000Z`) }])
  await bank.world.setRails([entry])
  await carriedAfter(await payingCustomer(bank, 'closed'), '555666780')
  expect(await reversalOf(id)).toEqual({ status: 'WAITING' })
  await query(`UPDATE bank_payments SET created_at = now() WHERE created_at > now()`)
  expect((await nextFile()).entries).toEqual([expect.stringMatching(/^627011401533555666779/)])
})

test('a server that dies at each of its commits sends one reversal in one file', async () => {
  const { bank, carried, reverse, reversalIs } = world
  const { id } = await carried('send', '666777888', 250)
  await pauseWorkers(bank.world)
  expect((await reverse(id)).status).toBe(200)
  const { deaths } = await dieAtEachCommit(bank.world)
  expect(deaths).toBeGreaterThan(3)
  const { name, text } = await bank.takeFile()
  expect(text.split('\n').filter((line) => line.startsWith('6'))).toEqual([expect.stringMatching(/^627/)])
  expect(await bank.outbox()).toEqual({})
  await bank.put(`${name}.ack`, '')
  await reversalIs(id, 'SENT')
})

test('two members have to agree before a reversal is queued, and no API token requests one then', async () => {
  const { bank, carried, reverse, decisionsOf, nextFile } = world
  const { client } = bank.world
  const { id } = await carried('send', '777888999', 100)
  const [ada, grace] = [
    await newMember(client, ['VIEW', 'APPROVE'], 'Ada', { hasPasskey: true }),
    await newMember(client, ['VIEW', 'APPROVE'], 'Grace', { hasPasskey: true }),
  ]
  await client.send('PATCH', '/config', { approvalsRequired: 2 })
  expectError(await reverse(id), { code: 'FORBIDDEN' })
  const proposed = await reverse(id, {}, ada.browser)
  expect(proposed.body.decision).toMatchObject({ status: 'PROPOSED', outcome: 'REVERSAL' })
  expect((await reverse(id, {}, ada.browser)).body.decision).toBeUndefined()
  const decided = await reverse(id, {}, grace.browser)
  await client.send('PATCH', '/config', { approvalsRequired: 1 })
  expect(decided.body.decision).toMatchObject({ status: 'DECIDED', reversal: { status: 'WAITING' } })
  expect(await decisionsOf(id)).toHaveLength(2)
  expect((await nextFile()).entries).toHaveLength(1)
})

test('the erasure of a customer reaches its reversals, and one that waits is not sent and stops no other payment', async () => {
  const erasing = await openReversalBank({}, { PERSONAL_DATA_DAYS: '0' })
  const { bank, carried, reverse, reversed, query, nextFile, waitForQueued, passDays, reversalIs, get } =
    erasing
  const erase = async (id: string) => {
    expect((await bank.world.client.send('DELETE', `/customers/${id}`)).status).toBe(200)
    await bank.world.client.post(`/customers/${id}/erasure`)
    await until(
      () => get(`/customers/${id}/erasure`),
      ({ status }) => status === 'DONE',
    )
  }
  try {
    const sent = await reversed('888999000', 1_000)
    const waiting = await carried('send', '888999001', 1_000)
    await passDays(sent.id)
    await passDays(waiting.id)
    await pauseWorkers(bank.world)
    expect((await reverse(waiting.id)).status).toBe(200)
    for (const { customerId } of [sent, waiting]) await erase(customerId)
    expect((await query(`SELECT id FROM bank_payments WHERE details::text LIKE '%88899900%'`)).rows).toEqual(
      [],
    )
    await query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
    const other = await payingCustomer(bank, 'other')
    await other.send(await other.accountOf('888999002'), 10)
    await waitForQueued(1)
    expect((await nextFile()).entries).toEqual([expect.stringMatching(/^622011401533888999002/)])
    expect((await reversalIs(waiting.id, 'FAILED')).failure).toBe('The customer was erased')
  } finally {
    await bank.close()
  }
})
