import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)('a payment schedule, on %s,', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('is created with a form, shows its next dates, can be skipped and paused, and links each payment', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { data: accounts } = await countersign.platformInternalAccounts.list({ currency: 'USD' })
    const source = accounts[0]!.id
    await countersign.sandbox.fund(source, { amount: 100_000n })
    await countersign.platformExternalAccounts.create({
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '600000789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Babbage & Co' },
      },
    })

    await go('/schedules')
    await page.getByRole('button', { name: 'New schedule' }).click()
    const form = page.getByRole('dialog', { name: 'New schedule' })
    await form.getByLabel('Name').fill('Rent')
    await form.getByLabel('From').selectOption(source)
    await form
      .getByLabel('Payee')
      .getByRole('option', { name: /^Babbage & Co/ })
      .waitFor({ state: 'attached' })
    await form.getByLabel(/^Amount/).fill('25.00')
    await form.getByRole('button', { name: 'Create schedule' }).click()
    await page.getByRole('heading', { level: 1, name: 'Rent', exact: true }).waitFor()
    await page.getByText('Babbage & Co, USD account •••• 0789').waitFor()
    await page.getByText(/^Monthly on the last day, else on the business day before/).waitFor()
    const faults = await look(page, 'schedules')

    const [made] = (await countersign.paymentSchedules.list()).data
    const skipped = made!.upcoming[0]!.date
    await page.getByRole('button', { name: 'Skip next' }).click()
    const question = page.getByRole('dialog', { name: 'Skip the next payment?' })
    await question.getByText(`The payment on ${skipped} is skipped.`).waitFor()
    await question.getByRole('button', { name: 'Skip next' }).click()
    // The last match, because a filter option with the same text precedes it.
    await page.getByText('Skipped', { exact: true }).last().waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Active', { exact: true }).first().waitFor()
    // The session would expire before a monthly payment is due, so the schedule pays in a few minutes.
    const now = Date.parse((await countersign.sandbox.clock()).now)
    const soon = await countersign.paymentSchedules.create({
      source: made!.source,
      destination: made!.destination,
      amount: 2_500n,
      rule: { type: 'DAILY' },
      time: new Date(now + 120_000).toISOString().slice(11, 16),
      timeZone: 'UTC',
    })
    await countersign.sandbox.advanceClock({ to: soon.upcoming[0]!.paysAt })
    await go(`/schedules/${soon.id}`)
    await page.getByRole('link', { name: /^Transaction…/ }).click()
    await page.getByText('Babbage & Co').first().waitFor()
    await go('/schedules')
    await page.getByText('Rent', { exact: true }).waitFor()
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })
})
