import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  advicesFile,
  returnsFile,
  type SampleAdvice,
} from '../../../src/outside/bank-files/formats/bacs-samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type BacsBank,
  openBacsBank,
  type Payer,
  returnOf,
  type Sent,
} from '../../worlds/production/bacs.testing.ts'
import { dieAtEachCommit, pauseWorkers } from '../../worlds/production/file-bank.testing.ts'
import {
  ERASES_NOW,
  requestErasure,
  resumeErasures,
  waitUntilErased,
  waitUntilErasureWaits,
} from '../../worlds/records/erasures.testing.ts'
import { newMandate, newPoundAccount } from '../../worlds/records/external-accounts.testing.ts'

let bank: BacsBank
beforeAll(async () => {
  bank = await openBacsBank(ERASES_NOW)
})
afterAll(() => bank.close())

describe('a Bacs mandate', () => {
  test("is reported to the debtor's bank when it is created and when it is canceled", async () => {
    const { instruction, ...payer } = await bank.newKnownPayer({ reference: 'MEMBER-0007' })
    expect(payer.mandate.debtor).toEqual({
      ...{ name: 'Ada Lovelace', sortCode: '204512', accountNumber: payer.external.accountNumber },
    })
    const fields = { sortCode: '204512', account: payer.external.accountNumber, amount: '0.00' }
    const reference = 'MEMBER-0007'
    expect(instruction.items).toEqual([expect.objectContaining({ ...fields, code: '0N', reference })])
    expect(instruction.text).toMatch(/UTL10{40} {8}0000001/)
    await bank.world.client.post(`/mandates/${payer.mandate.id}/cancel`, { reason: 'Asked by letter' })
    const { items } = await bank.readSent()
    expect(items).toEqual([expect.objectContaining({ ...fields, code: '0C', reference })])
    expect((await bank.pull(payer, 100)).status).toBe(400)
  })

  test('accepts only references that Bacs allows, and lapses after 24 months', async () => {
    const { mandate, external } = await bank.newKnownPayer()
    expect(mandate.reference).toMatch(/^[0-9A-F]{18}$/)
    expect(mandate.expiresOn).toBe('2028-02-27')
    for (const reference of ['SHORT', 'lower-case', 'AAAAAAA', 'DDIC-0001', 'X'.repeat(19)]) {
      const { status, body } = await bank.world.client.post('/mandates', {
        ...{ externalAccountId: external.id, signedOn: '2026-02-27', reference },
      })
      expect([status, body.details?.field], reference).toEqual([400, 'reference'])
    }
  })

  test('is collected with the codes of a first, a recurring and a final collection, each with its reference', async () => {
    const { instruction, ...payer } = await bank.newKnownPayer()
    const sent: Sent[] = []
    for (const isLast of [false, false, true]) {
      const cancel = { reason: 'Moved away', afterNextCollection: true }
      if (isLast) await bank.world.client.post(`/mandates/${payer.mandate.id}/cancel`, cancel)
      await bank.made(bank.pull(payer, 1_000))
      sent.push(await bank.readSent())
    }
    const { reference } = payer.mandate
    expect(sent.map(({ item }) => [item.code, item.reference])).toEqual([
      ['01', reference],
      ['17', reference],
      ['19', reference],
    ])
    // Ten banking days of advance notice, after the instruction.
    const days = [instruction, ...sent].map(({ processedOn }) => Date.parse(processedOn) / 86_400_000)
    const [instructedDay = 0, firstDay = 0] = days
    expect(firstDay - instructedDay).toBeGreaterThanOrEqual(11)
    expect(new Set(days.slice(1)).size).toBe(1)
    // The last collection ends the mandate: the bank needs no instruction.
    expect(await bank.mandateOf(payer)).toMatchObject({ status: 'CANCELED', cancelReason: 'Moved away' })
    expect(await bank.outbox()).toEqual({})
  })

  test('for a one-off collection uses the code of a first collection', async () => {
    const payer = await bank.newKnownPayer({ mandateType: 'ONE_OFF' })
    await bank.made(bank.pull(payer, 1_000))
    expect((await bank.readSent()).item).toMatchObject({ code: '01', amount: '10.00' })
    expect((await bank.pull(payer, 1_000)).status).toBe(400)
  })
})

describe('a Bacs direct debit', () => {
  test('is credited once its file is booked as one sum and the return period has passed', async () => {
    const payer = await bank.newKnownPayer()
    const { items, contra } = await bank.credited(payer)
    expect(items).toHaveLength(2)
    expect(contra).toMatchObject({ code: '99', account: '12345678', amount: '25.00', reference: 'CONTRA' })
  })

  test('fails if ARUDD reports it as unpaid before it is credited, and its mandate stays active', async () => {
    const payer = await bank.newKnownPayer()
    const id = await bank.made(bank.pull(payer, 2_500))
    const sent = await bank.readSent()
    const text = returnsFile({ report: 'ARUDD', items: [returnOf(sent, '0')] })
    for (const name of ['arudd.xml', 'arudd-again.xml']) expect(await bank.put(text, name)).toBe('done')
    const { counterpartyInformation } = await bank.world.waitForStatus(id, 'FAILED')
    expect(counterpartyInformation.failureDetail).toBe('ARUDD-0: Refer to the payer')
    await bank.passReturnTime()
    expect(await bank.balanceOf(payer.customerId)).toBe(0n)
    expect(await bank.mandateOf(payer)).toMatchObject({ status: 'ACTIVE' })
  })

  test.each([
    ['0', 'ACTIVE'],
    ['1', 'CANCELED'],
    ['2', 'CANCELED'],
    ['3', 'ACTIVE'],
    ['7', 'ACTIVE'],
    ['B', 'CANCELED'],
  ])(
    'is refunded if ARUDD reports it as unpaid with code %s after it was credited, and its mandate is then %s',
    async (code, status) => {
      const { instruction, ...payer } = await bank.newKnownPayer()
      const sent = await bank.credited(payer)
      await bank.put(returnsFile({ report: 'ARUDD', items: [returnOf(sent, code)] }))
      await bank.world.waitForStatus(sent.id, 'REFUNDED')
      await bank.waitForBalance(payer.customerId, 0n)
      expect(await bank.mandateOf(payer)).toMatchObject({ status })
      // The bank needs no instruction: its own report ended the mandate.
      expect(await bank.outbox()).toEqual({})
      if (status === 'CANCELED') expect((await bank.pull(payer, 100)).status).toBe(400)
    },
  )

  test('is matched to a report by its processing date or entry date, and by no other date', async () => {
    const payer = await bank.newKnownPayer()
    const sent = await bank.credited(payer)
    const putReport = (processedOn: string) =>
      bank.put(returnsFile({ report: 'ARUDD', items: [returnOf(sent, '0', { processedOn })] }))
    const addDays = (date: string, days: number) =>
      new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
    expect(await bank.heldBy(() => putReport(addDays(sent.processedOn, -1)))).toEqual(['UNKNOWN_PAYMENT'])
    expect(await bank.world.readTransaction(sent.id)).toMatchObject({ status: 'COMPLETED' })
    await putReport(addDays(sent.processedOn, 1))
    await bank.world.waitForStatus(sent.id, 'REFUNDED')
  })

  test('is not changed by a report with another amount, payer, mandate or platform account', async () => {
    const payer = await bank.newKnownPayer()
    const sent = await bank.credited(payer)
    const reasons = await bank.heldBy(async () => {
      const items = [
        returnOf(sent, '0', { amount: '24.99' }),
        returnOf(sent, '0', { account: '99999999' }),
        returnOf(sent, '0', { ref: 'ANOTHER-1' }),
      ]
      await bank.put(returnsFile({ report: 'ARUDD', items }))
      await bank.put(returnsFile({ report: 'ARUDD', sortCode: '601614', items: [returnOf(sent, '0')] }))
    })
    expect(reasons.sort()).toEqual(['OTHER_ACCOUNT', 'OTHER_ACCOUNT', 'OTHER_AMOUNT', 'UNKNOWN_PAYMENT'])
    expect(await bank.world.readTransaction(sent.id)).toMatchObject({ status: 'COMPLETED' })
    expect(await bank.balanceOf(payer.customerId)).toBe(2_500n)
  })

  test('is not matched automatically if another collection of its mandate has the same date and amount', async () => {
    const payer = await bank.newKnownPayer()
    await bank.made(bank.pull(payer, 700))
    await bank.readSent()
    const ids = [await bank.made(bank.pull(payer, 700)), await bank.made(bank.pull(payer, 700))]
    const sent = await bank.readSent()
    const putReport = () => bank.put(returnsFile({ report: 'ARUDD', items: [returnOf(sent, '0')] }))
    expect(await bank.heldBy(putReport)).toEqual(['UNKNOWN_PAYMENT'])
    for (const id of ids) expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
  })
})

describe('an advice from Bacs', () => {
  const buildAdvice = ({ mandate, external }: Payer, code: string, more: Partial<SampleAdvice> = {}) =>
    advicesFile([
      {
        ...{ reference: mandate.reference, code, sortCode: '204512', account: external.accountNumber },
        ...more,
      },
    ])

  test('about a mandate that the payer canceled blocks the next pull, and nothing is sent to the bank', async () => {
    const { instruction, ...payer } = await bank.newKnownPayer()
    const text = buildAdvice(payer, '1')
    for (const name of ['addacs.xml', 'addacs-again.xml']) expect(await bank.put(text, name)).toBe('done')
    expect(await bank.mandateOf(payer)).toMatchObject({
      status: 'CANCELED',
      cancelReason: 'ADDACS-1: The payer has canceled the instruction',
    })
    const { status, body } = await bank.pull(payer, 100)
    expect([status, body.details?.field]).toEqual([400, 'source.accountId'])
    expect(await bank.outbox()).toEqual({})
  })

  test('about a closed account or a returned instruction cancels the mandate', async () => {
    const payer = await bank.newKnownPayer()
    await bank.put(buildAdvice(payer, 'B'))
    // The instruction of another mandate reaches the bank, which returns it.
    const otherPayer = await bank.newKnownPayer()
    await bank.put(buildAdvice(otherPayer, '5', { type: 'N' }))
    expect(await bank.mandateOf(otherPayer)).toMatchObject({
      status: 'CANCELED',
      cancelReason: 'AUDDIS-5: The account does not exist',
    })
  })

  test('reinstates a mandate only if the bank ended it', async () => {
    const { instruction, ...payer } = await bank.newKnownPayer()
    await bank.put(buildAdvice(payer, '0'))
    expect(await bank.mandateOf(payer)).toMatchObject({ status: 'CANCELED' })
    await bank.put(buildAdvice(payer, 'R'))
    expect(await bank.mandateOf(payer)).toMatchObject({ status: 'ACTIVE' })
    expect(await bank.outbox()).toEqual({})
    // A cancellation by the platform is not the bank's, even if its reason names ADDACS.
    const reason = 'ADDACS-1: the payer sent us the letter'
    await bank.world.client.post(`/mandates/${payer.mandate.id}/cancel`, { reason })
    await bank.readSent()
    // The additional space makes it a different file.
    expect(await bank.heldBy(() => bank.put(`${buildAdvice(payer, 'R')} `))).toEqual(['CONTRADICTION'])
    expect(await bank.mandateOf(payer)).toMatchObject({ status: 'CANCELED', cancelReason: reason })
  })

  test('reinstates no mandate of a deleted customer, who cannot get a new one either', async () => {
    const { client } = bank.world
    const { instruction, ...payer } = await bank.newKnownPayer()
    await bank.put(buildAdvice(payer, '0'))
    expect(await bank.mandateOf(payer)).toMatchObject({ status: 'CANCELED' })
    expect((await client.send('DELETE', `/customers/${payer.customerId}`)).status).toBe(200)
    const reply = await client.post('/mandates', {
      externalAccountId: payer.external.id,
      signedOn: '2026-01-05',
    })
    expect([reply.status, reply.body.code]).toEqual([410, 'CUSTOMER_DELETED'])
    expect(await bank.heldBy(() => bank.put(buildAdvice(payer, 'R')))).toEqual(['CONTRADICTION'])
    expect(await bank.mandateOf(payer)).toMatchObject({ status: 'CANCELED' })
  })

  test('with new account details proposes them, and the mandate continues there once they are applied', async () => {
    const { instruction, ...payer } = await bank.newKnownPayer()
    await bank.credited(payer)
    const account = String(Number(payer.external.accountNumber) + 50_000_000)
    await bank.put(buildAdvice(payer, '3', { newSortCode: '30-99-50', newAccount: account }))
    expect((await bank.pull(payer, 100)).status).toBe(409)
    const { data } = (
      await bank.world.client.get(`/account-changes?externalAccountId=${payer.external.id}&status=PENDING`)
    ).body
    expect(data).toMatchObject([
      {
        code: 'ADDACS-3',
        changes: expect.arrayContaining([
          { field: 'sortCode', before: '204512', after: '309950' },
          { field: 'accountNumber', before: payer.external.accountNumber, after: account },
        ]),
      },
    ])
    const applied = await bank.world.client.post(`/account-changes/${data[0].id}/apply`, {
      reason: 'Confirmed by telephone',
    })
    expect(applied.status, JSON.stringify(applied.body)).toBe(200)
    expect(await bank.mandateOf(payer)).toMatchObject({
      status: 'ACTIVE',
      debtor: { name: 'Ada Lovelace', sortCode: '309950', accountNumber: account },
    })
    await bank.made(bank.pull(payer, 500))
    expect((await bank.readSent()).item).toMatchObject({ code: '17', sortCode: '309950', account })
  })

  test('about another account, mandate or service user waits without effect, and so does a dispute', async () => {
    const payer = await bank.newKnownPayer()
    const reasons = await bank.heldBy(async () => {
      await bank.put(buildAdvice(payer, '1', { account: '99999999' }))
      await bank.put(buildAdvice(payer, '1', { sortCode: '999999' }))
      await bank.put(buildAdvice(payer, '1', { user: '654321' }))
      await bank.put(buildAdvice(payer, '1', { reference: 'UNKNOWN-1' }))
      await bank.put(buildAdvice(payer, 'D'))
      await bank.put(buildAdvice(payer, 'E', { newAccount: '12345679' }))
      await bank.put(buildAdvice(payer, '0', { type: 'R' }))
    })
    expect(reasons.sort()).toEqual([
      ...['BANK_WAITS', 'BANK_WAITS', 'CHANGE_OF_ACCOUNT'],
      ...['OTHER_ACCOUNT', 'OTHER_ACCOUNT', 'OTHER_ACCOUNT', 'UNKNOWN_MANDATE'],
    ])
    expect(await bank.mandateOf(payer)).toMatchObject({ status: 'ACTIVE' })
  })
})

test('instructions, collections and reports resume and take effect once, wherever the process dies', async () => {
  await pauseWorkers(bank.world)
  const { id: external, accountNumber } = await newPoundAccount(
    bank.world.client,
    (await bank.customer()).customerId,
  )
  const { reference } = await newMandate(bank.world.client, external)
  await bank.drop(
    'dying.xml',
    advicesFile([{ reference, code: '1', sortCode: '204512', account: accountNumber }]),
  )
  const { deaths } = await dieAtEachCommit(bank.world)
  expect(deaths).toBeGreaterThan(5)
  const sent = await bank.readSent()
  expect(sent.items.map((item) => [item.code, item.reference])).toEqual([['0N', reference]])
  // An advice that was read before its instruction was sent waits for the next poll.
  await until(
    async () => {
      expect(await bank.look()).toEqual([])
      return (await bank.world.client.get(`/mandates?externalAccountId=${external}`)).body.data[0]
    },
    ({ status }) => status === 'CANCELED',
  )
  expect(await bank.outbox()).toEqual({})
})

test('deleting a customer ends the mandate, and the bank is instructed before the erasure removes the details', async () => {
  const { world } = bank
  const { customerId, mandate, external } = await bank.newKnownPayer()
  await pauseWorkers(world)
  await requestErasure(world, customerId)
  expect((await world.client.get(`/mandates/${mandate.id}`)).body).toMatchObject({
    status: 'CANCELED',
    cancelReason: 'The customer was deleted',
  })
  expect(await waitUntilErasureWaits(world, customerId)).toBe('ERASING')
  const listStoredDetails = () =>
    world.service.app.db.query('SELECT id FROM bank_payments WHERE details::text LIKE $1', [
      `%${external.accountNumber}%`,
    ])
  // The first instruction was sent already, so only the cancellation is stored.
  expect((await listStoredDetails()).rows).toHaveLength(1)

  await world.service.app.db.query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
  const { items } = await bank.readSent()
  expect(items).toEqual([expect.objectContaining({ code: '0C', account: external.accountNumber })])
  await resumeErasures(world)
  await waitUntilErased(world, customerId)
  expect((await listStoredDetails()).rows).toEqual([])
})

test('an erasure waits 30 days for an instruction whose rail is gone, and then removes it', async () => {
  const { world } = bank
  const { db, clock } = world.service.app
  const { customerId, external } = await bank.newKnownPayer()
  await pauseWorkers(world)
  const deleted = await world.client.send('DELETE', `/customers/${customerId}`)
  expect(deleted.status).toBe(200)
  await db.query(`UPDATE bank_payments SET rail = 'gone' WHERE file_id IS NULL`)
  await world.client.post(`/customers/${customerId}/erasure`)
  expect(await waitUntilErasureWaits(world, customerId)).toBe('ERASING')
  const patterns = [`%${external.accountNumber}%`]
  const listStoredDetails = async () =>
    (await db.query('SELECT id FROM bank_payments WHERE details::text LIKE $1', patterns)).rows
  expect(await listStoredDetails()).toHaveLength(1)
  await db.query(`UPDATE bank_payments SET created_at = $1 WHERE rail = 'gone'`, [
    new Date(clock().getTime() - 31 * 24 * 3_600_000),
  ])
  await resumeErasures(world)
  await waitUntilErased(world, customerId)
  expect(await listStoredDetails()).toEqual([])
  await db.query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
})
