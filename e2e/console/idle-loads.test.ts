import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, openConsole } from '../browser.testing.ts'

/** The scripts of the pages and of the drawer that the tests open. */
const SCRIPTS = [
  /\/audit-list-[^/]*\.js$/,
  /\/settings-page-[^/]*\.js$/,
  /\/ledger-list-[^/]*\.js$/,
  /\/customer-list-[^/]*\.js$/,
  /\/sandbox-drawer-[^/]*\.js$/,
]

describe('pages that were not visited yet', () => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('open without a request for a script after the server has stopped', async () => {
    world = await openConsole()
    const { page, countersign } = world
    const loaded: string[] = []
    let pending = 0
    page.on('request', (request) => {
      if (request.resourceType() === 'script') pending += 1
    })
    page.on('requestfinished', (request) => {
      loaded.push(new URL(request.url()).pathname)
      if (request.resourceType() === 'script') pending -= 1
    })
    await page.goto((await countersign.sandbox.consoleLink()).url)
    for (const script of SCRIPTS) await expect.poll(() => loaded.some((path) => script.test(path))).toBe(true)
    // Scripts that the pages share may still be loading.
    let before = 0
    const newOnes = () => {
      const count = loaded.length - before
      before = loaded.length
      return count
    }
    await expect.poll(() => newOnes() + pending, { interval: 500 }).toBe(0)

    const failed: string[] = []
    page.on('requestfailed', (request) => failed.push(request.resourceType()))
    await page.context().setOffline(true)
    for (const title of ['Audit trail', 'Ledger', 'Customers', 'Settings']) {
      await page
        .getByRole('navigation', { name: 'Pages' })
        .getByRole('link', { name: title, exact: true })
        .click()
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    }
    await page.getByRole('banner').getByRole('button', { name: 'Sandbox', exact: true }).click()
    await page.getByRole('dialog', { name: 'Sandbox' }).waitFor()
    expect(failed.filter((type) => type === 'script' || type === 'stylesheet')).toEqual([])
  })

  test('are not loaded ahead in a browser that saves data', async () => {
    world = await openConsole()
    const { page, countersign } = world
    await page.addInitScript(`Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`)
    const scripts: string[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname)
    })
    await page.goto((await countersign.sandbox.consoleLink()).url)
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    // Longer than the delay before idle loading starts in a browser that does not save data.
    await page.waitForTimeout(4_000)
    for (const script of SCRIPTS) expect(scripts.filter((path) => script.test(path))).toEqual([])
    await page.getByRole('link', { name: 'Audit trail' }).click()
    await page.getByRole('heading', { level: 1, name: 'Audit trail', exact: true }).waitFor()
    expect(scripts.some((path) => SCRIPTS[0]!.test(path))).toBe(true)
  })
})
