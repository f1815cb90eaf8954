import { readFile } from 'node:fs/promises'
import type { Countersign } from '@countersign/sdk'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, look, openConsole, openSignedIn, PHONE, SIZES } from '../browser.testing.ts'

/** Parses the rows of the file downloaded with `Save as CSV`. */
async function readSavedRows(page: Page): Promise<Record<string, string>[]> {
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Save as CSV' }).click()
  return parse(await readFile(await (await saving).path(), 'utf8'), { columns: true })
}

const FIRST_VIEW_BYTES_MAX = 200_000

describe('the console', () => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('finds and opens a customer from any page with the keyboard', async () => {
    world = await openSignedIn()
    const { page, countersign, wrong } = world
    const customer = await createCustomer(countersign, 'Ada Lovelace', 'ada@example.com')
    await createCustomer(countersign, 'Grace Hopper', 'grace@example.com')
    await page.keyboard.press('/')
    await page.getByLabel('Search for').fill('lovel')
    await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/customers/${customer.id}`)
    await page.getByText('Embedded wallet').waitFor()
    expect(wrong).toEqual([])
  })

  test('opens a list with keys, keeps its filters in the address, and saves matching rows', async () => {
    world = await openSignedIn()
    const { page, countersign, wrong } = world
    await createCustomer(countersign, '=Ada "Countess" Lovelace', 'ada@example.com')
    await createCustomer(countersign, 'Grace Hopper', 'grace@example.com')
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByText('2 rows shown').waitFor()
    await page.getByLabel('Name, e-mail, phone or reference').fill('countess')
    await page.getByText('1 row shown').waitFor()
    expect(new URL(page.url()).searchParams.get('search')).toBe('countess')
    await page.reload()
    await page.getByText('1 row shown').waitFor()

    const [row, ...others] = await readSavedRows(page)
    expect(row).toMatchObject({
      fullName: `'=Ada "Countess" Lovelace`,
      email: 'ada@example.com',
      id: expect.stringMatching(/^Customer:/),
    })
    expect(others).toEqual([])
    expect(wrong).toEqual([])
  })

  test('exports every row of a list, including rows that were not loaded', async () => {
    world = await openSignedIn()
    const { page, countersign, go, wrong } = world
    const names = Array.from({ length: 130 }, (_, nth) => `Customer ${nth}`)
    await Promise.all(names.map((name, nth) => createCustomer(countersign, name, `c${nth}@example.com`)))
    await go('/customers')
    await page.getByText('100 of 130 rows shown').waitFor()
    const rows = await readSavedRows(page)
    expect(rows.map(({ fullName }) => fullName).sort()).toEqual(names.toSorted())
    expect(wrong).toEqual([])
  })

  test('a change made elsewhere appears without a reload', async () => {
    world = await openSignedIn()
    const { page, countersign, go } = world
    const customer = await createCustomer(countersign, 'Ada Lovelace', 'ada@example.com')
    const { data: accounts } = await countersign.internalAccounts.list({ customerId: customer.id })
    const account = accounts.find(({ balance }) => balance.currency.code === 'USD')!
    await go(`/customers/${customer.id}`)
    await page.getByRole('region', { name: 'Accounts', exact: true }).getByText('Embedded wallet').waitFor()
    await countersign.sandbox.fund(account.id, { amount: 123_456n })
    await page.getByText('1,234.56 USD').first().waitFor()
  })

  test('disabled buttons say why, and a revoked permission takes effect while the page is open', async () => {
    world = await openSignedIn()
    const { page, countersign, go } = world
    const customer = await createCustomer(countersign, 'Ada Lovelace', 'ada@example.com')
    const [owner] = (await countersign.members.list({})).data
    await countersign.members.update(owner!.id, { permissions: ['VIEW'] })
    await go(`/customers/${customer.id}`)
    const button = page.getByRole('button', { name: 'Edit', exact: true })
    await button.hover()
    await page.getByText('You do not have the permission MANAGE').waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const item = page.getByRole('menuitem', { name: 'Delete' })
    await item.getByText('You do not have the permission MANAGE').waitFor()
    expect(await item.getAttribute('aria-disabled')).toBe('true')
  })

  test('the removal of a member lists the API tokens the member created, and revokes them on request', async () => {
    world = await openConsole()
    const { page, countersign, wrong, go } = world
    for (const [name, endsTokens] of [
      ['Grace', true],
      ['Ada', false],
    ] as const) {
      const email = `${name.toLowerCase()}@example.com`
      const permissions: ('VIEW' | 'MANAGE')[] = ['VIEW', 'MANAGE']
      const { invitationUrl } = await countersign.members.invite({ name, email, permissions })
      await page.goto(invitationUrl)
      await page.getByRole('button', { name: 'Create a passkey and sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
      await go('/settings?part=tokens')
      await page.getByRole('button', { name: 'New token' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill(`Token of ${name}`)
      await page.getByRole('dialog').getByRole('button', { name: 'Make the token' }).click()
      await page.getByRole('dialog').getByLabel('clientSecret').waitFor()

      await page.goto((await countersign.sandbox.consoleLink()).url)
      await page.getByRole('button', { name: 'Signed in as Sandbox owner' }).waitFor()
      await go('/settings?part=members')
      const member = page.getByText(email)
      await member.locator('xpath=../..').getByRole('button', { name: 'Remove' }).click()
      const dialog = page.getByRole('dialog')
      if (endsTokens) await dialog.getByLabel('Also revoke the API tokens').check()
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await dialog.getByText(`Token of ${name} · VIEW`).waitFor()
      await dialog.getByText(endsTokens ? 'have ended' : 'are still valid').waitFor()
      await member.waitFor({ state: 'detached' })
      expect(await look(page, `removed-${name}`)).toEqual([])
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
      await dialog.waitFor({ state: 'detached' })
    }
    const { data: tokens } = await countersign.tokens.list({})
    expect(tokens.map(({ name }) => name).filter((name) => name.startsWith('Token of'))).toEqual([
      'Token of Ada',
    ])
    expect(wrong).toEqual([])
  })

  test('names with markup, of any direction and length, are shown as text without breaking the layout', async () => {
    world = await openSignedIn(PHONE)
    const { page, countersign, wrong, go } = world
    const names = [`<img src=x onerror=alert(1)>${'x'.repeat(220)}`, 'محمد عبد الرحمن الأنصاري']
    const customers = []
    for (const [at, name] of names.entries())
      customers.push(await createCustomer(countersign, name, `person${at}@example.com`))
    await go('/customers')
    await page.getByText('2 rows shown').waitFor()
    expect(await look(page, 'hostile-list')).toEqual([])
    for (const { id } of customers) {
      await go(`/customers/${id}`)
      await page.getByRole('region', { name: 'About' }).waitFor()
      expect(await look(page, 'hostile-customer')).toEqual([])
    }
    expect(await page.locator('img').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('shows the sign-in form with at most 200 kB, compressed', async () => {
    world = await openConsole()
    const { page, go } = world
    const sizes: Promise<number>[] = []
    page.on('requestfinished', (request) => sizes.push(request.sizes().then((size) => size.responseBodySize)))
    await go('/')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    const sum = (await Promise.all(sizes)).reduce((all, one) => all + one, 0)
    expect(sum).toBeGreaterThan(0)
    expect(sum).toBeLessThanOrEqual(FIRST_VIEW_BYTES_MAX)
  })

  test.each(SIZES)(
    'is usable by all on %s, light and dark, without and with data',
    async (name, viewport) => {
      world = await openConsole(viewport)
      const { page, countersign, wrong, go } = world
      const found: string[] = []
      await go('/')
      await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
      found.push(...(await look(page, 'sign-in')))
      await page.goto((await countersign.sandbox.consoleLink()).url)
      await page.getByText('No payments in this period').first().waitFor()
      found.push(...(await look(page, 'overview-empty')))
      await go('/customers')
      await page.getByText('No customers yet').waitFor()
      found.push(...(await look(page, 'customers-empty')))
      const customer = await createCustomer(countersign, 'Ada Lovelace', 'ada@example.com')
      await pay(countersign, customer.id)
      for (const [place, path, text] of [
        ['overview', '/', 'US Dollar'],
        ['customers', '/customers', '1 row shown'],
        ['customer', `/customers/${customer.id}`, 'Embedded wallet'],
      ] as const) {
        await go(path)
        await page.getByText(text).first().waitFor()
        found.push(...(await look(page, place)))
      }
      await openSearch(page)
      found.push(...(await look(page, 'search')))
      expect(found, name).toEqual([])
      expect(wrong).toEqual([])
    },
  )
})

async function openSearch(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByLabel('Search for').fill('ada')
  await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor()
}

function createCustomer(countersign: Countersign, fullName: string, email: string) {
  return countersign.customers.create({ customerType: 'INDIVIDUAL', fullName, email })
}

/** Makes a payment from the customer's US dollar account. */
async function pay(countersign: Countersign, customerId: string): Promise<void> {
  const { data: accounts } = await countersign.internalAccounts.list({ customerId })
  const account = accounts.find(({ balance }) => balance.currency.code === 'USD')!
  await countersign.sandbox.fund(account.id, { amount: 500_000n })
  const bank = await countersign.externalAccounts.create({
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '1000000999',
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  await countersign.transfers.out({
    source: { accountId: account.id },
    destination: { accountId: bank.id },
    amount: 10_000n,
  })
}
