import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import {
  type ConsoleWorld,
  createConnectedAgent,
  createFundedCustomer,
  openSignedIn,
} from '../browser.testing.ts'

/** The number of clicks for each task, from the guide's table. */
const CLICKS = new Map(
  readFileSync(new URL('../../docs/console.md', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, task, clicks] = /^\| ([^|]+) \| (\d+): /.exec(line) ?? []
      return task === undefined ? [] : [[task, Number(clicks)] as const]
    }),
)

let world: ConsoleWorld
afterEach(async () => {
  await world?.browser.close()
})

/** A click, or typing, which the table does not count. */
type Step = Locator | (() => Promise<unknown>)

/** Performs a task and compares the number of clicks with the guide. */
async function performTask(task: string, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await (typeof step === 'function' ? step() : step.click())
  const clicks = steps.filter((step) => typeof step !== 'function').length
  expect([task, clicks]).toEqual([task, CLICKS.get(task)])
}

test('frequent tasks take as many clicks from the overview as the guide says', async () => {
  world = await openSignedIn()
  const { page, countersign, go, wrong } = world
  const { customerId, usdId, payTo } = await createFundedCustomer(countersign)
  await countersign.customers.update(customerId, { customerType: 'INDIVIDUAL', email: 'ada@engines.example' })
  const agent = await createConnectedAgent(countersign, customerId)
  const destination = { accountId: await payTo('000123456789') }
  const source = { accountId: usdId }
  for (const amount of [4_500n, 6_000n]) await agent.transferOut({ source, destination, amount })
  await countersign.transfers.out({ source, destination, amount: 4_321n })

  const open = (title: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: new RegExp(`^${title}`) })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const tile = (name: string) =>
    page.getByRole('navigation', { name: 'Waiting for a decision' }).getByRole('link', { name })
  const row = (name: RegExp) => page.getByRole('row', { name }).first()
  const textIsShown = (text: string | RegExp) => () => page.getByText(text).first().waitFor()
  const search = page.getByRole('banner').getByRole('button', { name: 'Search' })
  const typeSearch = (text: string) => () => page.getByRole('combobox', { name: 'Search for' }).fill(text)
  const found = (text: string) =>
    page.getByRole('listbox', { name: 'Found' }).getByRole('option').filter({ hasText: text }).first()
  const goHome = async () => {
    await go('/')
    await page.getByText('Balances', { exact: true }).waitFor()
  }

  await goHome()
  await performTask('Approve the payment that has waited longest', [
    tile('Approvals'),
    row(/45.00 USD/).getByRole('link'),
    button('Approve'),
    dialog.getByRole('button', { name: 'Approve' }),
    textIsShown('Approved: 45.00 USD to Ada Lovelace'),
  ])
  await performTask('Approve the next one', [
    textIsShown('60.00 USD to Ada Lovelace'),
    button('Approve'),
    dialog.getByRole('button', { name: 'Approve' }),
    textIsShown('Approved: 60.00 USD to Ada Lovelace'),
  ])
  await goHome()
  await performTask('Find a payment by its amount', [search, typeSearch('43.21'), found('43.21 USD')])
  await goHome()
  await performTask('Find a customer by an e-mail domain', [
    search,
    typeSearch('engines.example'),
    found('Ada Lovelace'),
  ])
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace', exact: true }).waitFor()
  await goHome()
  await performTask('Find the payments of a customer', [
    open('Transactions'),
    page.getByRole('combobox', { name: 'Customer' }),
    page.getByRole('option', { name: /Ada Lovelace/ }),
    () => page.waitForURL(/customerId=/),
  ])
  await goHome()
  await performTask('Change the address of a customer', [
    open('Customers'),
    row(/Ada Lovelace/),
    button('Edit'),
    () => fillAddress(dialog),
    dialog.getByRole('button', { name: 'Save' }),
    textIsShown('Customer saved.'),
  ])
  await countersign.config.update({ sandboxConfig: { verification: 'MANUAL' } })
  await countersign.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' })
  await goHome()
  await performTask('Send a verification link', [
    open('Customers'),
    row(/Grace Hopper/),
    button('Send a link'),
    dialog.getByRole('button', { name: 'Create link' }),
    () => dialog.getByRole('textbox', { name: 'Verification link' }).waitFor(),
  ])
  await countersign.config.update({ webhookEndpoint: new URL('/readyz', world.origin).href })
  await goHome()
  await performTask('Deliver the events of an outage again', [
    open('Webhooks'),
    page.getByRole('button', { name: 'Deliver again from' }),
    () => dialog.getByLabel('From').fill('2020-01-01T00:00'),
    dialog.getByRole('button', { name: 'Count events' }),
    dialog.getByRole('button', { name: /^Deliver \d+ events again$/ }),
    textIsShown(/Redelivering \d+ events\./),
  ])
  expect(wrong).toEqual([])
})

async function fillAddress(dialog: Locator): Promise<void> {
  for (const [label, text] of [
    ['City', 'London'],
    ['Street and number', '12 St James’s Square'],
    ['Postal code', 'SW1Y 4JH'],
    ['Country, two letters', 'GB'],
  ] as const)
    await dialog.getByLabel(label).fill(text)
}
