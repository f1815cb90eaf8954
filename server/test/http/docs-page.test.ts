import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 60_000 })

const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
const { origin } = new URL(inject('baseUrl'))

test('the OpenAPI document is served without credentials', async () => {
  const response = await fetch(`${inject('baseUrl')}/openapi.json`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  const document = (await response.json()) as { openapi: string; paths: Record<string, unknown> }
  expect(document.openapi).toMatch(/^3\.1\./)
  expect(Object.keys(document.paths)).toContain('/quotes/{quoteId}/execute')
})

if (!existsSync(CHROMIUM)) console.warn(`No browser at ${CHROMIUM}: the reference page is not tested.`)

describe.skipIf(!existsSync(CHROMIUM))('the reference page', () => {
  let profile: string
  let browser: BrowserContext

  beforeAll(async () => {
    profile = await mkdtemp(join(tmpdir(), 'countersign-browser-'))
    browser = await chromium.launchPersistentContext(profile, { executablePath: CHROMIUM, args: FLAGS })
  })
  afterAll(async () => {
    await browser?.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })

  test.each([
    ['a desktop', { width: 1280, height: 900 }],
    ['a phone', { width: 390, height: 844 }],
  ])('on %s shows the operations, and asks no other server for anything', async (name, viewport) => {
    const page = await browser.newPage()
    await page.setViewportSize(viewport)
    const requests: string[] = []
    const complaints: string[] = []
    // Every one, those too that the page's policy then blocks.
    page.on('request', (request) => requests.push(request.url()))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(`${origin}/docs`)
    const heading = page.getByRole('heading', { name: 'Countersign', exact: false }).first()
    await heading.waitFor()
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name} top.png`) })

    await page.goto(`${origin}/docs#tag/quotes`)
    await page.getByText('/quotes/{quoteId}/execute').first().waitFor()
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) })

    expect(requests.filter((url) => !/^(?:data|blob):/.test(url) && new URL(url).origin !== origin)).toEqual(
      [],
    )
    expect(complaints).toEqual([])
    const widest = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(widest).toBeLessThanOrEqual(viewport.width)
    await page.close()
  })
})
