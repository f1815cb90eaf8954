import { afterEach, describe, expect, test } from 'vitest'
import { openServer } from '../../server/test/worlds/server.testing.ts'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

let world: ConsoleWorld | undefined
afterEach(async () => {
  await world?.browser.close()
  world = undefined
})

const ALL_USD = { amount: 700n, currency: 'USD' } as const

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)('the navigation on %s', (_, viewport) => {
  test('has an icon for each page and its number of pending records, until they are decided', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, go, wrong } = world
    const { depositId } = await createSuspendedDeposit(countersign)
    await countersign.sandbox.deposit(ALL_USD)
    await go('/customers')
    if (viewport === PHONE) await page.getByRole('button', { name: 'Open the navigation' }).click()
    const pages = page.getByRole('navigation', { name: 'Pages' })
    const approvals = pages.getByRole('link', { name: /^Approvals/ })
    await approvals.getByRole('img', { name: '2 waiting' }).waitFor()
    expect(await pages.getByRole('link').count()).toBe(await pages.locator('a svg').count())
    expect(await pages.getByRole('img').count()).toBe(1)
    expect(await look(page, 'navigation')).toEqual([])
    await countersign.deposits.return(depositId)
    await approvals.getByRole('img', { name: '1 waiting' }).waitFor()
    expect(wrong).toEqual([])
  })
})

async function createSuspendedDeposit({ sandbox, deposits }: ConsoleWorld['countersign']) {
  await sandbox.deposit(ALL_USD)
  const { data } = await deposits.list({ status: 'SUSPENSE' })
  return { depositId: data[0]!.id }
}

describe('people who use the keyboard', () => {
  test('skip the navigation with the first tab stop, and continue in the content of a page that they open', async () => {
    world = await openSignedIn()
    const { page, countersign, go, wrong } = world
    await countersign.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })
    await go('/customers')
    await page.getByText('1 row shown').waitFor()
    await page.keyboard.press('Tab')
    const focused = page.locator(':focus')
    expect(await focused.textContent()).toBe('Skip to the content')
    expect(await look(page, 'skip')).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(() => focused.getAttribute('id')).toBe('main')
    expect(new URL(page.url()).hash).toBe('')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace', exact: true }).waitFor()
    await expect.poll(() => focused.getAttribute('id')).toBe('main')
    // The focused element of the previous page is in the navigation, so it keeps the focus.
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Cards' }).click()
    await page.getByRole('heading', { level: 1, name: 'Cards', exact: true }).waitFor()
    expect(await focused.textContent()).toBe('Cards')
    expect(wrong).toEqual([])
  })
})

test('the console has an icon, names its deployment, and links to the other one', async () => {
  const server = await openServer({ OTHER_CONSOLE_URL: 'https://pay.example' })
  try {
    world = await openSignedIn()
    const { page } = world
    const icon = await page.locator('link[rel=icon]').getAttribute('href')
    const response = await page.request.get(new URL(icon ?? '', page.url()).href)
    expect([response.status(), response.headers()['content-type']]).toEqual([200, 'image/svg+xml'])

    const client = await server.newPlatform()
    await page.goto((await client.post('/sandbox/console-links')).body.url)
    const other = page.getByRole('link', { name: 'Sandbox: switch to production' })
    expect(await other.getAttribute('href')).toBe('https://pay.example/console/')
    expect(await look(page, 'other-console')).toEqual([])
  } finally {
    await server.close()
  }
})
