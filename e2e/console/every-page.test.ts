import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { seedSandbox } from '@countersign/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PLACES } from '../../console/src/app/navigation.ts'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE, TABLET } from '../browser.testing.ts'

const PICTURES = fileURLToPath(new URL('../../docs/console/', import.meta.url))
const PARTS = [
  'you',
  'members',
  'roles',
  'tokens',
  'webhook',
  'platform',
  'risk',
  'watches',
  'passkeys',
  'identity',
  'appearance',
]

/** All pages in the navigation, and all sections of the settings. */
const PATHS = [...PLACES.map(({ to }) => to), ...PARTS.map((part) => `/settings?part=${part}`)]

/** Updates a screenshot in docs/console.md: `UPDATE_DOCS=1 npm run test:browser every-page`. */
async function takePicture({ page }: ConsoleWorld, name: string): Promise<void> {
  if (!process.env.UPDATE_DOCS || page.viewportSize()?.width === TABLET.width) return
  await mkdir(PICTURES, { recursive: true })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.screenshot({ path: `${PICTURES}${name}.png` })
}

describe.each([
  ['a desktop', 'desktop', DESKTOP],
  ['a tablet', 'tablet', TABLET],
  ['a phone', 'phone', PHONE],
] as const)('every page of a seeded sandbox, on %s,', (_, size, viewport) => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await openSignedIn(viewport)
    await seedSandbox(world.countersign)
    await world.countersign.sandbox.exampleBank({ currency: 'USD' })
  })
  afterAll(async () => {
    await world?.browser.close()
  })

  test('is readable in light and dark mode, fits, and causes no external request and no error', async () => {
    const { page, go, wrong } = world
    const faults: string[] = []
    for (const path of PATHS) {
      await go(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      faults.push(...(await look(page, `every${path.replaceAll(/\W+/g, '-')}`)))
      if (path === '/') await takePicture(world, `overview-${size}`)
    }
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('lists lead to complete records', async () => {
    const { page, go, wrong } = world
    const faults: string[] = []
    for (const list of [
      '/approvals',
      '/verifications',
      '/customers',
      '/transactions',
      '/quotes',
      '/cards',
      '/agents',
      '/reconciliations',
      '/ledger',
      '/events',
      '/requests',
      '/audit',
    ]) {
      await go(list)
      const row = page.locator('a.row, .opens a').first()
      await row.waitFor()
      await row.click()
      await page.waitForURL((url) => !url.pathname.endsWith(list))
      await page.getByRole('link', { name: /^← / }).waitFor()
      faults.push(...(await look(page, `one${list.replaceAll('/', '-')}`)))
      if (list === '/customers') await takePicture(world, `customer-${size}`)
    }
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('the sandbox drawer advances the clock, funds accounts, and shows messages and magic values', async () => {
    const { page, go, countersign, wrong } = world
    await go('/')
    const before = (await countersign.sandbox.clock()).now
    await page.getByRole('button', { name: 'Sandbox', exact: true }).click()
    const drawer = page.getByRole('dialog', { name: 'Sandbox' })
    await drawer.getByRole('tab', { name: 'Clock' }).click()
    const advanceResponse = page.waitForResponse((response) =>
      response.url().endsWith('/sandbox/clock/advance'),
    )
    await drawer.getByRole('button', { name: '+ 1 day' }).click()
    expect((await advanceResponse).status()).toBe(200)
    const after = (await countersign.sandbox.clock()).now
    expect(Date.parse(after) - Date.parse(before)).toBeGreaterThanOrEqual(86_400_000)
    await takePicture(world, `sandbox-${size}`)

    await drawer.getByRole('tab', { name: 'Fund' }).click()
    await drawer.getByLabel('Amount in').fill('12.345.6')
    await drawer.getByText('Enter an amount with at most').waitFor()
    await drawer.getByLabel('Amount in').fill('1,234.5')
    await drawer.getByRole('button', { name: 'Fund', exact: true }).click()
    await drawer.getByText('The balance is now').waitFor()

    await drawer.getByRole('tab', { name: 'Inbox' }).click()
    await drawer.getByRole('article').first().waitFor()
    await drawer.getByRole('tab', { name: 'Magic values' }).click()
    await drawer.getByText('The account is held under another name').waitFor()
    expect(await look(page, 'drawer')).toEqual([])
    expect(wrong).toEqual([])
  })

  test('a member is invited with a link, and a rejected setting keeps the typed value', async () => {
    const { page, go, countersign, wrong } = world
    await go('/settings?part=members')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Grace Hopper')
    await dialog.getByLabel('E-mail address').fill(`grace@${size}.example`)
    await dialog.getByLabel('Role').selectOption('COMPLIANCE')
    await dialog.getByRole('button', { name: 'Make the invitation' }).click()
    expect(await dialog.getByLabel('Invitation link').inputValue()).toMatch(/\/console\/#invitation=/)
    await dialog.getByRole('button', { name: 'Done' }).click()
    const { data } = await countersign.members.list({ status: 'INVITED' })
    expect(data.map(({ permissions }) => permissions)).toEqual([['VIEW', 'APPROVE', 'REVIEW']])

    await go('/settings?part=platform')
    const origins = page.getByLabel('Origins of your pages')
    await origins.fill('https://app.example/with/a/path')
    await page.getByRole('region', { name: 'Calls' }).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    expect(await origins.inputValue()).toBe('https://app.example/with/a/path')
    await origins.fill('https://app.example')
    await page.getByRole('region', { name: 'Calls' }).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await countersign.config.get()).allowedOrigins).toEqual(['https://app.example'])
    expect(wrong).toEqual([])
  })
})
