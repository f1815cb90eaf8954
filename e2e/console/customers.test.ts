import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { makeFundedCustomer } from '../../sdk/test/platform.testing.ts'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

describe('the page of a customer', () => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  const region = (name: string) => world.page.getByRole('region', { name, exact: true })

  test('changes customer details after a confirmation, and asks before leaving an unsaved form', async () => {
    world = await openSignedIn()
    const { page, countersign, go, wrong } = world
    const customer = await countersign.customers.create({
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace',
    })
    await go(`/customers/${customer.id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit the customer' })
    const save = dialog.getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    await dialog.getByLabel('Name').fill('Ada King')
    await dialog.getByLabel('City').fill('London')
    expect(await save.isDisabled()).toBe(true)
    await dialog.getByLabel('Street and number').fill('12 St James’s Square')
    await dialog.getByLabel('Postal code').fill('SW1Y 4JH')
    await dialog.getByLabel('Country, two letters').fill('gb')
    expect(await look(page, 'customer-edit')).toEqual([])
    await page.keyboard.press('Escape')
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay' })
      .click()
    await save.click()
    await page.getByText('Customer saved.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Ada King', exact: true }).waitFor()
    expect(await countersign.customers.get(customer.id)).toMatchObject({
      fullName: 'Ada King',
      address: { line1: '12 St James’s Square', city: 'London', postalCode: 'SW1Y 4JH', country: 'GB' },
    })
    await region('Timeline').getByRole('link', { name: 'Change a customer' }).waitFor()
    expect(wrong).toEqual([])
  })

  test('starts the verification, makes a link to it, and deletes from a menu', async () => {
    world = await openSignedIn()
    const { page, countersign, go, wrong } = world
    await countersign.config.update({ sandboxConfig: { verification: 'MANUAL' } })
    const customer = await countersign.customers.create({
      customerType: 'INDIVIDUAL',
      fullName: 'Grace Hopper',
    })
    await go(`/customers/${customer.id}`)
    await page.getByRole('button', { name: 'Send a link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Link to the verification page' })
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = await dialog.getByRole('textbox', { name: 'Verification link' }).inputValue()
    expect((await fetch(link)).status).toBe(200)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Start verification' }).click()
    await page.getByRole('link', { name: '← Verifications' }).waitFor()
    const { data } = await countersign.verifications.list({ customerId: customer.id })
    expect(data).toHaveLength(1)

    await go(`/customers/${customer.id}`)
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Customer deleted.').waitFor()
    await expect(countersign.customers.get(customer.id)).rejects.toMatchObject({ status: 410 })
    expect(wrong).toEqual([])
  })

  test('funds an account, issues a card, and has a timeline of payments, events and calls', async () => {
    world = await openSignedIn()
    const { page, countersign, go, wrong } = world
    const { customerId, usdId, bankId } = await makeFundedCustomer(countersign, {
      email: 'ada@example.com',
      amount: 100_000n,
    })
    await countersign.sandbox.fund(usdId, { amount: 100_000n })
    await countersign.transfers.out({
      source: { accountId: usdId },
      destination: { accountId: bankId },
      amount: 2_500n,
    })
    await go(`/customers/${customerId}`)
    await region('Accounts').getByRole('button', { name: 'Fund' }).click()
    const fund = page.getByRole('dialog', { name: 'Fund an account' })
    await fund.getByLabel('Account').selectOption(usdId)
    await fund.getByLabel('Amount in USD').fill('12.34')
    await fund.getByRole('button', { name: 'Fund', exact: true }).click()
    await fund.getByText('The balance is now').waitFor()
    await page.keyboard.press('Escape')

    await region('Timeline').getByRole('link', { name: 'Payment out of 25.00 USD' }).waitFor()
    await loadEveryEntry(page)
    await region('Timeline').getByText('Create a customer').waitFor()
    // Payees are shown by holder and the end of the number.
    await region('External accounts')
      .getByText(/•••• \w{4}/)
      .waitFor()

    await region('Cards').getByRole('button', { name: 'Issue a card' }).click()
    const dialog = page.getByRole('dialog', { name: 'Issue a card' })
    await dialog.getByRole('checkbox').first().check()
    expect(await look(page, 'issue-card')).toEqual([])
    await dialog.getByRole('button', { name: 'Issue a card' }).click()
    await page.getByText('Card ordered.').waitFor()
    await page.getByRole('link', { name: '← Cards' }).waitFor()
    expect((await countersign.cards.list({ cardholderId: customerId })).data).toHaveLength(1)
    expect(wrong).toEqual([])
  })

  test.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])('is readable on %s, with its menu open', async (_, viewport) => {
    world = await openSignedIn(viewport)
    const { page, countersign, go, wrong } = world
    const { customerId, usdId, bankId } = await makeFundedCustomer(countersign, {
      email: 'ada@example.com',
      amount: 100_000n,
    })
    await countersign.sandbox.fund(usdId, { amount: 100_000n })
    await countersign.transfers.out({
      source: { accountId: usdId },
      destination: { accountId: bankId },
      amount: 2_500n,
    })
    await go(`/customers/${customerId}`)
    await region('Timeline').getByRole('link').first().waitFor()
    const found = await look(page, 'customer-full')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
    expect([...found, ...(await look(page, 'customer-menu'))]).toEqual([])
    expect(wrong).toEqual([])
  })
})

/** Loads the timeline back to its beginning. */
async function loadEveryEntry(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'Show earlier' })
  const box = page.getByRole('region', { name: 'Timeline' }).locator('[aria-busy=false]')
  for (;;) {
    await box.waitFor()
    if ((await more.count()) === 0) return
    await more.click()
  }
}
