import { afterEach, describe, expect, test } from 'vitest'
import { makeFundedCustomer } from '../../sdk/test/platform.testing.ts'
import { type ConsoleWorld, openSignedIn } from '../browser.testing.ts'

const CUSTOMERS = 8

describe('the list of transactions', () => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('shows the names of customers and of their payees with one call, however many there are', async () => {
    world = await openSignedIn()
    const { page, countersign, go, wrong } = world
    for (let nth = 0; nth < CUSTOMERS; nth++) {
      const { usdId, bankId } = await makeFundedCustomer(countersign, {
        email: `c${nth}@example.com`,
        amount: 1_000_000n,
      })
      await countersign.sandbox.fund(usdId, { amount: 100_000n })
      await countersign.transfers.out({
        source: { accountId: usdId },
        destination: { accountId: bankId },
        amount: 500n,
      })
    }
    const { data, names } = await countersign.transactions.list({ includeNames: true })
    expect(new Set(data.map(({ customerId }) => customerId)).size).toBe(CUSTOMERS)
    // Leave the overview first, because it reloads after each payment.
    await page.goto('about:blank')
    const calls: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/2025-10-13/')) calls.push(pathname.slice('/2025-10-13'.length))
    })
    await go('/transactions')
    await page.getByText(`${data.length} rows shown`).waitFor()
    for (const { name } of names ?? []) await page.getByTitle(name, { exact: true }).first().waitFor()
    expect(names?.length).toBe(3 * CUSTOMERS)
    // In addition to the list: the signed-in member, the clock, the event stream, and the counts in the
    // navigation.
    expect(calls.toSorted()).toEqual([
      '/events/stream',
      '/members/me',
      '/overview',
      '/sandbox/clock',
      '/transactions',
    ])
    expect(wrong).toEqual([])
  })
})
