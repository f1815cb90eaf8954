import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFundedCustomer } from '../../sdk/test/platform.testing.ts'
import { type ConsoleWorld, openSignedIn } from '../browser.testing.ts'

const BYTES_MAX = 200_000
/** Responses below this size are not worth compressing. */
const PLAIN_BYTES_MAX = 1_024
const RUNS = 3

interface LoadedFile {
  readonly name: string
  readonly bytes: number
  readonly encoding: string | undefined
  readonly isLate: boolean
}

interface FirstView {
  readonly interactiveMs: number
  readonly loaded: readonly LoadedFile[]
}

describe('the overview of a signed-in member', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await openSignedIn()
    const { countersign } = world
    const { usdId, bankId } = await makeFundedCustomer(countersign, {
      email: 'ada@example.com',
      amount: 1_000_000n,
    })
    await countersign.sandbox.fund(usdId, { amount: 100_000n })
    // Data for the chart.
    await countersign.transfers.out({
      source: { accountId: usdId },
      destination: { accountId: bankId },
      amount: 500n,
    })
    await world.page.addInitScript(noteFirstButton)
  })
  afterAll(async () => {
    await world?.browser.close()
  })

  test('needs at most 200 kB of scripts and styles until it can be used', async () => {
    const { page, wrong } = world
    const views: FirstView[] = []
    for (let run = 0; run < RUNS; run++) views.push(await openCold(page, `${world.origin}/console/`))
    for (const { interactiveMs, loaded } of views) {
      const needed = loaded.filter(({ isLate }) => !isLate)
      for (const { name, bytes, encoding } of needed)
        if (bytes > PLAIN_BYTES_MAX)
          expect([name, encoding]).toEqual([name, expect.stringMatching(/^(?:br|gzip)$/)])
      expect(needed.length).toBeGreaterThan(2)
      expect(sum(needed), JSON.stringify(needed)).toBeLessThanOrEqual(BYTES_MAX)
      console.info(
        `First view: ${sum(needed)} bytes in ${needed.length} files, later ${formatLateLoads(loaded)}; first button after ${interactiveMs} ms.`,
      )
    }
    expect(wrong).toEqual([])
  })
})

const sum = (loaded: readonly LoadedFile[]) => loaded.reduce((all, { bytes }) => all + bytes, 0)

/** Requests made after the page has become usable, with their sizes. */
const formatLateLoads = (loaded: readonly LoadedFile[]) =>
  loaded
    .filter(({ isLate }) => isLate)
    .map(({ name, bytes }) => `${name} ${bytes}`)
    .join(', ')

/** Runs in the page before its scripts: records when the first button can be pressed. */
function noteFirstButton(): void {
  const look = () => {
    if (!document.querySelector('button:not([disabled], [aria-disabled=true], [data-disabled])')) return
    performance.mark('first button')
    observer.disconnect()
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { childList: true, subtree: true, attributes: true })
}

/** Opens the overview with an empty browser cache and waits for its chart. */
async function openCold(page: Page, address: string): Promise<FirstView> {
  await page.goto('about:blank')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.clearBrowserCache')
  await devtools.detach()
  const requests: Request[] = []
  const note = (request: Request) => {
    if (['script', 'stylesheet'].includes(request.resourceType())) requests.push(request)
  }
  page.on('requestfinished', note)
  await page.goto(address)
  await page.locator('[role=img] .day').first().waitFor()
  page.off('requestfinished', note)
  const [openedAt, interactiveMs] = await page.evaluate(
    () => [performance.timeOrigin, performance.getEntriesByName('first button')[0]!.startTime] as const,
  )
  const loaded = requests.map(async (request): Promise<LoadedFile> => {
    const response = await request.response()
    return {
      name: new URL(request.url()).pathname,
      bytes: (await request.sizes()).responseBodySize,
      encoding: (await response!.allHeaders())['content-encoding'],
      isLate: request.timing().startTime > openedAt + interactiveMs,
    }
  })
  return { interactiveMs: Math.round(interactiveMs), loaded: await Promise.all(loaded) }
}
