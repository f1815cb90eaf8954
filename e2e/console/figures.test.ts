import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { type ConsoleWorld, createFundedCustomer, look, openSignedIn } from '../browser.testing.ts'

/** Counts are checked. Times depend on the machine and are only printed. */

let world: ConsoleWorld
afterEach(async () => {
  await world?.browser.close()
})

const LIST_ROWS = 100_000
/** Maximum number of rendered list rows, including those above and below the window. */
const DRAWN_ROWS_MAX = 80
const STEPS = 50
const CALLS_MAX = 3
/** The calls that the shell makes on every page. */
const OF_SHELL = ['/members/me', '/sandbox/clock', '/events/stream', '/overview']
/** The minimum time between two reloads. */
const PAUSE_MS = 5_000
const PAYMENTS = 60

/** Records the paths of the calls that the page makes from now on. */
function recordCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const [, path] = /^\/\d{4}-\d\d-\d\d(\/.*)$/.exec(new URL(request.url()).pathname) ?? []
    if (path !== undefined) calls.push(path)
  })
  return calls
}

const selectPageCalls = (calls: readonly string[]) => calls.filter((path) => !OF_SHELL.includes(path))

const print = (line: string) => console.info(`Figures: ${line}`)

test('a page that is opened from the navigation makes at most three calls', async () => {
  world = await openSignedIn()
  const { page, countersign, go, wrong } = world
  const { usdId, payTo } = await createFundedCustomer(countersign)
  const destination = { accountId: await payTo('000123456789') }
  await countersign.transfers.out({ source: { accountId: usdId }, destination, amount: 500n })
  const titles = [
    'Customers',
    'Transactions',
    'Cards',
    'Agents',
    'Ledger',
    'Webhooks',
    'Audit trail',
    'Overview',
  ]
  for (const title of titles) await openPage(page, title)
  const calls = recordCalls(page)
  const times: string[] = []
  for (const title of titles) {
    calls.length = 0
    times.push(`${title} ${Math.round(await openPage(page, title))}`)
    expect(selectPageCalls(calls).length, `${title}: ${calls.join(' ')}`).toBeLessThanOrEqual(CALLS_MAX)
  }
  print(`navigation in ms: ${times.join(', ')}.`)
  await go('/transactions')
  await page.locator('.row:not(.head) .figures').first().waitFor()
  print(`first data after ${Math.round(await page.evaluate(() => performance.now()))} ms with warm scripts.`)
  expect(wrong).toEqual([])
})

/** Opens a page by its link. Returns the milliseconds until its title is rendered. */
function openPage(page: Page, title: string): Promise<number> {
  return page.evaluate(async (title) => {
    const links = [...document.querySelectorAll('nav[aria-label=Pages] a')]
    const link = links.find(({ textContent }) => textContent?.startsWith(title))
    if (!(link instanceof HTMLElement)) throw new Error(`No page ${title}`)
    const start = performance.now()
    link.click()
    while (document.querySelector('h1')?.textContent !== title)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - start
  }, title)
}

test('a list of 100,000 rows handles every key, renders only a few rows, and is not reloaded by events', async () => {
  world = await openSignedIn()
  const { page, countersign, go, wrong } = world
  const { usdId } = await createFundedCustomer(countersign)
  await page.addInitScript(simulateCustomers, LIST_ROWS)
  await go('/customers')
  const readAfterMs = await page.evaluate(readToEnd, LIST_ROWS)
  print(`${LIST_ROWS} rows read in ${Math.round(readAfterMs)} ms.`)
  expect(await page.locator('.row:not(.head)').count()).toBeLessThan(DRAWN_ROWS_MAX)

  const focused = page.locator('.row:focus')
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.getByRole('row', { name: /Customer 0 / }).waitFor()
  await page.keyboard.press('j')
  await expect.poll(() => focused.getAttribute('aria-rowindex')).toBe('2')
  await page.evaluate(watchInput)
  for (let step = 0; step < STEPS; step++) await page.keyboard.press('j')
  expect(await focused.getAttribute('aria-rowindex')).toBe(String(2 + STEPS))
  const field = page.getByLabel('Name, e-mail, phone or reference')
  await field.focus()
  await page.keyboard.type('Ada Lovelace of London')
  expect(await field.inputValue()).toBe('Ada Lovelace of London')
  print(`slowest key in ${LIST_ROWS} rows: ${await page.evaluate('Math.round(globalThis.slowestMs)')} ms.`)

  await field.fill('')
  expect(await look(page, 'list-of-many')).toEqual([])
  await page.evaluate(readToEnd, LIST_ROWS)
  const before = await page.evaluate('globalThis.listCalls')
  await countersign.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' })
  await countersign.sandbox.fund(usdId, { amount: 100n })
  await page.getByRole('button', { name: 'Newer data is available. Load again.' }).click()
  await page.getByText('100 rows shown').waitFor()
  expect(await page.evaluate('globalThis.listCalls')).toBe(Number(before) + 1)
  expect(wrong).toEqual([])
})

/** Runs in the page before its scripts: replaces the customer list with copies of its first row. */
function simulateCustomers(rows: number): void {
  const own = Object.assign(globalThis, { listCalls: 0 })
  const real = globalThis.fetch
  let first: Promise<{ data: { id: string }[] }> | undefined
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input), location.href)
    if (!/^\/[\d-]+\/customers$/.test(url.pathname)) return real(input, init)
    own.listCalls += 1
    const limit = Number(url.searchParams.get('limit') ?? 20)
    const from = Number(url.searchParams.get('cursor') ?? 0)
    first ??= real(url, init).then((response) => response.json())
    const { data, ...rest } = await first
    const customers = Array.from({ length: Math.min(limit, rows - from) }, (_, at) => {
      const id = `${data[0]!.id.slice(0, -6)}${String(from + at).padStart(6, '0')}`
      return { ...data[0], id, fullName: `Customer ${from + at} ` }
    })
    const hasMore = from + limit < rows
    return Response.json({
      ...rest,
      data: customers,
      hasMore,
      ...(hasMore ? { nextCursor: String(from + limit) } : {}),
    })
  }
}

/** Runs in the page: scrolls until all rows have been loaded. Returns the milliseconds that it took. */
async function readToEnd(rows: number): Promise<number> {
  const start = performance.now()
  while (document.querySelector('.table')?.getAttribute('aria-rowcount') !== String(rows + 1)) {
    window.scrollTo(0, document.documentElement.scrollHeight)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return performance.now() - start
}

/** Runs in the page: records the longest time between a key press and the resulting paint. */
function watchInput(): void {
  const own = Object.assign(globalThis, { slowestMs: 0 })
  const options: PerformanceObserverInit & { durationThreshold: number } = {
    type: 'event',
    durationThreshold: 16,
  }
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name === 'keydown') own.slowestMs = Math.max(own.slowestMs, duration)
  }).observe(options)
}

test('an open overview reloads at most once in five seconds during many payments', async () => {
  world = await openSignedIn()
  const { page, countersign, wrong } = world
  const { usdId, payTo } = await createFundedCustomer(countersign)
  const destination = { accountId: await payTo('000123456789') }
  await page.getByText('Balances', { exact: true }).waitFor()
  const calls = recordCalls(page)
  const start = performance.now()
  for (let nth = 0; nth < PAYMENTS; nth++)
    await countersign.transfers.out({ source: { accountId: usdId }, destination, amount: 100n })
  const readAgainMax = Math.ceil((performance.now() - start) / PAUSE_MS) + 1
  const counts = new Map<string, number>()
  for (const path of calls) counts.set(path, (counts.get(path) ?? 0) + 1)
  expect(counts.get('/overview') ?? 0).toBeLessThanOrEqual(readAgainMax)
  expect(counts.get('/transaction-statistics') ?? 0).toBeLessThanOrEqual(readAgainMax)
  print(`${calls.length} calls of an open overview during ${PAYMENTS} payments.`)
  expect(wrong).toEqual([])
})
