import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ConsoleWorld,
  createFundedCustomer,
  DESKTOP,
  look,
  openSignedIn,
  SIZES,
} from '../browser.testing.ts'

describe('by the keyboard', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await openSignedIn(DESKTOP)
    const { countersign } = world
    const { customerId, usdId, payTo } = await createFundedCustomer(countersign)
    await countersign.customers.update(customerId, {
      customerType: 'INDIVIDUAL',
      email: 'ada@engines.example',
    })
    const destination = { accountId: await payTo('000123456789') }
    for (const amount of [4_321n, 5_432n])
      await countersign.transfers.out({ source: { accountId: usdId }, destination, amount })
  })
  afterAll(async () => {
    await world?.browser.close()
  })

  test('people find a customer by a domain, a payment by its amount, an account by its last four, a page by a word', async () => {
    const { page, go, wrong } = world
    await go('/')
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    const field = page.getByRole('combobox', { name: 'Search for' })
    const lines = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
    const find = async (typed: string, line: string) => {
      await page.keyboard.press('Control+k')
      await field.fill(typed)
      await lines.filter({ hasText: line }).first().waitFor()
    }
    await find('engines.example', 'Ada Lovelace')
    expect(await look(page, 'search')).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace', exact: true }).waitFor()
    await find('43.21', '43.21 USD')
    await page.keyboard.press('Escape')
    await find('6789', 'USD account')
    await field.fill('unattributed')
    await lines.filter({ hasText: 'Assign unattributed money' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Approvals', exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?kind=DEPOSIT')
    // Until something is typed, the search shows recently opened pages.
    await page.keyboard.press('/')
    await lines.filter({ hasText: 'Ada Lovelace' }).waitFor()
    await page.keyboard.press('Escape')
    expect(wrong).toEqual([])
  })

  test('people go through the rows of a list, open one, and see all keys', async () => {
    const { page, go, wrong } = world
    await go('/transactions')
    await page.getByText('rows shown').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('a.row:focus').getAttribute('aria-rowindex')).toBe('3')
    await page.keyboard.press('k')
    const row = page.locator('a.row:focus')
    const address = await row.getAttribute('href')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === address)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Next row').waitFor()
    expect(await look(page, 'keys')).toEqual([])
    await page.keyboard.press('Escape')
    expect(wrong).toEqual([])
  })

  test('a date is one tab stop, and its parts are typed one after the other', async () => {
    const { page, go, wrong } = world
    await go('/transactions')
    await page.getByLabel('Reference').focus()
    const label = () =>
      page.evaluate(() => document.activeElement?.closest('.mantine-TextInput-root')?.textContent)
    for (const [key, expected] of [
      ['Tab', 'From'],
      ['Tab', 'To'],
      ['Shift+Tab', 'From'],
      ['Shift+Tab', 'Reference'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await label()).toBe(expected)
    }
    await page.keyboard.press('Tab')
    await page.keyboard.type('03312026')
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('2026-03-31')
    expect(wrong).toEqual([])
  })

  test.each(SIZES)('no cell of a list is cut off by the next one or by the edge, on %s', async (_, size) => {
    const { page, go, wrong } = world
    await page.setViewportSize(size)
    for (const path of ['/transactions', '/customers', '/ledger', '/requests', '/audit']) {
      await go(path)
      await page.locator('.row:not(.head)').first().waitFor()
      await page.getByText(/rows? shown/).waitFor()
      const cut = await page.locator('.table').evaluate((table) => {
        const edge = table.getBoundingClientRect().right
        return [...table.querySelectorAll('.row:not(.head) > .cell')]
          .filter(
            (cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.getBoundingClientRect().right > edge,
          )
          .filter((cell) => !cell.querySelector('.clipped'))
          .map((cell) => cell.textContent)
      })
      expect(cut, path).toEqual([])
      // Only the page itself scrolls.
      expect(
        await page.locator('.table').evaluate((table) => table.scrollHeight > table.clientHeight + 1),
      ).toBe(false)
      expect(await look(page, `list${path.replace('/', '-')}`)).toEqual([])
    }
    expect(wrong).toEqual([])
  })
})
