import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Countersign } from '@countersign/sdk'
import { verifyWebhook } from '@countersign/sdk/webhooks'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../test/ports.testing.ts'
import { addAuthenticator, type Browser, startBrowser } from './browser.testing.ts'

/** A platform in a cell, whose token the proxy knows. */
interface Cell {
  readonly name: string
  readonly credentials: { readonly tokenId: string; readonly clientSecret: string }
}

/** Two cells on two PostgreSQL servers, behind HAProxy. */
interface Cells {
  /** The API at the proxy, which routes by token. */
  readonly baseUrl: string
  /** The proxy's port. The proxy routes `http://north.localhost` to the cell north. */
  readonly port: number
  readonly cells: readonly Cell[]
  stop(): Promise<void>
}

async function startCells(): Promise<Cells> {
  const { Cells } = await import(fileURLToPath(new URL('../scripts/cluster/cells.mjs', import.meta.url)))
  return Cells.start(() => {})
}

describe('two cells behind one proxy', () => {
  let cells: Cells
  let browser: Browser
  beforeAll(async () => {
    cells = await startCells()
    browser = await startBrowser()
    await addAuthenticator(browser.page)
  })
  afterAll(async () => {
    await browser?.close()
    await cells?.stop()
  })

  const platforms = () =>
    cells.cells.map(({ name, credentials }) => ({
      name,
      origin: `http://${name}.localhost:${cells.port}`,
      countersign: new Countersign({ baseUrl: cells.baseUrl, ...credentials }),
    }))
  const createCustomer = (countersign: Countersign, fullName: string) =>
    countersign.customers.create({ customerType: 'INDIVIDUAL', fullName, currencies: ['USD'] })

  test('the console of each cell opens at its own host and shows only its customers', async () => {
    const { page } = browser
    for (const { name, countersign } of platforms()) await createCustomer(countersign, `Ada of ${name}`)
    for (const { name, origin, countersign } of platforms()) {
      const { url } = await countersign.sandbox.consoleLink()
      expect(new URL(url).origin).toBe(origin)
      await page.goto(url)
      await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
      await page.goto(`${origin}/console/customers`)
      await page.getByText(`Ada of ${name}`).first().waitFor()
      for (const other of cells.cells.filter((cell) => cell.name !== name))
        expect(await page.getByText(`Ada of ${other.name}`).count()).toBe(0)
    }
  })

  test('card pages and verification links lead to the cell that created them', async () => {
    const { page } = browser
    for (const { name, origin, countersign } of platforms()) {
      const holder = await createCustomer(countersign, `Grace of ${name}`)
      const { data } = await countersign.internalAccounts.list({ customerId: holder.id, currency: 'USD' })
      const fundingSources = data.filter(({ type }) => type === 'INTERNAL_FIAT').map((account) => account.id)
      const { id } = await countersign.cards.create({
        ...{ cardholderId: holder.id, form: 'VIRTUAL', fundingSources },
      })
      await countersign.sandbox.advanceClock({ seconds: 0 })
      const { panEmbedUrl, last4 } = await countersign.cards.get(id)
      expect(new URL(String(panEmbedUrl)).origin).toBe(origin)
      await page.goto(String(panEmbedUrl))
      await page.getByText(`0000 ${last4}`).waitFor()

      await countersign.config.update({ sandboxConfig: { verification: 'MANUAL' } })
      const applicant = await createCustomer(countersign, `Joan of ${name}`)
      const { kycUrl } = await countersign.kycLinks.create(applicant.id)
      expect(new URL(kycUrl).origin).toBe(origin)
      await page.goto(kycUrl)
      await page.getByRole('button', { name: 'Begin' }).waitFor()
    }
  })

  test('each cell sends its webhooks to the endpoints that were created through the proxy', async () => {
    for (const { name, countersign } of platforms()) {
      const { url, next } = await openReceiver()
      const { secret } = await countersign.webhookEndpoints.create({ url })
      const customer = await createCustomer(countersign, `Mary of ${name}`)
      const event = await verifyWebhook({ ...(await next), secret })
      expect(event.objectId).toBe(customer.id)
    }
  })

  test('a person with one e-mail address is a member of each cell, with a separate passkey for each', async () => {
    const { page } = browser
    const signIn = page.getByRole('button', { name: 'Sign in with a passkey' })
    const overview = page.getByRole('heading', { level: 1, name: 'Overview', exact: true })
    const members: string[] = []
    // The browser is signed in from the earlier tests.
    await page.context().clearCookies()
    for (const { name, origin, countersign } of platforms()) {
      // A passkey of the other cell belongs to another host, so the browser does not offer it here.
      await page.goto(`${origin}/console`)
      await signIn.click()
      await page.getByRole('alert').waitFor()

      const person = { name: `Grace of ${name}`, email: 'grace@example.com' }
      const invited = await countersign.members.invite({ ...person, permissions: ['VIEW'] })
      expect(new URL(invited.invitationUrl).origin).toBe(origin)
      members.push(invited.member.id)
      // A link that differs only in its fragment would not reload the page.
      await page.goto('about:blank')
      await page.goto(invited.invitationUrl)
      await page.getByRole('button', { name: 'Create a passkey and sign in' }).click()
      await overview.waitFor()
      await signOut(page, person.name)
      await signIn.click()
      await overview.waitFor()
      await signOut(page, person.name)
    }
    expect(new Set(members).size).toBe(2)
    for (const { name, origin } of platforms()) {
      await page.goto(`${origin}/console`)
      await signIn.click()
      await signOut(page, `Grace of ${name}`)
    }
  })

  test('one UMA address in two cells belongs to two customers, each unknown to the other cell', async () => {
    const umaAddress = '$ada@example.com'
    const customers = []
    for (const { name, countersign } of platforms())
      customers.push(
        await countersign.customers.create({
          ...{ customerType: 'INDIVIDUAL', fullName: `Ada of ${name}`, umaAddress },
        }),
      )
    for (const [n, { countersign }] of platforms().entries()) {
      const { data } = await countersign.customers.list({ umaAddress })
      expect(data.map(({ id }) => id)).toEqual([customers[n]?.id])
      await expect(
        countersign.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada again', umaAddress }),
      ).rejects.toMatchObject({ status: 409 })
    }
  })
})

async function signOut(page: Browser['page'], name: string): Promise<void> {
  await page.getByRole('button', { name: `Signed in as ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
}

interface Delivery {
  readonly payload: string
  readonly headers: IncomingHttpHeaders
}

/** Opens a local webhook receiver, and returns the first request to it. */
async function openReceiver() {
  let arrive: (delivery: Delivery) => void = () => {}
  const next = new Promise<Delivery>((resolve) => {
    arrive = resolve
  })
  const server = createServer(async (request, response) => {
    const payload = await text(request)
    response.end()
    arrive({ payload, headers: request.headers })
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}/`, next }
}
