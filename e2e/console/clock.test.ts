import type { Countersign } from '@countersign/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, look, openConsole, openSignedIn } from '../browser.testing.ts'

const DAY_SECONDS = 24 * 60 * 60

describe('times in the console', () => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('follow a clock that was moved, and a banner says so until a reset', async () => {
    world = await openSignedIn()
    const { page, countersign, go, wrong } = world
    await createCustomer(countersign, 'Ada Lovelace')
    const banner = page.getByRole('status').filter({ hasText: 'ahead of real time' })
    await go('/customers')
    const readCreated = async (name: string) =>
      (await page.getByRole('row', { name }).locator('time').textContent()) ?? ''
    await expect.poll(() => readCreated('Ada Lovelace')).toBe('just now')
    expect(await banner.count()).toBe(0)

    await countersign.sandbox.advanceClock({ seconds: 3 * DAY_SECONDS + 60 })
    await createCustomer(countersign, 'Grace Hopper')
    await page.reload()
    await banner.getByText('The clock is 3 days ahead of real time').waitFor()
    await expect.poll(() => readCreated('Grace Hopper')).toBe('just now')
    expect(await readCreated('Ada Lovelace')).toMatch(/\d:\d\d/)
    expect(await look(page, 'moved-clock')).toEqual([])
    // Sign-ins follow real time, not the sandbox clock.
    await go('/settings')
    await expect.poll(() => page.getByText(/Last seen (?:just now|1 min)/).count()).toBeGreaterThan(0)

    await banner.getByRole('button', { name: 'Go to reset' }).click()
    const drawer = page.getByRole('dialog', { name: 'Sandbox' })
    await drawer.getByRole('button', { name: 'Reset' }).click()
    await page
      .getByRole('dialog', { name: 'Reset the sandbox?' })
      .getByRole('button', { name: 'Reset' })
      .click()
    await expect.poll(() => banner.count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test.each([
    ['two hours fast', 2 * 60 * 60 * 1000],
    ['two seconds slow', -2_000],
  ])('are right although the clock of the browser is %s', async (_, aheadMs) => {
    world = await openConsole()
    const { page, countersign, go } = world
    await page.addInitScript(`const now = Date.now; Date.now = () => now() + ${aheadMs}`)
    await page.goto((await countersign.sandbox.consoleLink()).url)
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    await createCustomer(countersign, 'Ada Lovelace')
    await go('/customers')
    await expect
      .poll(() => page.getByRole('row', { name: 'Ada Lovelace' }).locator('time').textContent())
      .toBe('just now')
    expect(await page.getByText('ahead of real time').count()).toBe(0)
  })
})

function createCustomer(countersign: Countersign, fullName: string) {
  return countersign.customers.create({
    customerType: 'INDIVIDUAL',
    region: 'US',
    currencies: ['USD'],
    fullName,
  })
}
