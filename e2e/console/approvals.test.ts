import { afterEach, describe, expect, test } from 'vitest'
import {
  type ConsoleWorld,
  createConnectedAgent,
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

describe.each(VIEWPORTS)('people who work through the approvals queue, on %s,', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('approve a request of an agent, on a page that shows the requester, the reason and the remaining limit', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { customerId, usdId, payTo } = await createFundedCustomer(countersign)
    const agent = await createConnectedAgent(countersign, customerId)
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
    // The oldest comes first.
    await page.getByText('2 rows shown').waitFor()
    expect(await look(page, 'approvals')).toEqual([])
    await page
      .getByRole('row', { name: /Agent payment/ })
      .first()
      .getByRole('link')
      .click()
    const first = page.getByRole('region', { name: /^45.00 USD to Ada Lovelace/ })
    for (const words of ['Shopper', 'Ada Lovelace', 'More than 10.00 USD needs approval.'])
      await first.getByText(words).first().waitFor()
    // The daily limit of 2,000.00 minus both actions.
    await first.getByText('1,895.00 USD of the day').waitFor()
    await page.getByText('1 of 2', { exact: true }).waitFor()
    expect(await look(page, 'approval')).toEqual([])
    // Uses only the keyboard: the confirmation shows amount and payee, and the next approval opens
    // afterwards.
    await page.keyboard.press('a')
    const question = page.getByRole('dialog', { name: "Approve this agent's payment?" })
    for (const words of ['45.00 USD', 'Ada Lovelace, USD account •••• 6789'])
      await question.getByText(words).waitFor()
    expect(await look(page, 'approval-confirm')).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Approved: 45.00 USD to Ada Lovelace').waitFor()

    const second = page.getByRole('region', { name: /^60.00 USD to Ada Lovelace/ })
    await second.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('Not this one')
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('heading', { name: 'No pending decisions' }).waitFor()
    const { data: payments } = await countersign.transactions.list({ customerId })
    expect(payments.map(({ status }) => status).sort()).toEqual(['COMPLETED', 'FAILED'])
    expect(wrong).toEqual([])
  })

  test('decide several together after a question that names each amount and payee, and see which one the server rejects', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { customerId, usdId, payTo } = await createFundedCustomer(countersign)
    const agent = await createConnectedAgent(countersign, customerId)
    const accountId = await payTo('000123456789')
    for (const amount of [4_500n, 6_000n, 7_000n])
      await agent.transferOut({ source: { accountId: usdId }, destination: { accountId }, amount })
    await go('/approvals')
    await page.getByText('3 rows shown').waitFor()
    await page.getByRole('checkbox', { name: /45.00 USD/ }).check()
    await page.getByRole('checkbox', { name: /60.00 USD/ }).check()
    await page.getByText('2 selected, 105.00 USD').waitFor()
    expect(await look(page, 'approvals-selected')).toEqual([])
    await page.getByRole('button', { name: 'Approve selected' }).click()
    const question = page.getByRole('dialog', { name: 'Approve these 2?' })
    for (const words of ['45.00 USD', '60.00 USD']) await question.getByText(words).first().waitFor()
    expect(await question.getByText('to Ada Lovelace').count()).toBe(2)
    expect(await look(page, 'approvals-bulk')).toEqual([])
    // Another member decides one of them first.
    const { data: waiting } = await countersign.approvals.list()
    const faster = waiting.find(({ amount }) => amount?.amount === 6_000n)
    await countersign.agents.reject(faster?.requestedBy?.id ?? '', faster?.objectId ?? '', {})
    await question.getByRole('button', { name: 'Approve 2' }).click()
    await page.getByRole('status').getByText('Approved 1 of 2, 1 refused.').waitFor()
    const { data } = await countersign.transactions.list({ customerId })
    expect(data.map(({ status }) => status).sort()).toEqual(['COMPLETED', 'FAILED', 'PENDING'])
    expect(wrong.filter((message) => !message.includes('409'))).toEqual([])
  })

  test('decide by two of them: the first sees that another is needed, the second who has approved', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { customerId, usdId, payTo } = await createFundedCustomer(countersign)
    const { invitationUrl } = await countersign.members.invite({
      name: 'Grace Hopper',
      email: 'grace@example.com',
      permissions: ['VIEW', 'APPROVE'],
    })
    await countersign.config.update({ approvalsRequired: 2 })
    const agent = await createConnectedAgent(countersign, customerId)
    await agent.transferOut({
      source: { accountId: usdId },
      destination: { accountId: await payTo('000123456789') },
      amount: 4_500n,
    })
    const [waiting] = (await countersign.approvals.list()).data
    const place = `/approvals/${waiting?.objectId}`
    const card = page.getByRole('region', { name: /^45.00 USD to Ada Lovelace/ })
    const approve = card.getByRole('button', { name: 'Approve' })
    const vote = async () => {
      await approve.click()
      await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    }
    const readStates = async () =>
      (await countersign.transactions.list({ customerId })).data.map(({ status }) => status)
    await go(place)
    await card.getByText('0 of 2').waitFor()
    await vote()
    await page.getByRole('heading', { level: 1, name: 'Approvals', exact: true }).waitFor()
    await go(place)
    await card.getByText('1 of 2: Sandbox owner').waitFor()
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    expect(await look(page, 'approvals-of-two')).toEqual([])
    expect(await readStates()).not.toContain('COMPLETED')

    await page.context().clearCookies()
    await page.goto(invitationUrl)
    await page.getByRole('button', { name: 'Create a passkey and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    await go(place)
    await card.getByText('1 of 2: Sandbox owner').waitFor()
    await vote()
    await page.getByRole('heading', { name: 'No pending decisions' }).waitFor()
    expect(await readStates()).toEqual(['COMPLETED'])
    expect(wrong).toEqual([])
  })

  test('see how others voted on a deposit and agree with them', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    await countersign.sandbox.deposit({
      amount: 4_200n,
      currency: 'USD',
      sender: { name: 'Charles Babbage' },
    })
    const { invitationUrl } = await countersign.members.invite({
      name: 'Grace Hopper',
      email: 'grace@example.com',
      permissions: ['VIEW', 'APPROVE'],
    })
    await countersign.config.update({ approvalsRequired: 2 })
    await go('/approvals?kind=DEPOSIT')
    await page
      .getByRole('row', { name: /42.00 USD/ })
      .getByRole('link')
      .click()
    await page.getByRole('button', { name: 'Split', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Split this deposit?' })
    await dialog.getByLabel('First part').fill('40.00')
    await dialog.getByLabel('Reason').fill('Two invoices')
    await dialog.getByRole('button', { name: 'Split', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Approvals', exact: true }).waitFor()
    // The queue keeps its filter.
    expect(new URL(page.url()).search).toBe('?kind=DEPOSIT')
    await page
      .getByRole('row', { name: /42.00 USD/ })
      .getByRole('link')
      .click()
    await page.getByText('1 of 2 for “Split into 40.00 USD and 2.00 USD”: Sandbox owner').waitFor()
    expect(await look(page, 'approval-deposit-vote')).toEqual([])
    const place = new URL(page.url()).pathname.replace('/console', '')

    await page.context().clearCookies()
    await page.goto(invitationUrl)
    await page.getByRole('button', { name: 'Create a passkey and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    await go(place)
    await page.getByRole('button', { name: 'Agree: split into 40.00 USD and 2.00 USD' }).click()
    const question = page.getByRole('dialog', { name: 'Split into 40.00 USD and 2.00 USD?' })
    await question.getByText('Sandbox owner has voted for it.').waitFor()
    await question.getByLabel('Reason').fill('Two invoices')
    await question.getByRole('button', { name: /^Agree/ }).click()
    await question.waitFor({ state: 'hidden' })
    const { data } = await countersign.deposits.list()
    expect(data.map(({ status, amount }) => [status, amount.amount]).toSorted()).toEqual([
      ['SPLIT', 4_200n],
      ['SUSPENSE', 200n],
      ['SUSPENSE', 4_000n],
    ])
    expect(wrong).toEqual([])
  })

  test('assign unattributed money to its customer', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { usdId, customerId } = await createFundedCustomer(countersign)
    await countersign.sandbox.deposit({
      amount: 4_200n,
      currency: 'USD',
      sender: { name: 'Charles Babbage' },
    })
    await go('/approvals')
    await page
      .getByRole('row', { name: /Unattributed money/ })
      .getByRole('link')
      .click()
    await page.getByRole('button', { name: 'Assign' }).click()
    await page.getByLabel('Customer', { exact: true }).fill('lovelace')
    await page.getByLabel('Found').selectOption({ label: `Ada Lovelace (ada)` })
    await page.getByLabel('Account', { exact: true }).selectOption(usdId)
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
    await page.getByRole('heading', { name: 'No pending decisions' }).waitFor()
    const { data } = await countersign.internalAccounts.list({ customerId, currency: 'USD' })
    expect(data.map(({ balance }) => balance.amount)).toEqual([504_200n])
    expect(wrong).toEqual([])
  })

  test('split a deposit between two customers and keep the unclaimed part', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    await countersign.sandbox.deposit({
      amount: 4_200n,
      currency: 'USD',
      sender: { name: 'Charles Babbage' },
    })
    await go('/approvals')
    await page
      .getByRole('row', { name: /Unattributed money/ })
      .getByRole('link')
      .click()
    await page.getByRole('button', { name: 'Split', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Split this deposit?' })
    await dialog.getByLabel('First part').fill('42.00')
    await dialog.getByText('Enter an amount below').waitFor()
    await dialog.getByLabel('First part').fill('40.00')
    await dialog.getByText('Second part: 2.00 USD').waitFor()
    await dialog.getByLabel('Reason').fill('Two invoices')
    const faults = await look(page, 'split')
    await dialog.getByRole('button', { name: 'Split', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    await go('/approvals')
    await page
      .getByRole('row', { name: /(?<!\d)2\.00 USD/ })
      .getByRole('link')
      .click()
    await page.getByRole('button', { name: 'Write off' }).click()
    const question = page.getByRole('dialog', { name: 'Write this deposit off?' })
    await question.getByText('2.00 USD').waitFor()
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
})
