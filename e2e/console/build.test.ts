import { createServer, type Server } from 'node:http'
import { Countersign } from '@countersign/sdk'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { makeFundedCustomer } from '../../sdk/test/platform.testing.ts'
import { listen } from '../../test/ports.testing.ts'
import { type ConsoleWorld, DESKTOP, look, openFilters, openSignedIn, PHONE } from '../browser.testing.ts'

const WIDTHS = [
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const

describe.each(WIDTHS)('the developer pages, on %s', (_, viewport) => {
  let world: ConsoleWorld
  let server: Server | undefined
  afterEach(async () => {
    await world?.browser.close()
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
    server = undefined
  })

  test('an event is delivered again, and its attempts show the responses', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    let status = 500
    const received: string[] = []
    server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']))
      response.writeHead(status).end(status === 500 ? '<b>out of order</b>' : 'thanks')
    })
    const port = await listen(server)
    await countersign.config.update({ webhookEndpoint: `http://127.0.0.1:${port}/hooks` })
    const { event_id: eventId } = await countersign.sandbox.testWebhook()

    await go('/events')
    await page.getByRole('row', { name: /Test/ }).first().waitFor()
    const faults = await look(page, 'events')
    await go(`/events/${eventId}`)
    await page.getByRole('region', { name: 'Attempt 1', exact: true }).getByText('out of order').waitFor()
    status = 200
    const before = received.length
    await page.getByRole('button', { name: 'Deliver again' }).click()
    await page.getByText('thanks', { exact: true }).first().waitFor()
    faults.push(...(await look(page, 'event')))
    expect(received.slice(before)).toContain(eventId)
    expect((await countersign.events.get(eventId)).deliveryStatus).toBe('DELIVERED')
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('events of the selected types since a time are counted and then delivered again', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const received: string[] = []
    server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']))
      response.end()
    })
    const port = await listen(server)
    await countersign.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })
    await countersign.config.update({ webhookEndpoint: `http://127.0.0.1:${port}/hooks` })
    const { event_id: eventId } = await countersign.sandbox.testWebhook()
    // Saving the endpoint has also sent an event.
    await expect.poll(() => received.length).toBe(2)
    received.length = 0

    await go('/events')
    await page.getByRole('button', { name: 'Deliver again from' }).click()
    const dialog = page.getByRole('dialog', { name: 'Deliver events again' })
    const count = dialog.getByRole('button', { name: 'Count events' })
    expect(await count.isDisabled()).toBe(true)
    await dialog.getByLabel('From').fill('2020-01-01T00:00')
    await dialog.getByLabel('To', { exact: true }).fill('2020-01-02T00:00')
    await count.click()
    await dialog.getByText('No events match.').waitFor()
    const faults = await look(page, 'replay')
    await dialog.getByLabel('To', { exact: true }).fill('')
    await dialog.getByPlaceholder('All').click()
    await page.getByRole('listbox', { name: 'Types' }).getByRole('option', { name: 'Test' }).click()
    await page.keyboard.press('Escape')
    await count.click()
    await dialog.getByText('2 events match.').waitFor()
    expect(received).toEqual([])
    await dialog.getByRole('button', { name: 'Deliver 2 events again' }).click()
    await dialog.getByText('Redelivering 2 events.').waitFor()
    await expect.poll(() => received.length).toBe(2)
    expect(received).toContain(eventId)
    const events = await Promise.all(received.map((id) => countersign.events.get(id)))
    expect(events.map(({ type }) => type)).toEqual(['TEST', 'TEST'])
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('an agent is paused immediately and resumed, and is deleted only after a confirmation', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const agentId = await createPayingAgent(countersign)
    await go(`/agents/${agentId}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    expect((await countersign.agents.get(agentId)).isPaused).toBe(true)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    expect((await countersign.agents.get(agentId)).isPaused).toBe(false)

    const dialog = page.getByRole('dialog', { name: 'Delete Bill payer?' })
    await page.getByRole('button', { name: 'Delete' }).click()
    const faults = await look(page, 'agent-delete')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await countersign.agents.get(agentId)).id).toBe(agentId)
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Agents', exact: true }).waitFor()
    await go(`/agents/${agentId}`)
    await page.getByRole('heading', { name: 'Agent not found' }).waitFor()
    faults.push(...(await look(page, 'agent-missing')))
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('a draft policy is explained and replayed over the last week before it is saved', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const agentId = await createPayingAgent(countersign)
    await go(`/agents/${agentId}/policy`)
    const whatIf = page.getByRole('region', { name: 'What if: last week under this draft' })
    await whatIf.getByText('no decisions would change').waitFor()
    await page.getByRole('textbox', { name: 'One action' }).fill('not an amount')
    await page.getByText('Enter an amount with at most 2 decimals').first().waitFor()
    await page.getByRole('textbox', { name: 'One action' }).fill('2.50')
    const meaning = page.getByRole('region', { name: 'Meaning' })
    await meaning.getByText('One action moves at most 2.50 USD').waitFor()
    await whatIf.getByText('1 decision would change').waitFor()
    await whatIf.getByText('Denied', { exact: true }).waitFor()
    const table = whatIf.getByRole('table', { name: 'What if' })
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await table.scrollIntoViewIfNeeded()
    const faults = await look(page, 'policy')
    const { policy: unchanged } = await countersign.agents.get(agentId)
    expect(unchanged.spendingLimits.perTransactionLimit).toBe(10_000n)

    await page.getByRole('button', { name: 'Save the policy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save the policy' }).click()
    // Exact, because the editor's heading is `Policy of Bill payer`.
    await page.getByRole('heading', { level: 1, name: 'Bill payer', exact: true }).waitFor()
    await page
      .getByText('The policy allows it.')
      .or(page.getByText('Allowed', { exact: true }))
      .first()
      .waitFor()
    faults.push(...(await look(page, 'agent')))
    const { policy } = await countersign.agents.get(agentId)
    expect(policy.spendingLimits).toMatchObject({ perTransactionLimit: 250n, dailyLimit: 50_000n })
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('a request is found by its id without names, and the audit trail compares before and after', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const name = '<b>Ada</b> Lovelace'
    const customer = await countersign.customers.create({ customerType: 'INDIVIDUAL', fullName: name })
    await countersign.customers.update(customer.id, { customerType: 'INDIVIDUAL', fullName: 'Ada Byron' })
    const logged = await readLog(countersign, customer.id)

    await go('/requests')
    await openFilters(page)
    await page.getByLabel('Request id').fill(logged)
    await page.getByText('1 row shown').waitFor()
    expect(new URL(page.url()).searchParams.get('httpRequestId')).toBe(logged)
    const faults = await look(page, 'requests')
    await page.getByRole('row', { name: 'PATCH' }).click()
    // The audit trail shows the customer concerned. The request log does not.
    await page.getByRole('heading', { level: 1, name: 'Change a customer', exact: true }).waitFor()
    const request = page.getByRole('region', { name: 'Request', exact: true })
    await request.getByText('***').first().waitFor()
    expect(await request.getByText('Ada Byron').count()).toBe(0)
    faults.push(...(await look(page, 'request')))

    await page.getByRole('link', { name: 'Changes in the audit trail' }).click()
    await page.getByText('1 row shown').waitFor()
    expect(await page.getByLabel('Request id').inputValue()).toBe(logged)
    await page.getByRole('row', { name: 'Change a customer' }).click()
    const row = page.getByRole('row', { name: 'Full name' })
    await row.getByText(name).waitFor()
    await row.getByText('Ada Byron').waitFor()
    faults.push(...(await look(page, 'audit-entry')))
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })
})

/** Creates an agent that has paid 5.00 USD without an approval. */
async function createPayingAgent(countersign: Countersign): Promise<string> {
  const { customerId, usdId, bankId } = await makeFundedCustomer(countersign, {
    email: 'ada@example.com',
    amount: 1_000_000n,
  })
  await countersign.sandbox.fund(usdId, { amount: 100_000n })
  const { agent, deviceCode } = await countersign.agents.create({
    name: 'Bill payer',
    customerId,
    policy: {
      permissions: ['CREATE_TRANSFERS'],
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USD', perTransactionLimit: 10_000n, dailyLimit: 50_000n },
    },
  })
  const { accessToken } = await countersign.agents.redeemDeviceCode(deviceCode.code)
  await new Countersign({ baseUrl: inject('baseUrl'), accessToken }).me.transferOut({
    source: { accountId: usdId },
    destination: { accountId: bankId },
    amount: 500n,
  })
  return agent.id
}

/** Finds the id of the request that changed a customer, which is logged about a second after the response. */
async function readLog(countersign: Countersign, customerId: string): Promise<string> {
  const read = () => countersign.requests.list({ method: 'PATCH', path: `/customers/${customerId}` })
  await expect.poll(async () => (await read()).data.length).toBe(1)
  return (await read()).data[0]!.httpRequestId
}
