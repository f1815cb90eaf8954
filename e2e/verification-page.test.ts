import { Countersign } from '@countersign/sdk'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { makePlatform } from '../sdk/test/platform.testing.ts'
import { type Browser, startBrowser } from './browser.testing.ts'

const { SCREENSHOTS } = process.env

const PHONE = { width: 390, height: 844 }
const NARROW = { width: 360, height: 740 }
const DESKTOP = { width: 1100, height: 900 }

/** A one-pixel image. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** Minimum height and width of a touch target. */
const TARGET_PIXELS_MIN = 44

describe('the verification page on a phone', () => {
  let browser: Browser
  afterEach(async () => {
    await browser?.close()
  })

  const platform = async () => {
    const countersign = new Countersign(await makePlatform())
    await countersign.call('config_update', {
      body: { sandboxConfig: { verification: 'MANUAL' }, embeddedWalletConfig: { appName: 'Lovelace Pay' } },
    })
    return countersign
  }

  test.each([true, false])(
    'takes a person from the link to the end; scripts: %s',
    async (javaScriptEnabled) => {
      const countersign = await platform()
      const { body: customer } = await countersign.call('customer_create', {
        body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      })
      const params = { customerId: customer.id }
      const { body: link } = await countersign.call('kyc_link_create', { params, body: {} })
      browser = await startBrowser({ viewport: PHONE, javaScriptEnabled, hasTouch: true })
      const { page } = browser
      const watched = watch(page, new URL(link.kycUrl).origin)
      const checkPage = (name: string) => look(page, javaScriptEnabled ? `person-${name}` : undefined)

      await page.goto(link.kycUrl)
      await checkPage('1-begin')
      await page.getByRole('button', { name: 'Begin' }).click()
      await page.getByRole('button', { name: 'Save and continue' }).click()
      await page.getByRole('alert').getByRole('link', { name: 'Please fill in: Date of birth' }).waitFor()
      await checkPage('2-details-wrong')
      await page.getByLabel('Date of birth').fill('1990-12-10')
      await page.getByLabel('Nationality').selectOption('Japan')
      await page.getByLabel('Address line 1').fill('1-1 Chiyoda')
      await page.getByLabel('Town or city').fill('Tokyo')
      await page.getByLabel('Postal code').fill('100-0001')
      await page.getByLabel('Country', { exact: true }).selectOption('Japan')
      await checkPage('3-details')
      await page.getByRole('button', { name: 'Save and continue' }).click()

      await page.getByRole('heading', { name: 'Your documents' }).waitFor()
      expect(await page.getByLabel('Picture', { exact: true }).getAttribute('capture')).toBe('environment')
      await page.getByLabel('Document type').selectOption('Passport')
      await page.getByRole('button', { name: 'Upload this document' }).click()
      await page.getByText('Choose a file').first().waitFor()
      await checkPage('4-document-wrong')
      await sendDocument(page, 'Picture', 'Passport')
      await page.getByRole('heading', { name: 'A document that proves the address' }).waitFor()
      await checkPage('5-document')
      await sendDocument(page, 'File', 'Utility bill')

      await page.getByRole('heading', { name: 'Check your answers' }).waitFor()
      await checkPage('6-review')
      await page.getByRole('button', { name: 'Confirm and send' }).click()
      await page.getByRole('heading', { name: 'We have everything' }).waitFor()
      await checkPage('7-sent')

      const { body } = await countersign.call('verification_list', { query: params })
      expect(body.data).toMatchObject([{ verificationStatus: 'PENDING_MANUAL_REVIEW', errors: [] }])
      expect(watched).toEqual({ elsewhere: [], trouble: [] })
      await page.goto(link.kycUrl)
      await page.getByRole('heading', { name: 'We have everything' }).waitFor()
    },
  )

  test('accepts a business with its owners', async () => {
    const countersign = await platform()
    const { body: customer } = await countersign.call('customer_create', {
      body: {
        customerType: 'BUSINESS',
        businessInfo: {
          legalName: 'Analytical Engines Ltd',
          incorporatedOn: '2020-01-31',
          taxId: '12-3456789',
        },
      },
    })
    const { body: link } = await countersign.call('kyc_link_create', {
      params: { customerId: customer.id },
      body: {},
    })
    browser = await startBrowser({ viewport: PHONE, hasTouch: true })
    const { page } = browser
    const watched = watch(page, new URL(link.kycUrl).origin)
    await page.goto(link.kycUrl)
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByLabel('Countries of operation, number 1').selectOption('United States')
    await page.getByLabel('Address line 1').fill('1 Main Street')
    await page.getByLabel('Postal code').fill('02101')
    await page.getByLabel('Country', { exact: true }).selectOption('United States')
    await look(page, 'business-1-details')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await look(page, 'business-2-owners')
    await page.getByRole('link', { name: 'Add a person' }).click()
    await page.getByRole('button', { name: 'Save this person' }).click()
    await look(page, 'business-3-owner-wrong')
    for (const [label, value] of Object.entries({
      'First name': 'Grace',
      'Last name': 'Hopper',
      'Date of birth': '1980-12-09',
      'Share of the business': '100',
      'Address line 1': '2 Side Street',
      'Postal code': '02101',
    }))
      await page.getByLabel(label).fill(value)
    await page.getByRole('textbox', { name: 'Tax or social security number' }).fill('123-45-6789')
    await page.getByLabel('Nationality').selectOption('United States')
    await page.getByLabel('Country', { exact: true }).selectOption('United States')
    await page.getByLabel('Type of tax or social security number').selectOption('SSN')
    await page.getByLabel('Owner', { exact: true }).check()
    await page.getByLabel('In control of the business').check()
    await page.getByRole('button', { name: 'Save this person' }).click()
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
    await look(page, 'business-4-owners')
    await page.getByRole('button', { name: 'Continue' }).click()
    for (const type of [
      'Articles of incorporation',
      'Shareholder register',
      'Director registry',
      'Utility bill',
    ]) {
      await sendDocument(page, 'File', type)
      await page.getByText(`${type}, United States`).waitFor()
    }
    await look(page, 'business-5-review')
    await page.getByRole('link', { name: 'Change documents' }).click()
    await look(page, 'business-6-documents')
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Confirm and send' }).click()
    await page.getByRole('heading', { name: 'We have everything' }).waitFor()
    expect(watched).toEqual({ elsewhere: [], trouble: [] })
  })

  test('can be filled in with the keyboard', async () => {
    const countersign = await platform()
    const { body: customer } = await countersign.call('customer_create', {
      body: { customerType: 'INDIVIDUAL' },
    })
    const { body: link } = await countersign.call('kyc_link_create', {
      params: { customerId: customer.id },
      body: {},
    })
    browser = await startBrowser({ viewport: PHONE })
    const { page } = browser
    const { keyboard } = page
    await page.goto(link.kycUrl)
    await tabToElement(page, 'Begin')
    await keyboard.press('Enter')
    await page.getByLabel('Full name').waitFor()
    await tabToElement(page, 'Full name')
    await keyboard.type('Ada Lovelace')
    await keyboard.press('Enter')
    // The error summary is focused, so that screen readers read it first.
    await page.getByRole('alert').waitFor()
    await page.waitForFunction(() => document.activeElement?.className === 'summary')
    expect(await page.getByLabel('Full name').inputValue()).toBe('Ada Lovelace')
    await tabToElement(page, 'Please fill in: Date of birth')
    await keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('f-birthDate')
  })
})

async function sendDocument(page: Page, label: string, type: string): Promise<void> {
  await page.getByLabel('Document type').selectOption(type)
  const country = page.getByLabel('Issuing country')
  if ((await country.inputValue()) === '') await country.selectOption('Japan')
  const file = { name: 'picture.png', mimeType: 'image/png', buffer: PICTURE }
  await page.getByLabel(label, { exact: true }).setInputFiles(file)
  await page.getByRole('button', { name: 'Upload this document' }).click()
}

/** Moves the focus with the Tab key to the element with this name. */
async function tabToElement(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document
      const label = element?.id ? document.querySelector(`label[for="${element.id}"]`) : null
      return (label ?? element)?.textContent?.trim()
    })
    if (focused === name) return
  }
  throw new Error(`The focus does not reach ${name}`)
}

/** Records requests to other servers, and page errors. */
function watch(page: Page, origin: string): { readonly elsewhere: string[]; readonly trouble: string[] } {
  const watched = { elsewhere: [] as string[], trouble: [] as string[] }
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith('data:') && new URL(url).origin !== origin) watched.elsewhere.push(url)
  })
  page.on('pageerror', (error) => watched.trouble.push(error.message))
  page.on('console', (message) => {
    // Chromium logs every error response. These forms were invalid on purpose.
    if (message.type() === 'error' && !/status of 400/.test(message.text()))
      watched.trouble.push(message.text())
  })
  return watched
}

/**
 * Checks that a page fits a phone screen and that its touch targets are large enough, and takes screenshots.
 */
async function look(page: Page, name: string | undefined): Promise<void> {
  for (const viewport of [NARROW, PHONE]) {
    await page.setViewportSize(viewport)
    const { tooWide, small, unnamed } = await page.evaluate((least) => {
      const isShown = (element: Element) => element.getClientRects().length > 0
      const elements = [
        ...document.querySelectorAll('button, .button, .link, input:not([type=hidden]), select, textarea'),
      ]
      const measure = (element: Element) => {
        const box = element.closest('.choice') ?? element
        return box.getBoundingClientRect().height
      }
      const fields = [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
      return {
        tooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        small: elements
          .filter((element) => isShown(element) && measure(element) < least)
          .map((element) => element.outerHTML),
        unnamed: fields
          .filter(
            (element) =>
              !element.getAttribute('aria-label') && !document.querySelector(`label[for="${element.id}"]`),
          )
          .map((element) => element.outerHTML),
      }
    }, TARGET_PIXELS_MIN)
    expect({ name, tooWide, small, unnamed }).toEqual({ name, tooWide: 0, small: [], unnamed: [] })
  }
  if (!SCREENSHOTS || !name) return
  await page.screenshot({ path: `${SCREENSHOTS}/kyc-${name}-phone.png`, fullPage: true })
  await page.setViewportSize(DESKTOP)
  await page.screenshot({ path: `${SCREENSHOTS}/kyc-${name}-desktop.png`, fullPage: true })
  await page.setViewportSize(PHONE)
}
