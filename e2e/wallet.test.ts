import { Countersign } from '@countersign/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFundedCustomer, makePlatform } from '../sdk/test/platform.testing.ts'
import { type Backend, startBackend } from './backend.testing.ts'
import { addAuthenticator, type Browser, startBrowser } from './browser.testing.ts'

const { SCREENSHOTS } = process.env

describe('a page with only the sdk', () => {
  let backend: Backend
  let browser: Browser
  let page: Page
  let countersign: Countersign
  let clientSecret: string
  let walletId: string
  const trouble: string[] = []

  beforeAll(async () => {
    const platform = await makePlatform()
    clientSecret = platform.clientSecret
    countersign = new Countersign(platform)
    const email = 'ada@example.com'
    const customer = await makeFundedCustomer(countersign, { email, amount: 100_000_000n })
    walletId = customer.walletId
    const keys = await fetch(new URL('/.well-known/countersign.json', platform.baseUrl))
    const { enclaveQuorumPublic } = (await keys.json()) as { enclaveQuorumPublic: string }
    backend = await startBackend({
      ...platform,
      quorumPublicKey: enclaveQuorumPublic,
      me: { name: 'Ada Lovelace', email, ...customer },
    })
    browser = await startBrowser()
    page = browser.page
    page.on('pageerror', (error) => trouble.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') trouble.push(message.text())
    })
    await addAuthenticator(page)
    await page.goto(backend.origin)
  })

  afterAll(async () => {
    await browser?.close()
    backend?.close()
  })

  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const expectStatus = (words: string) => page.getByRole('status').getByText(words).waitFor()
  const balance = async () => Number.parseFloat(await page.locator('#balance').innerText())
  const listMethods = () => page.locator('#methods strong').allInnerTexts()
  const sessions = async () => {
    const { body } = await countersign.call('session_list', { query: { accountId: walletId } })
    return body.data.map(({ type }) => type)
  }
  /** Takes screenshots for people, in the folder SCREENSHOTS. */
  const takeScreenshot = async (name: string) => {
    if (!SCREENSHOTS) return
    for (const [size, width, height] of [
      ['desktop', 1100, 900],
      ['phone', 375, 800],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.screenshot({ path: `${SCREENSHOTS}/${name}-${size}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 1100, height: 900 })
  }

  test('rejects a wrong code and signs in with the right one', async () => {
    const enter = async (code: string) => {
      await click('E-mail me a code')
      await page.getByLabel('Code from the e-mail').fill(code)
      await takeScreenshot('code')
      await click('Sign in')
    }
    await enter('111111')
    await expectStatus('Invalid OTP code')
    await enter('000000')
    await expectStatus('Signed in by e-mail code.')
    expect(await balance()).toBe(100)
    expect(await listMethods()).toEqual(['ada@example.com'])
  })

  test('keeps the session across a reload, with a key that cannot be exported', async () => {
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    const isReadable = await page.evaluate(async (accountId) => {
      const result = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve) => {
          request.onsuccess = () => resolve(request.result)
        })
      const database = await result(indexedDB.open('countersign'))
      const record = await result(database.transaction('sessions').objectStore('sessions').get(accountId))
      database.close()
      const { privateKey } = (record as { keyPair: CryptoKeyPair }).keyPair
      return crypto.subtle.exportKey('jwk', privateKey).then(
        () => true,
        () => false,
      )
    }, walletId)
    expect(isReadable).toBe(false)
  })

  test('registers a passkey and signs in with it', async () => {
    await click('Add a passkey')
    await expectStatus('The passkey has been registered.')
    expect(await listMethods()).toEqual(['ada@example.com', 'Passkey 1'])
    await click('Sign out')
    await expectStatus('Signed out.')
    expect(await sessions()).toEqual([])
    await takeScreenshot('signed-out')
    await click('Sign in with a passkey')
    await expectStatus('Signed in with a passkey.')
    expect(await sessions()).toEqual(['PASSKEY'])
  })

  test('refreshes the session, and the new key survives a reload', async () => {
    await click('Stay signed in')
    await expectStatus('The session has been renewed.')
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(await sessions()).toEqual(['PASSKEY'])
    await takeScreenshot('signed-in')
  })

  test('shows a payment, signs it and follows it until it settles', async () => {
    await click('Pay')
    const words = page.locator('#confirm-words')
    await words.waitFor()
    expect(await words.innerText()).toContain('25.00 USD')
    expect(await page.locator('#confirm-payee').innerText()).toContain('000123456789')
    await takeScreenshot('confirm')
    await click('Cancel')
    await expectStatus('the payment was not confirmed')
    expect(await balance()).toBe(100)
    await click('Pay')
    await click('Sign')
    await expectStatus('Paid: the payment has settled.')
    expect(await balance()).toBeLessThan(75)
  })

  test('exports the wallet as 24 words', async () => {
    await click('Show the words')
    await page.locator('#confirm-words').getByText('recovery phrase').waitFor()
    await click('Sign')
    await page.locator('#words li').last().waitFor()
    const words = await page.locator('#words li').allInnerTexts()
    expect(words).toHaveLength(24)
    for (const word of words) expect(word).toMatch(/^[a-z]{3,8}$/)
    await takeScreenshot('phrase')
    await click('Done')
    // The phrase was sealed to the page: the backend never saw it.
    expect(backend.sent.some((text) => text.includes(words.join(' ')))).toBe(false)
  })

  test('revokes a credential, but not by its own session', async () => {
    await click('Revoke Passkey 1')
    await expectStatus('A credential cannot revoke itself')
    await click('Revoke ada@example.com')
    await expectStatus('ada@example.com has been revoked.')
    expect(await listMethods()).toEqual(['Passkey 1'])
    await click('Sign out')
    await expectStatus('Signed out.')
    expect(await sessions()).toEqual([])
    await click('E-mail me a code')
    await expectStatus('has no EMAIL_OTP credential')
  })

  test('never received the API secret and displayed every error', () => {
    expect(backend.sent.length).toBeGreaterThan(10)
    expect(backend.sent.filter((text) => text.includes(clientSecret))).toEqual([])
    // Chromium logs every error response. These were expected.
    expect(trouble.filter((text) => !/^Failed to load resource: .* (?:40[01])/.test(text))).toEqual([])
  })
})
