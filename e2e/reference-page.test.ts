import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { type Credentials, newPlatform } from '../server/test/worlds/client.testing.ts'
import { type Browser, DESKTOP, look, PHONE, SIZES, startBrowser } from './browser.testing.ts'

/** Limits for the first view of a page: its compressed size and its number of requests. */
const FIRST_VIEW_BYTES_MAX = 40_000
const FIRST_VIEW_REQUESTS_MAX = 4

/** Enough to open one of each kind. Checking all of a page with axe would take a minute. */
const DETAILS_OPENED = 8

describe('the pages about the API', () => {
  let browser: Browser
  afterEach(async () => {
    await browser?.close()
  })

  /** Opens a page, and records its requests to other servers and its errors. */
  async function open(viewport = DESKTOP, options: { javaScriptEnabled?: boolean } = {}) {
    browser = await startBrowser({ viewport, ...options })
    const client = await newPlatform()
    const { origin } = new URL(client.baseUrl)
    const wrong: string[] = []
    const { page } = browser
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (!/^(?:data|blob):/.test(url.protocol) && url.origin !== origin) wrong.push(`asks ${url}`)
    })
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text())
    })
    page.on('pageerror', (error) => wrong.push(String(error)))
    return { page, client, origin, wrong }
  }

  test.each(SIZES)('lead from / to a guide and to the next one, on %s', async (_, viewport) => {
    const { page, origin, wrong } = await open(viewport)
    await page.goto(origin)
    await page.locator('main').getByRole('link', { name: 'Your first payment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your first payment' }).waitFor()
    await page.locator('a[rel=next]').click()
    await page.getByRole('heading', { level: 1, name: 'API conventions' }).waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Guides' }).click()
    await page.getByRole('heading', { level: 2, name: 'Run a server' }).waitFor()
    expect(wrong).toEqual([])
  })

  test.each(SIZES)('fit, and break no rule of axe, on %s, light and dark', async (_, viewport) => {
    const { page, origin, wrong } = await open(viewport)
    const pages = {
      start: '/',
      guides: '/docs/guides',
      guide: '/docs/guides/positions',
      reference: '/docs',
      section: '/docs/api/quotes',
      operation: '/docs/api/transfer_out',
      webhook: '/docs/api/customer_update_webhook',
      search: '/docs/search?q=quote',
    }
    const found: string[] = []
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(origin + path)
      await page.evaluate((most) => {
        for (const details of [...document.querySelectorAll('main details')].slice(0, most))
          details.setAttribute('open', '')
      }, DETAILS_OPENED)
      found.push(...(await look(page, `docs-${name}`)))
    }
    expect(found).toEqual([])
    expect(wrong).toEqual([])
  })

  /** Creates records with the form in the header, and checks the form's layout. */
  async function makeRecords(page: Page, origin: string, { tokenId, clientSecret }: Credentials) {
    await page.goto(`${origin}/docs`)
    await page.getByText('Fill “try it”').click()
    const fill = page.locator('#fill')
    await fill.getByLabel('tokenId').fill(tokenId)
    await fill.getByLabel('clientSecret').fill(clientSecret)
    expect(await look(page, 'docs-fill')).toEqual([])
    await fill.getByRole('button', { name: 'Create records' }).click()
    await fill.getByText('The examples are about Customer:').waitFor()
  }

  test.each(SIZES)('try out a call with sandbox records, on %s', async (_, viewport) => {
    const { page, client, origin, wrong } = await open(viewport)
    await makeRecords(page, origin, client.credentials)
    await page.goto(`${origin}/docs/api/quote_create`)
    const form = page.locator('#try')
    expect(await form.getByLabel('tokenId').inputValue()).toBe(client.credentials.tokenId)
    const answered = page.waitForResponse((one) => one.request().method() === 'POST')
    await form.getByRole('button', { name: 'Send' }).click()
    expect((await answered).status()).toBe(201)
    await form.getByText('201 Created').waitFor()
    await form.getByText('"id": "Quote:').waitFor()

    await page.goto(`${origin}/docs/api/quote_get`)
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByText('200 OK').waitFor()
    expect(await look(page, 'docs-sent')).toEqual([])
    expect(wrong).toEqual([])
  })

  test('upload a file from the page', async () => {
    const { page, client, origin } = await open()
    await makeRecords(page, origin, client.credentials)
    await page.goto(`${origin}/docs/api/document_create`)
    const form = page.locator('#try')
    await form.locator('[type=file]').setInputFiles({
      name: 'passport.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4\n%%EOF\n'),
    })
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByText('201 Created').waitFor()
  })

  test('show errors from the server and keep numbers unchanged', async () => {
    const { page, client, origin } = await open()
    await page.goto(`${origin}/docs/api/quote_get`)
    const form = page.locator('#try')
    await form.getByLabel('tokenId').fill(client.credentials.tokenId)
    await form.getByLabel('clientSecret').fill('wrong')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByText('"code": "UNAUTHORIZED"').waitFor()
    await page.route('**/quotes/*', (route) =>
      route.fulfill({ contentType: 'application/json', body: '{"a":[9007199254740993,"{,}"],"b":{}}' }),
    )
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByText('200 OK').waitFor()
    expect(await form.locator('pre').textContent()).toBe(
      '{\n  "a": [\n    9007199254740993,\n    "{,}"\n  ],\n  "b": {}\n}',
    )
  })

  test.each(SIZES)('find operations and guides while the reader types, on %s', async (_, viewport) => {
    const { page, origin, wrong } = await open(viewport)
    await page.goto(`${origin}/docs`)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('quote')
    const results = page.locator('.search .results a')
    await results.first().waitFor()
    const found = await results.allTextContents()
    expect(found[0]).toMatch(/quote/i)
    expect(found.filter((text) => /\/quotes/.test(text)).length).toBeGreaterThan(3)
    expect(found.filter((text) => /Guide/.test(text)).length).toBeGreaterThan(0)
    expect(found.filter((text) => /QuoteRequest|schema/i.test(text))).toEqual([])
    const box = await page.locator('.search .results').boundingBox()
    expect(box!.x).toBeGreaterThanOrEqual(0)
    expect(box!.x + box!.width).toBeLessThanOrEqual(viewport.width)
    expect(await look(page, 'docs-found')).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: found[0]!.replace(/(?:GET|POST) .*/, '') }).waitFor()
    expect(wrong).toEqual([])
  })

  test('copy the code of a block, but only the commands of a transcript', async () => {
    const { page, origin } = await open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copyBlock = async (path: string, text: string) => {
      await page.goto(origin + path)
      const block = page.locator('.code', { hasText: text }).first()
      await block.hover()
      await block.getByRole('button', { name: 'Copy' }).click()
      await block.getByRole('button', { name: 'Copied' }).waitFor()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    expect(await copyBlock('/docs/api/config_get', 'curl')).toMatch(
      /^curl 'http:[^']+\/config' \\\n {2}-u "\$TOKEN_ID/,
    )
    expect(await copyBlock('/docs/guides/backups', '1187 files')).toBe(
      'npx countersign backup /backups/2026-03-01',
    )
  })

  test('can be read and searched without JavaScript and never send a secret', async () => {
    const { page, origin } = await open(PHONE, { javaScriptEnabled: false })
    await page.goto(`${origin}/docs/api/quote_create`)
    await page.getByText('"Quote:0198c0de-').first().waitFor()
    await page.locator('#try-secret').fill('a secret')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.waitForURL(/\/docs\/api\/quote_create\??$/)
    expect(page.url()).not.toContain('secret')
    await page.getByRole('searchbox').fill('refund')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    expect(await page.locator('.results a').count()).toBeGreaterThan(0)
  })

  test.each(['/docs', '/docs/api/quote_create', '/docs/guides/webhooks'])(
    'bring few bytes at the first view: %s',
    async (path) => {
      const { page, origin } = await open()
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Network.enable')
      const loaded: number[] = []
      devtools.on('Network.loadingFinished', ({ encodedDataLength }) => loaded.push(encodedDataLength))
      await page.goto(origin + path, { waitUntil: 'networkidle' })
      expect(loaded.length).toBeLessThanOrEqual(FIRST_VIEW_REQUESTS_MAX)
      expect(loaded.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(FIRST_VIEW_BYTES_MAX)
    },
  )
})
