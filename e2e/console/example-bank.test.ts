import { afterEach, expect, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

let world: ConsoleWorld
afterEach(async () => {
  await world?.browser.close()
})

test.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)(
  'an example bank is made, its differences are matched and booked on one page, and the next day follows, on %s',
  async (_, size) => {
    world = await openSignedIn(size)
    const { page, countersign, go, wrong } = world
    await countersign.sandbox.exampleBank({ currency: 'USD' })
    await go('/reconciliations')
    await page.getByRole('button', { name: 'Create an example bank' }).click()
    await page.getByRole('heading', { name: /^example-bank-/ }).waitFor()
    const suggested = page.getByRole('table', { name: 'Suggested matches' })
    await suggested.getByText('Several payments in one line').waitFor()
    await page.getByText('Bank statement').waitFor()
    expect(await look(page, 'example-bank')).toEqual([])
    const dialog = page.getByRole('dialog', { name: 'Match the selected items?' })
    const matches = page.getByRole('table', { name: 'Matches' })
    const match = async (reason: string) => {
      await page.getByRole('button', { name: /^Match \d/ }).click()
      await dialog.getByLabel('Reason').fill(reason)
      await dialog.getByRole('button', { name: 'Match', exact: true }).click()
      await matches.getByText(reason).waitFor()
    }
    for (const kind of [
      /Several payments in one line/,
      /One payment in several lines/,
      /A line and its payment/,
    ]) {
      await suggested.getByRole('row', { name: kind }).first().getByRole('button', { name: 'Select' }).click()
      await match(`Found by ${kind.source}`)
    }
    // The charge and the rental remain and are booked as costs.
    const boxes = page.getByRole('table', { name: 'Differences' }).getByRole('checkbox')
    for (const left of [2, 1]) {
      await expect.poll(() => boxes.count()).toBe(left)
      await boxes.first().check()
      await match(`Booked as costs, ${left}`)
    }
    await page.getByText('The bank and the books agree.').waitFor()
    expect(await look(page, 'example-bank-balanced')).toEqual([])
    await page.getByText('Balanced', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.getByText('1 of 1').waitFor()
    await suggested.getByText('Several payments in one line').waitFor()
    expect(wrong).toEqual([])
  },
)
