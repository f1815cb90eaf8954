import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { newPlatform } from '../server/test/worlds/client.testing.ts'
import { type Browser, startBrowser } from './browser.testing.ts'

const { SCREENSHOTS } = process.env

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 900 }
const SIZES = [
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
] as const

describe('the pages about the API', () => {
  let browser: Browser
  afterEach(async () => {
    await browser?.close()
  })

  /** A page that keeps what it asks other servers for, and what it complains of. */
  async function open(viewport: typeof PHONE) {
    browser = await startBrowser({ viewport })
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

  test.each(SIZES)('lead from / to a guide and back, on %s, light and dark', async (name, viewport) => {
    const { page, origin, wrong } = await open(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(origin)
      await fits(page, `${name} ${colorScheme} landing`)
      await page.getByRole('link', { name: 'Your first payment' }).click()
      await page.getByRole('heading', { level: 1, name: 'Your first payment' }).waitFor()
      await fits(page, `${name} ${colorScheme} guide`)
      const [paper, ink] = await page.evaluate(() => {
        const { backgroundColor, color } = getComputedStyle(document.body)
        return [backgroundColor, color].map((text) => Number(/\d+/.exec(text)![0]))
      })
      expect(paper! > ink!).toBe(colorScheme === 'light')
      await page.getByRole('link', { name: 'Guides' }).click()
      await page.getByRole('link', { name: 'Moving money' }).click()
      await fits(page, `${name} ${colorScheme} payments`)
    }
    expect(wrong).toEqual([])
  })

  test.each(SIZES)('try a call out with records of the sandbox, on %s', async (name, viewport) => {
    const { page, client, origin, wrong } = await open(viewport)
    const { tokenId, clientSecret } = client.credentials
    await page.goto(`${origin}/docs`)
    await page
      .getByText('Locks a rate and the fees')
      .or(page.getByText('The settings of your platform'))
      .first()
      .waitFor()
    await page.locator('label', { hasText: 'tokenId' }).nth(1).waitFor()
    expect(await page.getByText(/^\s*(?:Username|Password)\b/).count()).toBe(0)

    await page.getByText('Fill “try it”').click()
    await page.locator('#fill-id').fill(tokenId)
    await page.locator('#fill-secret').fill(clientSecret)
    await fits(page, `${name} fill`)
    await page.getByRole('button', { name: 'Make records' }).click()
    await page.locator('#fill output', { hasText: 'The examples are about Customer:' }).waitFor()
    await page.getByText('Fill “try it”').click()

    await page.evaluate(() => {
      location.hash = '#tag/quotes/post/quotes'
    })
    await page
      .getByRole('button', { name: /Test Request.*post \/quotes\)/i })
      .first()
      .click()
    const answered = page.waitForResponse(
      (one) => one.url().endsWith('/quotes') && one.request().method() === 'POST',
    )
    await page.getByRole('button', { name: /^Send/ }).first().click()
    expect((await answered).status()).toBe(201)
    await page.getByText('201 Created').first().waitFor()
    await fits(page, `${name} sent`)
    expect(wrong).toEqual([])
  })

  test('find operations, and no schemas', async () => {
    const { page, origin, wrong } = await open(DESKTOP)
    await page.goto(`${origin}/docs`)
    await page.getByText('The settings of your platform').first().waitFor()
    await page.keyboard.press('Control+k')
    await page
      .getByRole('dialog')
      .getByRole('combobox')
      .or(page.getByPlaceholder(/search/i))
      .first()
      .fill('quote')
    const first = page.getByRole('option').first()
    await first.waitFor()
    expect(await first.textContent()).toMatch(/quote/i)
    const found = await page.getByRole('option').allTextContents()
    expect(found.filter((text) => /\/quotes/.test(text)).length).toBeGreaterThan(3)
    expect(found.filter((text) => /schema|model/i.test(text))).toEqual([])
    await fits(page, 'search')
    expect(wrong).toEqual([])
  })

  test('show the recorded answer of a call', async () => {
    const { page, origin } = await open(DESKTOP)
    await page.goto(`${origin}/docs#tag/quotes/post/quotes`)
    await page.getByText('"Quote:0198c0de-').first().waitFor()
    await fits(page, 'answer')
  })
})

/** Nothing is wider than the window; with SCREENSHOTS a picture for a person to look at. */
async function fits(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `reference ${name}.png`) })
  const [width, widest] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth])
  expect(widest, name).toBeLessThanOrEqual(width!)
}
