import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { returnsFile } from '../../../src/outside/bank-files/formats/bacs-samples.testing.ts'
import { type BacsBank, openBacsBank, returnOf } from '../../worlds/production/bacs.testing.ts'

let bank: BacsBank
beforeAll(async () => {
  bank = await openBacsBank()
})
afterAll(() => bank.close())

describe('a Bacs payment', () => {
  test('is sent as a credit with its reference and a contra record, and completes if it is not returned in time', {
    tags: 'smoke',
  }, async () => {
    const payee = await bank.newPayee()
    const id = await bank.made(bank.send(payee, 1_250, { remittanceInformation: 'A-7' }))
    const { item, contra, items, text } = await bank.readSent()
    expect(items).toHaveLength(2)
    expect(item).toMatchObject({
      ...{ code: '99', sortCode: '204512', account: payee.external.accountNumber, amount: '12.50' },
      ...{ from: 'ACME LTD', reference: expect.stringMatching(/^CS[0-9A-F]{10,12} A-7$/) },
      name: 'ADA LOVELACE',
    })
    expect(contra).toMatchObject({
      ...{ code: '17', sortCode: '601613', account: '12345678', amount: '12.50' },
      ...{ from: expect.stringMatching(/^[0-9A-F]{9}-\d{8}$/), reference: 'CONTRA' },
    })
    expect(text).toMatch(/^VOL1\d{6} {31}123456/)
    expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    await bank.passReturnTime()
    await bank.world.waitForStatus(id, 'COMPLETED')
  })

  test('is refused if its remittance information does not fit after the reference', async () => {
    const payee = await bank.newPayee()
    const { status, body } = await bank.send(payee, 100, { remittanceInformation: 'INVOICE 2026-7' })
    expect([status, body.details?.field]).toEqual([400, 'remittanceInformation'])
    expect(body.message).toContain('Bacs carries at most 3')
  })

  test('is refunded once if ARUCS returns it, however often the report arrives', async () => {
    const payee = await bank.newPayee()
    const id = await bank.made(bank.send(payee, 4_000))
    const sent = await bank.readSent()
    const text = returnsFile({ report: 'ARUCS', items: [returnOf(sent, '5')] })
    for (const name of ['arucs.xml', 'arucs-again.xml']) expect(await bank.put(text, name)).toBe('done')
    // Another report repeats the item.
    await bank.put(returnsFile({ report: 'ARUCS', items: [returnOf(sent, '5', { words: 'NO ACCOUNT' })] }))
    const returned = await bank.world.waitForStatus(id, 'FAILED')
    expect(returned).toMatchObject({ failureReason: 'COUNTERPARTY_POST_TX_FAILED' })
    await bank.waitForBalance(payee.customerId, 10_000n)
    await bank.passReturnTime()
    expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'FAILED' })
    expect(await bank.balanceOf(payee.customerId)).toBe(10_000n)
  })

  test('is not changed by a return with another amount, account or reference', async () => {
    const payee = await bank.newPayee()
    const id = await bank.made(bank.send(payee, 4_000))
    const sent = await bank.readSent()
    const reasons = await bank.heldBy(async () => {
      const items = [
        returnOf(sent, '5', { amount: '39.99' }),
        returnOf(sent, '5', { account: '99999999' }),
        returnOf(sent, '5', { sortCode: '204513' }),
        returnOf(sent, '5', { ref: 'CS0123456789' }),
      ]
      await bank.put(returnsFile({ report: 'ARUCS', items }))
      await bank.put(
        returnsFile({ report: 'ARUCS', accountNumber: '87654321', items: [returnOf(sent, '5')] }),
      )
      // A credit is not an unpaid direct debit.
      await bank.put(returnsFile({ report: 'ARUDD', items: [returnOf(sent, '5')] }))
    })
    expect(reasons.sort()).toEqual([
      ...['OTHER_ACCOUNT', 'OTHER_ACCOUNT', 'OTHER_ACCOUNT', 'OTHER_AMOUNT'],
      ...['UNKNOWN_PAYMENT', 'UNKNOWN_PAYMENT'],
    ])
    expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    expect(await bank.balanceOf(payee.customerId)).toBe(6_000n)
  })
})
