import { readFile } from 'node:fs/promises'
import type { Countersign } from '@countersign/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openConsole, openSignedIn, PHONE } from '../browser.testing.ts'

const IBAN = 'DE89370400440532013000'

/** Creates a customer with a euro account on the platform, and a bank account that SEPA can debit. */
async function createDebtor(countersign: Countersign) {
  const { id: customerId } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
  })
  const { id: bankId } = await countersign.externalAccounts.create({
    customerId,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban: IBAN,
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
    },
  })
  const [eur] = (await countersign.internalAccounts.list({ customerId, currency: 'EUR' })).data
  return { customerId, bankId, eurId: eur?.id ?? '' }
}

/** Today's date by the platform's clock. */
async function readToday(countersign: Countersign): Promise<string> {
  return (await countersign.sandbox.clock()).now.slice(0, 10)
}

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)('mandates, on %s,', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('are registered with a form, show their collections, and are canceled with a reason for the named account', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { customerId, bankId, eurId } = await createDebtor(countersign)
    const signedOn = await readToday(countersign)

    await go(`/accounts/${bankId}`)
    await page.getByRole('button', { name: 'Register a mandate' }).click()
    const form = page.getByRole('dialog', { name: 'Register a mandate' })
    await form.getByText('Ada Lovelace', { exact: true }).waitFor()
    await form.getByText(IBAN).waitFor()
    expect(await form.getByRole('button', { name: 'Register mandate' }).isDisabled()).toBe(true)
    await form.getByLabel('Signed on').fill('2999-01-01')
    await form.getByLabel('Reference').fill('ACME-2026-0007')
    await form.getByRole('button', { name: 'Register mandate' }).click()
    await form.getByText('signedOn must not be in the future').waitFor()
    expect(await form.getByLabel('Reference').inputValue()).toBe('ACME-2026-0007')
    await form.getByLabel('Signed on').fill(signedOn)
    await form.getByRole('button', { name: 'Register mandate' }).click()
    await page.getByRole('heading', { level: 1, name: 'ACME-2026-0007', exact: true }).waitFor()
    await page.getByText('No collections yet.').waitFor()

    await countersign.transfers.in({
      source: { accountId: bankId },
      destination: { accountId: eurId },
      amount: 12_550n,
    })
    await countersign.sandbox.advanceClock({ seconds: 0 })
    const collections = page.getByRole('table', { name: 'Collections' })
    await collections.getByText('125.50 EUR').waitFor()
    const faults = await look(page, 'mandate')

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Cancel after the next collection' }).click()
    const last = page.getByRole('dialog', { name: 'Cancel after the next collection?' })
    await last.getByLabel('Reason').fill('Moves away')
    await last.getByRole('button', { name: 'Cancel after the next collection' }).click()
    await page.getByText('Its last', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Cancel mandate' }).click()
    const question = page.getByRole('dialog', { name: 'Cancel this mandate?' })
    await question.getByText('Ada Lovelace', { exact: true }).waitFor()
    await question.getByText(`Ada Lovelace, ${IBAN}`).waitFor()
    const confirm = question.getByRole('button', { name: 'Cancel mandate' })
    expect(await confirm.isDisabled()).toBe(true)
    await question.getByLabel('Reason').fill('Revoked by letter')
    await confirm.click()
    await question.waitFor({ state: 'hidden' })
    await page.getByText('Revoked by letter', { exact: true }).waitFor()
    expect((await countersign.mandates.list({ customerId })).data).toMatchObject([
      { status: 'CANCELED', cancelReason: 'Revoked by letter', reference: 'ACME-2026-0007' },
    ])
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByText('Only an active mandate can be canceled.').first().waitFor()
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('are listed by status and customer, saved as a file, and found by their reference and from the customer', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { customerId, bankId } = await createDebtor(countersign)
    const signedOn = await readToday(countersign)
    const first = await countersign.mandates.create({
      externalAccountId: bankId,
      signedOn,
      reference: 'FIRST-1',
    })
    await countersign.mandates.cancel(first.id, { reason: 'Signed again' })
    await countersign.mandates.create({ externalAccountId: bankId, signedOn, reference: 'SECOND-2' })

    await go(`/customers/${customerId}`)
    const panel = page.getByRole('region', { name: 'Mandates' })
    await panel.getByText('SECOND-2').waitFor()
    await panel.getByRole('link', { name: 'All' }).click()
    await page.getByText('2 rows shown').waitFor()
    expect(new URL(page.url()).searchParams.get('customerId')).toBe(customerId)
    const list = page.getByRole('table', { name: 'Mandates' })
    await list.getByText('Ada Lovelace', { exact: true }).first().waitFor()
    const faults = await look(page, 'mandates')
    await page.getByLabel('Status').selectOption('CANCELED')
    await page.getByText('1 row shown').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save as CSV' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('FIRST-1')

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search for' }).fill('second-2')
    await page.getByRole('option', { name: /Mandate SECOND-2/ }).click()
    await page.getByRole('heading', { level: 1, name: 'SECOND-2', exact: true }).waitFor()
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })
})

test('a member who lacks MANAGE sees mandates, and why they can be neither registered nor canceled', async () => {
  const world = await openConsole()
  try {
    const { page, countersign, wrong, go } = world
    const { bankId } = await createDebtor(countersign)
    const { id } = await countersign.mandates.create({
      externalAccountId: bankId,
      signedOn: await readToday(countersign),
    })
    const { invitationUrl } = await countersign.members.invite({
      name: 'Sam Support',
      email: 'sam@example.com',
      permissions: ['VIEW'],
    })
    await page.goto(invitationUrl)
    await page.getByRole('button', { name: 'Create a passkey and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    await go(`/accounts/${bankId}`)
    const register = page.getByRole('button', { name: 'Register a mandate' })
    await register.hover()
    await page.getByRole('tooltip').filter({ hasText: 'MANAGE' }).waitFor()
    expect(await register.isDisabled()).toBe(true)
    await go(`/mandates/${id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByText('You do not have the permission MANAGE.').first().waitFor()
    expect(wrong).toEqual([])
  } finally {
    await world.browser.close()
  }
})
