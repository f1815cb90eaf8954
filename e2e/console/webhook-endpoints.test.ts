import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { listen } from '../../test/ports.testing.ts'
import { type ConsoleWorld, look, openSignedIn, PHONE } from '../browser.testing.ts'

describe('the console', () => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('adds a webhook endpoint with its secret, pauses it, resumes it and deletes it', async () => {
    world = await openSignedIn()
    const { page, countersign, wrong, go } = world
    await go('/settings?part=webhook')
    await page.getByRole('button', { name: 'New endpoint' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill('https://books.example.com/events')
    await dialog.getByLabel('Description').fill('Bookkeeping')
    await dialog.getByLabel('Without data').check()
    expect(await look(page, 'new-endpoint')).toEqual([])
    await dialog.getByRole('button', { name: 'Add the endpoint' }).click()
    await dialog.getByLabel('Endpoint secret').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })

    const row = page.getByRole('region', { name: 'Bookkeeping' })
    await row.getByText('without data').waitFor()
    const read = async () => (await countersign.webhookEndpoints.list()).data
    expect(await read()).toMatchObject([
      { url: 'https://books.example.com/events', payload: 'THIN', latestBalanceOnly: false },
    ])
    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByRole('button', { name: 'Resume' }).waitFor()
    expect(await read()).toMatchObject([{ status: 'PAUSED' }])
    expect(await look(page, 'endpoint-paused')).toEqual([])
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByRole('button', { name: 'Pause' }).waitFor()
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    expect(await read()).toEqual([])
    expect(wrong).toEqual([])
  })

  test('says on a phone why an endpoint is disabled', async () => {
    world = await openSignedIn(PHONE)
    const { page, countersign, wrong, go } = world
    const removedEndpoint = createServer((_, response) => response.writeHead(410).end())
    const port = await listen(removedEndpoint)
    try {
      await countersign.webhookEndpoints.create({
        url: `http://127.0.0.1:${port}/`,
        description: 'Old server',
      })
      await countersign.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })
      await go('/settings?part=webhook')
      const row = page.getByRole('region', { name: 'Old server' })
      await row.getByText('It responded 410.').waitFor()
      expect(await look(page, 'endpoint-gone')).toEqual([])
      expect(wrong).toEqual([])
    } finally {
      removedEndpoint.close()
    }
  })
})
