import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import type { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../console.testing.ts'

const VIEWPORTS = [
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const

/** A picture of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

describe.each(VIEWPORTS)('people who look after money, on %s', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('approve what an agent asks for, where the page says who asks, why, and what is left', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { customerId, usdId, payTo } = await fundedCustomer(countersign)
    const agent = await connectedAgent(countersign, customerId)
    const accountId = await payTo('000123456789')
    const pay = async (amount: bigint) =>
      await agent.transferOut({
        source: { accountId: usdId },
        destination: { accountId },
        amount,
      })
    await pay(4_500n)
    await pay(6_000n)
    await go('/approvals')
    const card = page.getByRole('region', { name: 'An agent wants to pay' })
    const first = card.filter({ hasText: '45.00 USD' })
    for (const words of ['Shopper', 'Ada Lovelace', 'More than 10.00 USD needs approval.'])
      await first.getByText(words).first().waitFor()
    // 2,000.00 of the day, less both actions.
    await first.getByText('1,895.00 USD of the day').waitFor()
    expect(await look(page, 'approvals')).toEqual([])
    await first.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await first.waitFor({ state: 'detached' })

    await card.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('Not this one')
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    const { data: payments } = await countersign.transactions.list({ customerId })
    expect(payments.map(({ status }) => status).sort()).toEqual(['COMPLETED', 'FAILED'])
    expect(wrong).toEqual([])
  })

  test('decide by two of them: the first sees that another is needed, the second who has approved', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { customerId, usdId, payTo } = await fundedCustomer(countersign)
    const { invitationUrl } = await countersign.members.invite({
      name: 'Grace Hopper',
      email: 'grace@example.com',
      permissions: ['VIEW', 'APPROVE'],
    })
    await countersign.config.update({ approvalsRequired: 2 })
    const agent = await connectedAgent(countersign, customerId)
    await agent.transferOut({
      source: { accountId: usdId },
      destination: { accountId: await payTo('000123456789') },
      amount: 4_500n,
    })
    const card = page.getByRole('region', { name: 'An agent wants to pay' })
    const approve = card.getByRole('button', { name: 'Approve' })
    const vote = async () => {
      await approve.click()
      await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    }
    const states = async () =>
      (await countersign.transactions.list({ customerId })).data.map(({ status }) => status)
    await go('/approvals')
    await card.getByText('0 of 2').waitFor()
    await vote()
    await card.getByText('1 of 2: Sandbox owner').waitFor()
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    expect(await look(page, 'approvals-of-two')).toEqual([])
    expect(await states()).not.toContain('COMPLETED')

    await page.context().clearCookies()
    await page.goto(invitationUrl)
    await page.getByRole('button', { name: 'Make a passkey and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    await go('/approvals')
    await card.getByText('1 of 2: Sandbox owner').waitFor()
    await vote()
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    expect(await states()).toEqual(['COMPLETED'])
    expect(wrong).toEqual([])
  })

  test('assign money that nobody could attribute to its customer', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { usdId, customerId } = await fundedCustomer(countersign)
    await countersign.sandbox.deposit({
      amount: 4_200n,
      currency: 'USD',
      sender: { name: 'Charles Babbage' },
    })
    await go('/approvals')
    await page.getByRole('button', { name: 'Assign' }).click()
    await page.getByLabel('Customer', { exact: true }).fill('lovelace')
    await page.getByLabel('Found').selectOption({ label: `Ada Lovelace (ada)` })
    await page.getByLabel('Account', { exact: true }).selectOption(usdId)
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    const { data } = await countersign.internalAccounts.list({ customerId, currency: 'USD' })
    expect(data.map(({ balance }) => balance.amount)).toEqual([504_200n])
    expect(wrong).toEqual([])
  })

  test('split money for two, and keep the part that nobody claims', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    await countersign.sandbox.deposit({
      amount: 4_200n,
      currency: 'USD',
      sender: { name: 'Charles Babbage' },
    })
    await go('/approvals')
    await page.getByRole('button', { name: 'Split', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Split this deposit?' })
    await dialog.getByLabel('First part').fill('42.00')
    await dialog.getByText('Type an amount below').waitFor()
    await dialog.getByLabel('First part').fill('40.00')
    await dialog.getByText('Second part: 2.00 USD').waitFor()
    await dialog.getByLabel('Reason').fill('Two invoices')
    const faults = await look(page, 'split')
    await dialog.getByRole('button', { name: 'Split', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    const small = page
      .getByRole('region', { name: 'Money that nobody could attribute' })
      .filter({ hasText: /(?<!\d)2\.00 USD/ })
    await small.getByRole('button', { name: 'Write off' }).click()
    const question = page.getByRole('dialog', { name: 'Write this deposit off?' })
    await question.getByRole('textbox').fill('Nobody claims it')
    await question.getByRole('button', { name: 'Write off' }).click()
    await question.waitFor({ state: 'hidden' })
    const { data } = await countersign.deposits.list()
    expect(data.map(({ status, amount }) => [status, amount.amount]).toSorted()).toEqual([
      ['SPLIT', 4_200n],
      ['SUSPENSE', 4_000n],
      ['WRITTEN_OFF', 200n],
    ])
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('verify a customer: what is missing, the document beside what was said, the decision with its reason', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { caseId, customerId } = await waitingCase(countersign)
    // A reviewer needs nothing but the role.
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
    // The state table allows no approval while something is missing.
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
    const { usdId, payTo } = await fundedCustomer(countersign)
    // The suffix makes the payout fail, and its refund too.
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
    const why = page.getByRole('region', { name: 'Why it failed' })
    await why.getByText('The receiving bank or provider did not credit the payment.').waitFor()
    await why.getByText('The money could not be given back.').waitFor()
    await page.getByRole('region', { name: 'Timeline' }).getByText('Refund failed').waitFor()
    expect(await page.getByRole('button', { name: 'Cancel payment' }).getAttribute('aria-disabled')).toBe(
      'true',
    )
    expect(await page.getByRole('button', { name: 'Mark receipt as delivered' }).count()).toBe(0)
    expect(await look(page, 'transaction')).toEqual([])
    await page.getByRole('region', { name: 'Ledger' }).getByText('Refunds').click()
    await page
      .getByRole('region', { name: 'Why it was booked' })
      .getByText('Transaction', { exact: true })
      .waitFor()
    expect(await look(page, 'booking')).toEqual([])
    expect(wrong).toEqual([])
  })

  test('mark the receipt of a completed payment as delivered once, after a confirmation', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { usdId, payTo } = await fundedCustomer(countersign)
    const { transactionId } = await countersign.quotes.create({
      source: { sourceType: 'ACCOUNT', accountId: usdId },
      destination: { destinationType: 'ACCOUNT', accountId: await payTo('000123456789') },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: 7_000n,
      immediatelyExecute: true,
    })
    await countersign.sandbox.advanceClock({ seconds: 0 })
    const confirmedAt = async () =>
      (await countersign.transactions.get(transactionId)).receiptDeliveryConfirmedAt
    const mark = page.getByRole('button', { name: 'Mark receipt as delivered' })
    await go(`/transactions/${transactionId}`)
    await mark.click()
    const dialog = page.getByRole('dialog', { name: 'Mark receipt as delivered?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await confirmedAt()).toBeUndefined()
    await mark.click()
    await dialog.waitFor()
    expect(await look(page, 'receipt')).toEqual([])
    await dialog.getByRole('button', { name: 'Mark receipt as delivered' }).click()
    await page.getByText('Receipt delivered').waitFor()
    await expect.poll(() => mark.count()).toBe(0)
    expect(await confirmedAt()).toBeDefined()
    expect(wrong).toEqual([])
  })

  test('find lists that are empty and full, readable by all, none of which scrolls sideways', async () => {
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
    const { usdId, payTo } = await fundedCustomer(countersign)
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

/** A customer with 5,000.00 USD, and bank accounts by their numbers, which control the outcome. */
async function fundedCustomer(countersign: Countersign) {
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

/** An agent that needs approval above 10.00 USD, with a limit of 2,000.00 a day. */
async function connectedAgent(countersign: Countersign, customerId: string): Promise<Agent> {
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

/** A customer with all documents, whose case waits for a person. */
async function waitingCase(countersign: Countersign) {
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
