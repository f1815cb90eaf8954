import { afterEach, expect, test } from 'vitest'
import { makeFundedCustomer } from '../../sdk/test/platform.testing.ts'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

let world: ConsoleWorld
afterEach(async () => {
  await world?.browser.close()
})

/** Account numbers whose last three digits select what the bank does. */
const FAILS = '002'

/** The calls that the shell makes on every page. */
const OF_SHELL = ['/members/me', '/sandbox/clock', '/events/stream']

async function withFailures({ countersign }: ConsoleWorld) {
  const { customerId, usdId, bankId } = await makeFundedCustomer(countersign, {
    email: 'ada@example.com',
    amount: 1_000_000n,
  })
  await countersign.sandbox.fund(usdId, { amount: 1_000_000n })
  const bad = await countersign.externalAccounts.create({
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `123456${FAILS}`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  for (const accountId of [bankId, bankId, bankId, bad.id])
    await countersign.transfers.out({
      source: { accountId: usdId },
      destination: { accountId },
      amount: 500n,
    })
  await countersign.sandbox.advanceClock({ seconds: 60 })
  await countersign.config.update({
    watchConfig: {
      railMarks: [{ rail: 'sandbox', currencyCode: 'USD', amount: 100_000_000n }],
      positionMarks: [{ currencyCode: 'EUR', amount: -5_000n }],
    },
  })
}

test.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)(
  'the overview on %s shows failures next to the period before, and leads to them',
  async (_, size) => {
    world = await openSignedIn(size)
    const { page, go, wrong } = world
    await withFailures(world)
    const called: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      const [, path] = /^\/\d{4}-\d\d-\d\d(\/.*)$/.exec(pathname) ?? []
      if (path !== undefined && !OF_SHELL.includes(path)) called.push(path)
    })
    await go('/')
    await page.getByText(/Failure rate \d/).waitFor()
    await page.getByText(/1 of \d+ payments/).waitFor()
    // Events on the platform only reload the same data.
    expect([...new Set(called)].length, called.join(' ')).toBeLessThanOrEqual(3)
    const watched = page.getByRole('list', { name: 'Monitored values' })
    await watched.getByText('Rail balance: sandbox').waitFor()
    await watched.getByText('Top up the account at the rail').waitFor()
    await watched.getByText('FX position: EUR').waitFor()
    await page.getByText('Not in the hash chain').waitFor()
    expect(await look(page, 'overview-failures')).toEqual([])
    await page
      .getByRole('list', { name: 'Payments by status' })
      .getByRole('link', { name: 'Failed', exact: true })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Transactions', exact: true }).waitFor()
    const { searchParams } = new URL(page.url())
    expect(searchParams.get('status')).toBe('FAILED')
    await expect.poll(() => page.getByText('Failed', { exact: true }).count()).toBeGreaterThan(0)
    expect(wrong).toEqual([])
  },
)

test('pending work shows its age', async () => {
  world = await openSignedIn()
  const { page, countersign, go } = world
  await countersign.sandbox.deposit({ amount: 700n, currency: 'USD' })
  await countersign.sandbox.advanceClock({ seconds: 2 * 86_400 })
  await go('/')
  const tiles = page.getByRole('navigation', { name: 'Waiting for a decision' })
  await tiles.getByRole('link', { name: /1\s*In suspense\s*Oldest:\s*2 days/ }).waitFor()
  await tiles.getByRole('link', { name: /0\s*Approvals\s*None/ }).waitFor()
})
