import type { Countersign } from '@countersign/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

const VIEWPORTS = [
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const

describe.each(VIEWPORTS)('people who decide about a payment, on %s', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('give a reason and evidence, confirm amount and payee, and can decide again if the bank contradicts them', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const id = await createWaitingPayment(countersign)
    const open = page.getByRole('button', { name: 'Decide', exact: true })
    const dialog = page.getByRole('dialog', { name: 'Set the outcome of this payment' })
    const next = dialog.getByRole('button', { name: 'Continue' })

    await go(`/transactions/${id}`)
    await open.click()
    await dialog.getByLabel('Outcome').selectOption('RETURNED')
    await dialog.getByLabel('Reason').fill('The bank sent it back')
    // Without evidence, the form cannot be submitted.
    expect(await next.isDisabled()).toBe(true)
    await dialog.getByLabel('Evidence: note').fill('Ticket 4711')
    await dialog.getByLabel('Charge in USD').fill('3.00')
    expect(await look(page, 'decide')).toEqual([])
    await next.click()
    for (const words of ['25.00 USD', 'Charles Babbage', '3.00 USD', 'The payer gets the money back.'])
      await dialog.getByText(words).first().waitFor()
    expect(await look(page, 'decide-confirm')).toEqual([])
    expect((await countersign.transactions.decisions(id)).data).toEqual([])
    await dialog.getByRole('button', { name: 'Confirm decision' }).click()
    await dialog.getByText('The decision is recorded.').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await countersign.sandbox.advanceClock({ seconds: 0 })
    await page.getByRole('region', { name: 'Decisions' }).getByText('Ticket 4711').waitFor()
    await page.getByText('Failed').first().waitFor()

    // The bank reports a different outcome, so the report waits, with the payment and the earlier decision.
    await countersign.sandbox.reportRailEvent({
      type: 'payment.delivered',
      paymentId: id,
      message: 'Delivered',
    })
    await go('/approvals')
    await page
      .getByRole('row', { name: /Rail report/ })
      .getByRole('link')
      .click()
    const card = page.getByRole('region', { name: /^25.00 USD to Charles Babbage/ })
    await card.getByText('An earlier decision was RETURNED.').waitFor()
    await card.getByText('25.00 USD', { exact: true }).waitFor()
    expect(await look(page, 'approvals-contradiction')).toEqual([])
    await card.getByRole('button', { name: 'Decide', exact: true }).click()
    await dialog.getByLabel('Reason').fill('The payee has confirmed the money')
    await dialog.getByLabel('Evidence: note').fill('Mail of the payee')
    await next.click()
    await dialog.getByRole('button', { name: 'Confirm decision' }).click()
    await page.getByRole('heading', { name: 'No decision is pending' }).waitFor()
    const { data } = await countersign.transactions.decisions(id)
    expect(data.map(({ outcome, decidedBy }) => [outcome, decidedBy.type])).toEqual([
      ['DELIVERED', 'MEMBER'],
      ['RETURNED', 'MEMBER'],
    ])
    expect(wrong).toEqual([])
  })

  test('see what the server rejects without losing what they typed', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const id = await createWaitingPayment(countersign)
    await go(`/transactions/${id}`)
    await page.getByRole('button', { name: 'Decide', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Outcome').selectOption('RETURNED')
    await dialog.getByLabel('Reason').fill('Because')
    await dialog.getByLabel('Evidence: note').fill('A call')
    await dialog.getByLabel('Charge in USD').fill('26.00')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('button', { name: 'Confirm decision' }).click()
    await dialog.getByText('The charge must not exceed the payment').waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Because')
    expect((await countersign.transactions.get(id)).status).toBe('PENDING')
    expect(wrong.filter((message) => !message.includes('400'))).toEqual([])
  })
})

/** Creates a transfer out that its bank has accepted but not completed. */
async function createWaitingPayment(countersign: Countersign): Promise<string> {
  const { id: customerId } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
  })
  const { data } = await countersign.internalAccounts.list({ customerId, currency: 'USD' })
  const usdId = data[0]!.id
  await countersign.sandbox.fund(usdId, { amount: 500_000n })
  const payee = await countersign.externalAccounts.create({
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '000123456005',
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Charles Babbage' },
    },
  })
  const { id } = await countersign.transfers.out({
    source: { accountId: usdId },
    destination: { accountId: payee.id },
    amount: 2_500n,
  })
  await countersign.sandbox.advanceClock({ seconds: 0 })
  return id
}
