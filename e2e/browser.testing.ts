import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export interface Browser {
  readonly page: Page
  close(): Promise<void>
}

/** Chromium with an empty profile, which can reach only this machine. */
export async function startBrowser(
  options: Pick<BrowserContextOptions, 'javaScriptEnabled' | 'viewport' | 'isMobile' | 'hasTouch'> = {},
): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'countersign-chromium-'))
  let context: BrowserContext | undefined
  const close = async () => {
    await context?.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM!,
      args: FLAGS,
      viewport: { width: 1100, height: 900 },
      // Elements that fade in have little contrast for a moment.
      reducedMotion: 'reduce',
      ...options,
    })
    await context.route(
      ({ hostname }) => !['localhost', '127.0.0.1'].includes(hostname),
      (route) => route.abort(),
    )
    return { page: context.pages()[0] ?? (await context.newPage()), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The DevTools virtual authenticator: stores passkeys, and its user agrees at once. */
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
