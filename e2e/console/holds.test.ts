import { readFile } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ConsoleWorld,
  createFundedCustomer,
  DESKTOP,
  look,
  openConsole,
  openFilters,
  openSignedIn,
  PHONE,
} from '../browser.testing.ts'

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)('the page of holds, on %s,', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('finds holds by status, customer and account, saves them as a file, and lifts one with a reason', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    await countersign.config.update({
      riskConfig: { fundsHolds: [{ bankingDays: 2, currency: 'USD', paymentRail: 'ACH' }] },
    })
    const { customerId, usdId, payTo } = await createFundedCustomer(countersign)
    const bankId = await payTo('600000789')
    for (const amount of [20_000n, 30_000n])
      await countersign.transfers.in({
        source: { accountId: bankId },
        destination: { accountId: usdId },
        amount,
      })
    await countersign.sandbox.advanceClock({ seconds: 0 })

    await go(`/customers/${customerId}`)
    const accounts = page.getByRole('region', { name: 'Accounts', exact: true })
    await accounts.getByRole('link', { name: 'Holds' }).click()
    await page.getByText('2 rows shown').waitFor()
    expect(new URL(page.url()).searchParams.get('customerId')).toBe(customerId)
    const holds = page.getByRole('table', { name: 'Holds on pulled money' })
    const faults = await look(page, 'holds')
    const row = holds.getByRole('row').filter({ hasText: '200.00 USD' })
    await row.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    await row.getByRole('button', { name: 'Lift' }).click()
    const question = page.getByRole('dialog', { name: 'Lift this hold?' })
    expect(await question.getByRole('button', { name: 'Lift' }).isDisabled()).toBe(true)
    await question.getByLabel('Reason').fill('A customer of many years')
    await question.getByRole('button', { name: 'Lift' }).click()
    await row.getByText('Lifted', { exact: true }).waitFor()
    expect(await row.getByRole('button', { name: 'Lift' }).count()).toBe(0)

    await openFilters(page)
    await page.getByLabel('Status').selectOption('HELD')
    await page.getByText('1 row shown').waitFor()
    await holds.getByText('300.00 USD').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save as CSV' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('30000')

    await go(`/accounts/${usdId}`)
    await page
      .getByRole('region', { name: 'Holds on pulled money' })
      .getByRole('link', { name: 'All' })
      .click()
    await page.getByText('2 rows shown').waitFor()
    expect(new URL(page.url()).searchParams.get('account')).toBe(usdId)
    expect((await countersign.fundsHolds.list({ status: 'LIFTED' })).data).toMatchObject([
      { accountId: usdId, amount: { amount: 20_000n }, note: 'A customer of many years' },
    ])
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })
})

test('a member who lacks APPROVE sees why a hold cannot be lifted', async () => {
  const world = await openConsole()
  try {
    const { page, countersign, wrong, go } = world
    await countersign.config.update({ riskConfig: { fundsHolds: [{ bankingDays: 2, currency: 'USD' }] } })
    const { usdId, payTo } = await createFundedCustomer(countersign)
    await countersign.transfers.in({
      source: { accountId: await payTo('600000789') },
      destination: { accountId: usdId },
      amount: 20_000n,
    })
    await countersign.sandbox.advanceClock({ seconds: 0 })
    const { invitationUrl } = await countersign.members.invite({
      name: 'Sam Support',
      email: 'sam@example.com',
      permissions: ['VIEW'],
    })
    await page.goto(invitationUrl)
    await page.getByRole('button', { name: 'Create a passkey and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    await go('/holds')
    const lift = page.getByRole('button', { name: 'Lift' })
    await lift.hover()
    await page.getByRole('tooltip').filter({ hasText: 'APPROVE' }).waitFor()
    expect(await lift.isDisabled()).toBe(true)
    expect(wrong).toEqual([])
  } finally {
    await world.browser.close()
  }
})
