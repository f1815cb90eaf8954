import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { type BrowserContextOptions, type Browser as Chromium, chromium, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { makePlatform } from '../sdk/test/platform.testing.ts'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // No other host is found.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost',
]

export interface Browser {
  readonly page: Page
  close(): Promise<void>
}

let chromiumOfWorker: Promise<Chromium> | undefined

/** Starts Chromium once per worker. It ends with the worker. */
async function launchChromium(): Promise<Chromium> {
  const running = await chromiumOfWorker
  if (running?.isConnected()) return running
  chromiumOfWorker = chromium.launch({ executablePath: process.env.CHROMIUM!, args: FLAGS })
  return chromiumOfWorker
}

/** Opens a page in an empty profile, with access to this machine only. */
export async function startBrowser(
  options: Pick<BrowserContextOptions, 'javaScriptEnabled' | 'viewport' | 'isMobile' | 'hasTouch'> = {},
): Promise<Browser> {
  const context = await (await launchChromium()).newContext({
    viewport: { width: 1100, height: 900 },
    // Elements that are still fading in would fail the contrast check.
    reducedMotion: 'reduce',
    ...options,
  })
  return { page: await context.newPage(), close: () => context.close() }
}

/**
 * Adds the DevTools virtual authenticator, which stores passkeys and acts as a user who agrees immediately.
 */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

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
  /** Requests by pages to other servers, and page errors. Empty if nothing went wrong. */
  readonly wrong: string[]
  /** Opens a path of the console, such as `/customers`. */
  go(path: string): Promise<void>
}

/** Creates a platform, and opens a browser that is not signed in to its console. */
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
    // Chromium itself logs every error response, and a signed-out page gets some.
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

/** Creates a platform, and opens a browser signed in with the sandbox link, at the overview. */
export async function openSignedIn(viewport: typeof DESKTOP = DESKTOP): Promise<ConsoleWorld> {
  const world = await openConsole(viewport)
  const { url } = await world.countersign.sandbox.consoleLink()
  await world.page.goto(url)
  await world.page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
  return world
}

/** Shows a list's filters, which are behind a button on a phone. */
export async function openFilters(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^Filters/ })
  if (page.viewportSize()?.width === PHONE.width) await button.click()
}

/** The axe rules about colors. Only these depend on the color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']
const RULES = { light: undefined, dark: COLOR_RULES }

/**
 * Checks the page in light and dark mode for serious axe findings and horizontal scrolling. With SCREENSHOTS,
 * saves a screenshot of each mode as `name`.
 */
export async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => page.locator('[aria-busy=true], .mantine-Skeleton-root').count()).toBe(0)
    const label = `${name}, ${colorScheme}`
    found.push(...(await findAxeViolations(page, RULES[colorScheme])).map((fault) => `${label}: ${fault}`))
    if (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'))
      found.push(`${label}: scrolls sideways`)
    if (SCREENSHOTS) {
      const { width } = page.viewportSize()!
      await page.screenshot({ path: join(SCREENSHOTS, `console-${name}-${width}-${colorScheme}.png`) })
    }
  }
  return found
}

/**
 * Returns the serious axe rules that the page violates, each with the first element. By default, checks all
 * rules.
 */
async function findAxeViolations(page: Page, rules?: string[]): Promise<string[]> {
  // Evaluated directly, because the page's content security policy blocks a script tag.
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

/**
 * Creates a customer with 5,000.00 USD, and with bank accounts whose numbers select the outcome of payments.
 */
export async function createFundedCustomer(countersign: Countersign) {
  const { id: customerId } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
    platformCustomerId: 'ada',
  })
  const { data } = await countersign.internalAccounts.list({ customerId, currency: 'USD' })
  const usdId = data[0]!.id
  await countersign.sandbox.fund(usdId, { amount: 500_000n })
  const payTo = async (accountNumber: string) => {
    const { id } = await countersign.externalAccounts.create({
      customerId,
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber,
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    return id
  }
  return { customerId, usdId, payTo }
}

/** Creates an agent that needs approval above 10.00 USD and has a daily limit of 2,000.00. */
export async function createConnectedAgent(countersign: Countersign, customerId: string): Promise<Agent> {
  const { deviceCode } = await countersign.agents.create({
    name: 'Shopper',
    customerId,
    policy: {
      permissions: ['CREATE_TRANSFERS'],
      defaultExecutionMode: 'AUTO',
      approvalThresholds: { amount: 1_000n, currency: 'USD' },
      spendingLimits: { currency: 'USD', perTransactionLimit: 100_000n, dailyLimit: 200_000n },
    },
  })
  return Agent.redeem({ baseUrl: inject('baseUrl'), code: deviceCode.code })
}
