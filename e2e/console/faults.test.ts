import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, look, openSignedIn, SIZES } from '../browser.testing.ts'

const BAD = ['from=garbage', 'from=2026-02-31', 'to=99999-01-01', 'status=NONE&from=%00', 'type=x&to=1']
const LISTS = [
  '/customers',
  '/transactions',
  '/quotes',
  '/agents',
  '/events',
  '/requests',
  '/audit',
  '/reconciliations',
]

describe.each(SIZES)('the console, on %s,', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('ignores filter values in the address that a list cannot have', async () => {
    world = await openSignedIn(viewport)
    const { page, go, wrong } = world
    for (const list of LISTS)
      for (const bad of list === '/transactions' ? BAD : BAD.slice(0, 1)) {
        await go(`${list}?${bad}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
        expect([list, bad, await page.getByRole('alert').count()]).toEqual([list, bad, 0])
        expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('')
      }
    expect(await look(page, 'bad-filter')).toEqual([])
    expect(wrong).toEqual([])
  })

  test('shows a page that fails to load as an error in the shell, and loads it once the server is back', async () => {
    world = await openSignedIn(viewport)
    const { page, go } = world
    await page.route('**/audit-list-*.js', (route) => route.abort('connectionrefused'))
    await go('/audit')
    await page.getByRole('alert').getByText('This page could not be loaded.').waitFor()
    await page.getByRole('banner').waitFor()
    expect(await look(page, 'page-failed')).toEqual([])
    await page.route('**/console/audit', (route) => route.abort('connectionrefused'))
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.click()
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    await page.unroute('**/console/audit')
    await page.unroute('**/audit-list-*.js')
    await retry.click()
    await page.getByRole('heading', { level: 1, name: 'Audit trail', exact: true }).waitFor()
  })
})
