import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { makeFundedCustomer } from '../../sdk/test/platform.testing.ts'
import { listen } from '../../test/ports.testing.ts'
import { type ConsoleWorld, look, openConsole, openSignedIn, PHONE } from '../browser.testing.ts'

let world: ConsoleWorld
afterEach(async () => {
  await world?.browser.close()
})

/** Creates two customers with one payment each, of 25.00 and 70.00 US dollars. */
async function createTwoPayers(): Promise<readonly string[]> {
  const { countersign } = world
  const ids: string[] = []
  for (const [email, amount] of [
    ['ada@example.com', 2_500n],
    ['grace@example.com', 7_000n],
  ] as const) {
    const { customerId, usdId, bankId } = await makeFundedCustomer(countersign, { email, amount: 100_000n })
    await countersign.customers.update(customerId, {
      customerType: 'INDIVIDUAL',
      fullName: email.startsWith('ada') ? 'Ada Lovelace' : 'Grace Hopper',
    })
    await countersign.sandbox.fund(usdId, { amount: 100_000n })
    await countersign.transfers.out({
      source: { accountId: usdId },
      destination: { accountId: bankId },
      amount,
    })
    ids.push(customerId)
  }
  return ids
}

describe('the filters of a list', () => {
  test('choose a customer by name and a range of amounts, and are saved as a view with an address', async () => {
    world = await openSignedIn()
    const { page, go, wrong } = world
    const [, grace] = await createTwoPayers()
    await go('/transactions?type=OUTGOING')
    await page.getByText('2 rows shown').waitFor()
    // Payee names are never truncated.
    const cut = await page
      .locator('.whole')
      .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length)
    expect(cut).toBe(0)
    await page.getByRole('combobox', { name: 'Customer', exact: true }).fill('grace')
    await page.getByRole('option', { name: 'Grace Hopper' }).click()
    await page.getByText('1 row shown').waitFor()
    expect(new URL(page.url()).searchParams.get('customerId')).toBe(grace)

    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save these filters …' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Payments of Grace')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the view Payments of Grace.').waitFor()
    const found = await look(page, 'list-filtered')

    await go('/transactions?type=OUTGOING&currency=USD&least=20&most=30')
    await page.getByText('1 row shown').waitFor()
    await page.getByText('25.00 USD').first().waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    found.push(...(await look(page, 'list-views')))
    await page.getByRole('menuitem', { name: 'Payments of Grace' }).click()
    await page.getByRole('button', { name: 'View: Payments of Grace' }).waitFor()
    expect(new URL(page.url()).searchParams.get('customerId')).toBe(grace)
    const chosen = page.getByRole('combobox', { name: 'Customer', exact: true })
    await expect.poll(() => chosen.inputValue()).toBe('Grace Hopper')
    expect(found).toEqual([])
    expect(wrong).toEqual([])
  })

  test('on a phone fit and show payees whole', async () => {
    world = await openSignedIn(PHONE)
    const { page, go, wrong } = world
    await createTwoPayers()
    await go('/transactions?type=OUTGOING')
    await page.getByText('2 rows shown').waitFor()
    expect(await look(page, 'list-phone')).toEqual([])
    expect(wrong).toEqual([])
  })
})

describe('the console', () => {
  test('folds attempts of the same result into one line with a chart, and lists the configured endpoint', async () => {
    world = await openSignedIn()
    const { page, countersign, go, wrong } = world
    const failing = createServer((_, response) => response.writeHead(500).end('out of order'))
    const port = await listen(failing)
    try {
      const url = `http://127.0.0.1:${port}/`
      await countersign.config.update({ webhookEndpoint: url })
      const { event_id: eventId } = await countersign.sandbox.testWebhook()
      const attempts = async () => (await countersign.events.get(eventId)).deliveryAttempts.length
      for (const count of [2, 3]) {
        await countersign.events.redeliver(eventId)
        await expect.poll(attempts, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
      }
      await go(`/events/${eventId}`)
      const panel = page.getByRole('region', { name: 'Deliveries' })
      await panel.getByRole('img', { name: /^\d+ attempts, 0 received/ }).waitFor()
      const line = panel.getByText(/^Attempts 1 to \d+$/)
      expect(await panel.getByText('out of order').first().isVisible()).toBe(false)
      const found = await look(page, 'attempts-folded')
      await line.click()
      await panel.getByText('out of order').first().waitFor()
      await go('/settings?part=webhook')
      await page.getByRole('region', { name: 'Main endpoint' }).getByText(url).waitFor()
      found.push(...(await look(page, 'endpoints')))
      expect(found).toEqual([])
      expect(wrong).toEqual([])
    } finally {
      failing.close()
    }
  })

  test('is seen as another member, whose missing permissions grey out its buttons until that is ended', async () => {
    world = await openConsole()
    const { page, countersign, go, wrong } = world
    const { invitationUrl } = await countersign.members.invite({
      name: 'Sam Support',
      email: 'sam@example.com',
      permissions: ['VIEW'],
    })
    await page.goto(invitationUrl)
    await page.getByRole('button', { name: 'Create a passkey and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    await page.goto((await countersign.sandbox.consoleLink()).url)
    await page.getByRole('button', { name: 'Signed in as Sandbox owner' }).waitFor()
    await go('/settings?part=members')
    const invite = page.getByRole('button', { name: 'Invite' })
    await invite.waitFor()
    expect(await invite.isDisabled()).toBe(false)
    await page.getByRole('button', { name: 'View as' }).click()
    await page.getByText('You see the console as Sam Support.').waitFor()
    expect(await invite.isDisabled()).toBe(true)
    expect(await look(page, 'view-as')).toEqual([])
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await expect.poll(() => invite.isDisabled()).toBe(false)
    expect(wrong).toEqual([])
  })
})
