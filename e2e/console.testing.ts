import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { makePlatform } from '../sdk/test/platform.testing.ts'
import { addAuthenticator, type Browser, startBrowser } from './browser.testing.ts'

const { SCREENSHOTS } = process.env
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

export const DESKTOP = { width: 1440, height: 900 }
export const TABLET = { width: 1024, height: 800 }
export const PHONE = { width: 390, height: 844 }
export const SIZES = [
  ['a desktop', DESKTOP],
  ['a tablet', TABLET],
  ['a phone', PHONE],
] as const

export interface ConsoleWorld {
  readonly browser: Browser
  readonly page: Page
  /** The platform's backend. */
  readonly countersign: Countersign
  /** `http://localhost:PORT`, where passkeys work without TLS. */
  readonly origin: string
  /** Requests of pages to other servers, and errors of pages. Empty if all is well. */
  readonly wrong: string[]
  /** Opens a path of the console, `/customers`. */
  go(path: string): Promise<void>
}

/** A new platform, and a browser that is not signed in to its console yet. */
export async function openConsole(viewport: typeof DESKTOP = DESKTOP): Promise<ConsoleWorld> {
  const countersign = new Countersign(await makePlatform())
  const browser = await startBrowser({
    viewport,
    ...(viewport === PHONE ? { isMobile: true, hasTouch: true } : {}),
  })
  const { page } = browser
  await addAuthenticator(page)
  const { url } = await countersign.sandbox.consoleLink()
  const { origin } = new URL(url)
  const wrong: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (!/^(?:data|blob):/.test(url.protocol) && url.origin !== origin) wrong.push(`asks ${url}`)
  })
  page.on('console', (message) => {
    // Chromium itself logs each error response, and a signed-out page gets some.
    if (
      ['error', 'warning'].includes(message.type()) &&
      !message.text().startsWith('Failed to load resource')
    )
      wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  return {
    browser,
    page,
    countersign,
    origin,
    wrong,
    go: async (path) => void (await page.goto(`${origin}/console${path}`)),
  }
}

/** A console world, signed in by the link of the sandbox, at the overview. */
export async function openSignedIn(viewport: typeof DESKTOP = DESKTOP): Promise<ConsoleWorld> {
  const world = await openConsole(viewport)
  const { url } = await world.countersign.sandbox.consoleLink()
  await world.page.goto(url)
  await world.page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
  return world
}

/** The rules of axe about colours, the only ones that depend on the colour scheme: nothing else differs between both. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
const RULES = { light: undefined, dark: COLOUR_RULES }

/**
 * Checks the page in light and dark mode: serious findings of axe, and horizontal scrolling. With
 * SCREENSHOTS, stores a picture of each by `name`.
 */
export async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => page.locator('[aria-busy=true], .mantine-Skeleton-root').count()).toBe(0)
    const about = `${name}, ${colorScheme}`
    found.push(...(await faultsOf(page, RULES[colorScheme])).map((fault) => `${about}: ${fault}`))
    if (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'))
      found.push(`${about}: scrolls sideways`)
    if (SCREENSHOTS) {
      const { width } = page.viewportSize()!
      await page.screenshot({ path: join(SCREENSHOTS, `console-${name}-${width}-${colorScheme}.png`) })
    }
  }
  return found
}

/**
 * The serious rules of axe that the page breaks, of the given ones or of all, with the first element of each.
 */
async function faultsOf(page: Page, rules?: string[]): Promise<string[]> {
  // Not by a script tag: the policy of the page refuses it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await readFile(AXE, 'utf8'))
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(only ? { runOnly: only } : {}),
    })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)
  }, rules)
}
