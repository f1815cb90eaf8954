import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Countersign } from '@countersign/sdk'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { serveExample } from '../examples/web/serve.ts'
import { makePlatform } from '../sdk/test/platform.testing.ts'
import { addAuthenticator, type Browser, startBrowser } from './browser.testing.ts'

const { SCREENSHOTS } = process.env

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const WIDTHS = { phone: 390, desktop: 1280 }

/** Returns the axe rules that a page violates, each with the first element. */
async function findFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ path: AXE })
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html}`)
  })
}

/** Operates the page with the keyboard only. */
function operateByKeyboard(page: Page) {
  const { keyboard } = page
  const focused = () =>
    page.evaluate(() => {
      const at = document.activeElement
      if (at === document.body) return ''
      const label = at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : undefined
      return (at?.getAttribute('aria-label') ?? label ?? at?.textContent ?? '').trim()
    })
  /** Moves forward to the element with this name, as a screen reader user does. */
  const goTo = async (name: string | RegExp) => {
    const passed: string[] = []
    for (let steps = 0; steps < 60; steps++) {
      const at = await focused()
      if (typeof name === 'string' ? at === name : name.test(at)) return
      passed.push(at)
      await keyboard.press('Tab')
    }
    throw new Error(`The keyboard does not reach ${name}: ${passed.join(' | ')}`)
  }
  return {
    focused,
    goTo,
    async press(name: string | RegExp, key: 'Enter' | 'Space' = 'Enter') {
      await goTo(name)
      await keyboard.press(key)
    },
    async fill(name: string, text: string) {
      await goTo(name)
      await keyboard.press('Control+A')
      await keyboard.type(text)
    },
  }
}

describe('the page with the wallet kit', () => {
  let countersign: Countersign
  let example: { readonly origin: string; readonly server: Server }
  let browser: Browser
  let trouble: string[]

  beforeAll(async () => {
    const platform = await makePlatform()
    countersign = new Countersign(platform)
    const folder = fileURLToPath(new URL('../examples/web', import.meta.url))
    example = await serveExample({ ...platform, countersign, folder, port: 0 })
  })

  afterEach(async () => {
    await browser?.close()
  })

  afterAll(() => {
    example?.server.closeAllConnections()
    example?.server.close()
  })

  const open = async (width: number, colorScheme: 'light' | 'dark', query = '') => {
    browser = await startBrowser({ viewport: { width, height: 900 } })
    const { page } = browser
    trouble = []
    page.on('pageerror', (error) => trouble.push(error.message))
    page.on('console', (message) => {
      // Chromium itself logs these errors: before the sign-in, for the wrong code, and for a known payee.
      if (message.type() === 'error' && !/status of 4(?:01|09)/.test(message.text()))
        trouble.push(message.text())
    })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto(example.origin + query)
    const look = async (name: string) => {
      expect(await findFaults(page), name).toEqual([])
      // Nothing overflows the page.
      const overhang = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overhang, name).toBe(0)
      if (SCREENSHOTS)
        await page.screenshot({
          path: `${SCREENSHOTS}/kit-${name}-${width}-${colorScheme}.png`,
          fullPage: true,
        })
    }
    return { page, look, keys: operateByKeyboard(page) }
  }
  // Letters, because digits at the end of a name are magic values.
  let signedUp = 0
  const email = () => `ada-${'abcdefghijklmnopqrstuvwxyz'[signedUp++]}@example.com`

  test.each([
    ['phone', 'light'],
    ['phone', 'dark'],
    ['desktop', 'light'],
    ['desktop', 'dark'],
  ] as const)(
    'with the keyboard only, on a %s, %s: up, in, receive, pay, settle, freeze',
    async (size, scheme) => {
      const { page, look, keys } = await open(WIDTHS[size], scheme)
      const expectStatus = (words: string | RegExp) => page.getByRole('status').getByText(words).waitFor()

      await page.getByRole('heading', { name: 'Sign up' }).waitFor()
      await look('1-sign-up')
      await keys.fill('Your name', 'Ada Lovelace')
      await keys.fill('Your e-mail address', email())
      await keys.press('Sign up')

      await page.getByRole('button', { name: /E-mail a code/ }).waitFor()
      await page.getByText('Sign in to freeze').waitFor()
      await look('2-signed-out')
      await keys.press(/E-mail a code/)
      await expectStatus(/A code is on its way/)
      expect(await keys.focused()).toBe('Code of six digits')
      await look('3-code')
      await page.keyboard.type('111111')
      await page.getByRole('alert').getByText('That code is not right').waitFor()
      expect(await keys.focused()).toBe('Code of six digits')
      await look('4-wrong-code')
      await page.keyboard.type('000000')
      await expectStatus('Your session lasts until')
      expect(await keys.focused()).toBe('Sign out')

      await keys.press('Send 250 USDB to the wallet', 'Space')
      await page.getByText('250.00 USDB', { exact: true }).waitFor()
      await look('5-signed-in')

      await keys.fill('Name of the payee', 'Maria Silva')
      await keys.fill('Account number', '000123456789')
      await keys.fill('Routing number', '021000021')
      await keys.fill('Amount in USD', '25.50')
      await keys.press('Pay')
      const dialog = page.getByRole('dialog', { name: 'Confirm the payment' })
      await dialog.waitFor()
      expect(await keys.focused()).toBe('Confirm the payment')
      for (const text of ['25.728644 USDB', '0.228644 USDB', '25.50 USD', 'Maria Silva', '000123456789'])
        expect(await dialog.innerText()).toContain(text.replace(' US', '\u00a0US'))
      // Ids appear only in the complete payload.
      expect(await dialog.innerText()).not.toMatch(/\b[A-Z]\w+:[0-9a-f]{8}-/)
      await look('6-confirm')
      await keys.press('All that you sign')
      expect(await dialog.innerText()).toContain('bodySha256')
      await look('7-all-that-is-signed')
      await page.keyboard.press('Escape')
      await page.getByRole('alert').getByText('Nothing was paid').waitFor()
      expect(await keys.focused()).toBe('Pay')
      await page.getByText('250.00 USDB', { exact: true }).waitFor()

      await keys.press('Pay')
      await dialog.waitFor()
      await keys.press('Sign and pay')
      await expectStatus('The payment has arrived.')
      expect(await keys.focused()).toBe('Pay')
      await page.getByText('224.271356 USDB', { exact: true }).waitFor()
      await page.getByText(/^Completed/).waitFor()

      await keys.press('Freeze the card')
      await expectStatus('The card is frozen')
      expect(await keys.focused()).toBe('Unfreeze the card')
      await look('8-frozen')
      const { data } = (await countersign.call('card_list', { query: { state: 'FROZEN' } })).body
      await keys.press('Unfreeze the card', 'Space')
      await expectStatus('The card can be used again.')
      const now = await countersign.call('card_get', { params: { id: data[0]!.id } })
      expect(now.body.state).toBe('ACTIVE')
      expect(trouble).toEqual([])
    },
  )

  test('the session survives a reload, and signing out ends it on the server', async () => {
    const { page, keys } = await open(WIDTHS.desktop, 'light')
    await signUpAndIn(page)
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    const accountId = (await countersign.call('sandbox_inbox_list', { query: { limit: 1 } })).body.data[0]!
      .accountId!
    const sessions = async () =>
      (await countersign.call('session_list', { query: { accountId } })).body.data.length
    expect(await sessions()).toBe(1)
    await keys.press('Sign out')
    await page.getByRole('status').getByText('You have signed out.').waitFor()
    await expect.poll(keys.focused).toMatch(/^E-mail a code/)
    expect(await sessions()).toBe(0)
    await page.reload()
    await page.getByRole('button', { name: /E-mail a code/ }).waitFor()
  })

  test('a passkey that was added signs in', async () => {
    const { page } = await open(WIDTHS.desktop, 'light')
    await addAuthenticator(page)
    await signUpAndIn(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('status').getByText('The passkey can be used').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Use the passkey “This device”' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(trouble).toEqual([])
  })

  test.each([
    ['es', 'Confirma el pago', 'Pagas', '25,728644', 'Firmar y pagar'],
    ['pt-BR', 'Confirme o pagamento', 'Paga', '25,728644', 'Assinar e pagar'],
    ['fr', 'Confirmez le paiement', 'Vous payez', '25,728644', 'Signer et payer'],
  ])('confirms a payment in %s', async (language, title, label, amount, button) => {
    const { page, look } = await open(WIDTHS.phone, 'dark', `?language=${language}`)
    await signUpAndIn(page)
    await deposit(page)
    await fillPayment(page, '25,50')
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.waitFor()
    expect(await dialog.getAttribute('lang')).toBe(language)
    for (const text of [label, `${amount}\u00a0USDB`, '25,50\u00a0USD'])
      expect(await dialog.innerText()).toContain(text)
    await look(`confirm-${language}`)
    await dialog.getByRole('button', { name: button }).waitFor()
  })

  test.each([
    ['es', ['Una cartera', 'Solo en el entorno de pruebas', 'Pagar', 'Importe en USD']],
    ['pt-BR', ['Uma carteira', 'Somente no ambiente de testes', 'Pagar', 'Valor em USD']],
    ['fr', ['Un portefeuille', 'Seulement dans le bac à sable', 'Payer', 'Montant en USD']],
  ] as const)('the page is in %s throughout', async (language, words) => {
    const { page } = await open(WIDTHS.desktop, 'light', `?language=${language}`)
    await signUpAndIn(page)
    await page.locator('.cs-pay').waitFor()
    const text = await page.locator('body').innerText()
    for (const word of words) expect(text).toContain(word)
    expect(text).not.toMatch(/\b(?:the|your|Sign|sandbox|Pay|this)\b/)
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(language)
  })

  test('the kit keeps its font, spacing and fields on a page without styles', async () => {
    const { page } = await open(WIDTHS.phone, 'light')
    await page.addStyleTag({ content: ':root, body, main { all: unset; display: block }' })
    await signUpAndIn(page)
    await page.locator('.cs-pay input').first().waitFor()
    const fonts = await page
      .locator('.cs-section, .cs-section :is(input, button, label, p, dt)')
      .evaluateAll((all) => all.map((element) => getComputedStyle(element).fontFamily))
    expect(new Set(fonts)).toEqual(new Set([expect.stringMatching(/^system-ui\b.*sans-serif$/)]))
    const sections = await page
      .locator('.cs-section')
      .evaluateAll((all) =>
        all.map((element) => element.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })),
      )
    for (const [index, { top }] of sections.slice(1).entries())
      expect(top - sections[index]!.bottom).toBeGreaterThanOrEqual(12)
    const field = page.locator('.cs-pay input').first()
    const { height, width } = (await field.boundingBox())!
    const pane = (await page.locator('.cs-pay').boundingBox())!
    expect(height).toBeGreaterThanOrEqual(44)
    expect(width).toBeGreaterThan(pane.width * 0.8)
    expect(await field.evaluate((element) => getComputedStyle(element).borderRadius)).not.toBe('0px')
  })

  test('a payload that pays more than the page asked for is neither shown nor signed', async () => {
    const { page } = await open(WIDTHS.desktop, 'light')
    await signUpAndIn(page)
    await deposit(page)
    await page.route('**/execute', async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      // Changes the data but not the sentence for people.
      await route.fulfill({
        response,
        body: text.replaceAll(String.raw`\"amount\":2550,`, String.raw`\"amount\":9550,`),
      })
    })
    await fillPayment(page, '25.50')
    await page.getByRole('alert').getByText('Nothing was signed').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.unroute('**/execute')
    await fillPayment(page, '25.50')
    await page.getByRole('dialog').waitFor()
  })

  test('an expired token is replaced, and an expired session is reported', async () => {
    const { page, look } = await open(WIDTHS.desktop, 'light')
    await signUpAndIn(page)
    await countersign.call('sandbox_clock_advance', { body: { seconds: 16 * 60 } })
    await deposit(page)
    await page.getByText('250.00 USDB', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Freeze the card' }).click()
    await page.getByRole('status').getByText('Your session has ended. Sign in again.').waitFor()
    await page.getByRole('button', { name: /E-mail a code/ }).waitFor()
    await look('9-session-ended')
    expect(trouble).toEqual([])
  })

  /** Clicks the sandbox's second button, in any language. */
  async function deposit(page: Page): Promise<void> {
    await page.locator('.cs-outside button').nth(1).click()
  }

  async function fillPayment(page: Page, amount: string): Promise<void> {
    const values = {
      fullName: 'Maria Silva',
      accountNumber: '000123456789',
      routingNumber: '021000021',
      amount,
    }
    for (const [name, value] of Object.entries(values))
      await page.locator(`.cs-pay [name=${name}]`).fill(value)
    await page.locator('.cs-pay button').click()
  }

  async function signUpAndIn(page: Page): Promise<void> {
    await page.locator('[name=fullName]').fill('Ada Lovelace')
    await page.locator('[name=email]').fill(email())
    await page.locator('.cs-sign-up button').click()
    await page.locator('.cs-choice button').click()
    await page.locator('[data-input-otp]').focus()
    await page.getByRole('status').filter({ hasText: '@example.com' }).waitFor()
    await page.keyboard.type('000000')
    await page.locator('.cs-choice, .cs-code').waitFor({ state: 'detached' })
  }
})
