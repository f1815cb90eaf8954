import type { Route } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)('the settings of limits, on %s,', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('accept hold rules, velocity limits and low-water marks, and reject invalid ones', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const form = (title: string) =>
      page.locator('form').filter({
        has: page.getByRole('button', { name: `Add ${title}`, exact: true }),
      })
    const save = async (title: string) => {
      await form(title).getByRole('button', { name: 'Save' }).click()
      await form(title).getByText('Saved.').waitFor()
    }
    await go('/settings?part=risk')
    const holds = form('hold')
    await holds.getByRole('button', { name: 'Add hold' }).click()
    await holds.getByLabel('Minimum amount').fill('5000.00')
    await holds.getByText('Choose the currency of the amount').waitFor()
    expect(await holds.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    const faults = await look(page, 'settings-risk')
    await holds.getByLabel('Currency').selectOption('USD')
    await holds.getByLabel('Network').selectOption('ACH')
    await holds.getByLabel('Full banking days after arrival').fill('5')
    await save('hold')
    const limits = form('limit')
    await limits.getByRole('button', { name: 'Add limit' }).click()
    await limits.getByLabel('Applies to').selectOption('PAYEE')
    await limits.getByLabel('Maximum number of payments').fill('2')
    await save('limit')

    const held: Route[] = []
    await page.route('**/overview', (route) => void held.push(route))
    await go('/settings?part=watches')
    await form('position').waitFor()
    const marks = form('rail mark')
    // A new rail mark is for the first rail, so the form waits for the rails.
    expect(await marks.count()).toBe(0)
    for (const route of held) await route.continue()
    await page.unroute('**/overview')
    await marks.getByRole('button', { name: 'Add rail mark' }).click()
    await marks.getByLabel('Low-water mark').fill('12.50')
    await save('rail mark')
    const positions = form('position')
    await positions.getByRole('button', { name: 'Add position' }).click()
    await positions.getByLabel(/^Low-water mark/).fill('-20,000')
    await save('position')
    faults.push(...(await look(page, 'settings-watches')))

    const { riskConfig, watchConfig } = await countersign.config.get()
    expect(riskConfig).toEqual({
      fundsHolds: [{ bankingDays: 5, currency: 'USD', paymentRail: 'ACH', minAmount: 500_000n }],
      velocityLimits: [{ subject: 'PAYEE', period: 'DAY', currency: 'USD', maxCount: 2 }],
    })
    expect(watchConfig).toMatchObject({
      railMarks: [{ rail: 'sandbox', currencyCode: 'USD', amount: 1_250n }],
      positionMarks: [{ currencyCode: 'USD', amount: -2_000_000n }],
    })
    await go('/settings?part=risk')
    await holds.getByRole('button', { name: 'Remove hold 1' }).click()
    await save('hold')
    expect((await countersign.config.get()).riskConfig.fundsHolds).toEqual([])
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })
})
