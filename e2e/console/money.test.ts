import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import type { Countersign } from '@countersign/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ConsoleWorld,
  createFundedCustomer,
  DESKTOP,
  look,
  openSignedIn,
  PHONE,
} from '../browser.testing.ts'

const VIEWPORTS = [
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const

/** A one-pixel image. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

describe.each(VIEWPORTS)('people who look after money, on %s', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('verify a customer: see what is missing, compare the document with the data, and decide with a reason', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { caseId, customerId } = await createWaitingCase(countersign)
    // The role is all that a reviewer needs.
    const { data: members } = await countersign.members.list()
    await countersign.members.update(members[0]!.id, { permissions: [...MEMBER_ROLES.COMPLIANCE] })
    await go('/verifications')
    await page.getByText('Yukihiro Matsumoto').click()
    await page.getByRole('heading', { level: 1, name: 'Yukihiro Matsumoto', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show the file' }).first().click()
    const picture = page.getByRole('img', { name: 'Passport' })
    await picture.waitFor()
    expect(await picture.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(1)
    await page.getByRole('button', { name: 'Request information' }).click()
    await page.getByLabel('About').selectOption({ label: 'Passport: passport.png' })
    await page.getByLabel('In words').fill('The picture is too small')
    await page.getByRole('dialog').getByRole('button', { name: 'Request information' }).click()
    await page.getByRole('region', { name: 'One thing is missing' }).getByText('too small').waitFor()
    expect(await look(page, 'verification')).toEqual([])
    // The transition table does not allow an approval while something is missing.
    expect(await page.getByRole('button', { name: 'Approve' }).getAttribute('aria-disabled')).toBe('true')

    await page.getByRole('button', { name: 'Reject' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Reject' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Reason').fill('Two passports of one person')
    await confirm.click()
    await page.getByText('Rejected').first().waitFor()
    await page.getByRole('region', { name: 'Decisions so far' }).getByText('Two passports').waitFor()
    expect((await countersign.verifications.get(caseId)).verificationStatus).toBe('REJECTED')
    expect(await countersign.customers.get(customerId)).toMatchObject({ kycStatus: 'REJECTED' })
    expect(wrong).toEqual([])
  })

  test('read why a payment failed, what became of its money, and how it was booked', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { usdId, payTo } = await createFundedCustomer(countersign)
    // The suffix makes both the payout and its refund fail.
    await countersign.quotes.create({
      source: { sourceType: 'ACCOUNT', accountId: usdId },
      destination: { destinationType: 'ACCOUNT', accountId: await payTo('000123456007') },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: 7_000n,
      immediatelyExecute: true,
    })
    await countersign.sandbox.advanceClock({ seconds: 0 })
    await go('/transactions?status=FAILED')
    await page.getByText('1 row shown').waitFor()
    expect(await look(page, 'transactions')).toEqual([])
    await page.getByText('70.00').first().click()
    const why = page.getByRole('region', { name: 'Failure reason' })
    await why.getByText('The receiving bank or provider did not credit the payment.').waitFor()
    await why.getByText('The money could not be returned.').waitFor()
    await page.getByRole('region', { name: 'Timeline' }).getByText('Refund failed').waitFor()
    expect(await page.getByRole('button', { name: 'Cancel payment' }).getAttribute('aria-disabled')).toBe(
      'true',
    )
    expect(await page.getByRole('button', { name: 'Mark receipt as delivered' }).count()).toBe(0)
    expect(await look(page, 'transaction')).toEqual([])
    await page.getByRole('region', { name: 'Ledger' }).getByText('Refunds').click()
    await page
      .getByRole('region', { name: 'Reason for the booking' })
      .getByText('Transaction', { exact: true })
      .waitFor()
    expect(await look(page, 'booking')).toEqual([])
    expect(wrong).toEqual([])
  })

  test('mark the receipt of a completed payment as delivered once, after a confirmation', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { usdId, payTo } = await createFundedCustomer(countersign)
    const { transactionId } = await countersign.quotes.create({
      source: { sourceType: 'ACCOUNT', accountId: usdId },
      destination: { destinationType: 'ACCOUNT', accountId: await payTo('000123456789') },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: 7_000n,
      immediatelyExecute: true,
    })
    await countersign.sandbox.advanceClock({ seconds: 0 })
    const readConfirmedAt = async () =>
      (await countersign.transactions.get(transactionId)).receiptDeliveryConfirmedAt
    const mark = page.getByRole('button', { name: 'Mark receipt as delivered' })
    await go(`/transactions/${transactionId}`)
    await mark.click()
    const dialog = page.getByRole('dialog', { name: 'Mark receipt as delivered?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await readConfirmedAt()).toBeUndefined()
    await mark.click()
    await dialog.waitFor()
    expect(await look(page, 'receipt')).toEqual([])
    await dialog.getByRole('button', { name: 'Mark receipt as delivered' }).click()
    await page.getByText('Receipt delivered').waitFor()
    await expect.poll(() => mark.count()).toBe(0)
    expect(await readConfirmedAt()).toBeDefined()
    expect(wrong).toEqual([])
  })

  test('find accessible lists, empty and full, that do not scroll sideways', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const PLACES = [
      '/transactions',
      '/approvals',
      '/verifications',
      '/quotes',
      '/rates',
      '/reconciliations',
      '/ledger',
    ]
    const found: string[] = []
    const lookAtAll = async (state: string) => {
      for (const place of PLACES) {
        await go(place)
        await page.getByRole('heading', { level: 1 }).waitFor()
        found.push(...(await look(page, `${place.slice(1)}-${state}`)))
      }
    }
    await lookAtAll('empty')
    const { usdId, payTo } = await createFundedCustomer(countersign)
    const quote = await countersign.quotes.create({
      source: { sourceType: 'ACCOUNT', accountId: usdId },
      destination: { destinationType: 'ACCOUNT', accountId: await payTo('000123456789') },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: 7_000n,
    })
    await countersign.sandbox.deposit({ amount: 4_200n, currency: 'USD' })
    await lookAtAll('full')
    for (const path of [`/quotes/${quote.id}`, `/accounts/${usdId}`]) {
      await go(path)
      await page.getByText('70.00 USD').or(page.getByText('5,000.00 USD')).first().waitFor()
      found.push(...(await look(page, path.split('/')[1]!)))
    }
    expect(found).toEqual([])
    expect(wrong).toEqual([])
  })
})

/** Creates a customer with all documents, whose verification is waiting for a reviewer. */
async function createWaitingCase(countersign: Countersign) {
  await countersign.config.update({ sandboxConfig: { verification: 'MANUAL' } })
  const { id: customerId } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Yukihiro Matsumoto',
    birthDate: '1965-04-14',
    nationality: 'JP',
    address: { line1: '1-1 Chiyoda', city: 'Tokyo', postalCode: '100-0001', country: 'JP' },
  })
  for (const documentType of ['UTILITY_BILL', 'PASSPORT'] as const)
    await countersign.documents.create({
      documentHolder: customerId,
      documentType,
      country: 'JP',
      file: new File([PICTURE], `${documentType.toLowerCase()}.png`, { type: 'image/png' }),
    })
  const { id: caseId } = await countersign.verifications.create({ customerId })
  return { customerId, caseId }
}
