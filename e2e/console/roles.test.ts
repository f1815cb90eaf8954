import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

/** Presses Escape in the dialog, then declines to discard the input. */
async function staysAfterEscape(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'hidden' })
}

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)('on %s,', (size, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('a role is defined, given to a member by name, changed for all of them, and deleted once nobody has it', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, go, wrong } = world
    const faults: string[] = []
    await go('/settings?part=roles')
    await page.getByRole('button', { name: 'New role' }).click()
    const dialog = page.getByRole('dialog', { name: 'New role' })
    await dialog.getByLabel('Name').fill('Night shift')
    await staysAfterEscape(page)
    await dialog.getByLabel('APPROVE').check()
    faults.push(...(await look(page, `role-form-${size}`)))
    await dialog.getByRole('button', { name: 'Define the role' }).click()
    const row = page.getByRole('region', { name: 'Night shift' })
    await row.getByText('VIEW, APPROVE · 0 members').waitFor()

    const { member } = await countersign.members.invite({
      name: 'Grace Hopper',
      email: 'grace@example.com',
      permissions: ['VIEW'],
    })
    await go('/settings?part=members')
    await page.getByRole('button', { name: 'Permissions' }).last().waitFor()
    const buttons = page.getByRole('button', { name: 'Permissions', exact: true })
    // The newest member comes first.
    await buttons.first().click()
    const rights = page.getByRole('dialog', { name: 'Permissions of Grace Hopper' })
    await rights.getByLabel('Role').selectOption({ label: 'Night shift' })
    await rights.getByText('The member follows every change').waitFor()
    faults.push(...(await look(page, `rights-form-${size}`)))
    await rights.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Night shift: VIEW, APPROVE').waitFor()

    await go('/settings?part=roles')
    await row.getByRole('button', { name: 'Change' }).click()
    await page.getByText('A change counts for 1 member').waitFor()
    await page.getByRole('dialog').getByLabel('REVIEW').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await row.getByText('VIEW, APPROVE, REVIEW · 1 member').waitFor()
    expect((await countersign.members.get(member.id)).permissions).toEqual(['VIEW', 'APPROVE', 'REVIEW'])
    const remove = row.getByRole('button', { name: 'Delete' })
    expect(await remove.getAttribute('aria-disabled')).toBe('true')
    await countersign.members.update(member.id, { permissions: ['VIEW'] })
    await page.reload()
    await remove.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'hidden' })
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('a member chooses notifications, and is notified of pending work', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, go, wrong } = world
    await go('/settings?part=you')
    await page.getByLabel('Notify me about pending work').selectOption({ label: 'By e-mail' })
    await page.getByLabel('Verifications').uncheck()
    await page.getByLabel('At most once per').selectOption({ label: '15 minutes' })
    await page.getByText('Unsaved changes.').waitFor()
    expect(await look(page, `notifications-${size}`)).toEqual([])
    await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await countersign.sandbox.deposit({ amount: 100n, currency: 'USD' })
    await countersign.sandbox.advanceClock({ seconds: 16 * 60 })
    const { data } = await countersign.sandbox.inbox({})
    expect(data.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('1 new item needs your attention'),
    ])
    await page.reload()
    expect(await page.getByLabel('At most once per').inputValue()).toBe('15')
    expect(wrong).toEqual([])
  })

  test('a card is frozen for safety with a reason, the freeze is lifted, and every button can be pressed', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, go, wrong } = world
    const { id } = await createCard(world)
    await go(`/cards/${id}`)
    await page.getByRole('button', { name: 'Freeze for safety' }).click()
    const dialog = page.getByRole('dialog', { name: 'Freeze this card?' })
    await dialog.getByLabel('Reason').fill('The phone was stolen')
    await staysAfterEscape(page)
    expect(await look(page, `freeze-${size}`)).toEqual([])
    await dialog.getByRole('button', { name: 'Freeze', exact: true }).click()
    await page.getByRole('button', { name: 'Lift freeze' }).waitFor()
    await page.getByText('The phone was stolen').waitFor()
    expect((await countersign.cards.get(id)).state).toBe('FROZEN')
    expect(await look(page, `frozen-card-${size}`)).toEqual([])
    await page.getByRole('button', { name: 'Lift freeze' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('The phone was found')
    await page.getByRole('dialog').getByRole('button', { name: 'Lift freeze' }).click()
    await page.getByRole('button', { name: 'Freeze for safety' }).waitFor()
    expect((await countersign.cards.get(id)).state).toBe('ACTIVE')
    await countersign.customers.delete((await countersign.cards.get(id)).cardholderId)
    await page.reload()
    await page.getByText('Closed by platform').waitFor()
    expect(await page.getByRole('button', { name: /freeze/i }).count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('deposits, customers and cards are filtered by status, currency and amount, on a phone behind a button', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, go, wrong } = world
    for (const amount of [100n, 20_000n]) await countersign.sandbox.deposit({ amount, currency: 'USD' })
    await go('/deposits')
    await page.getByText('2 rows shown').waitFor()
    await page.getByRole('combobox', { name: 'Currency' }).click()
    await page.getByRole('option', { name: 'USD', exact: true }).click()
    await page.getByLabel('Amount from').fill('150')
    await page.getByText('1 row shown').waitFor()
    expect(new URL(page.url()).searchParams.get('least')).toBe('"150"')
    expect(await look(page, `deposits-${size}`)).toEqual([])
    await createCard(world)
    await go('/cards?currency=EUR')
    await page.getByText('No matching cards').waitFor()
    await go('/cards?currency=USD')
    await page.getByText('1 row shown').waitFor()
    await go('/customers?verification=REJECTED')
    await page.getByText('No matching customers').waitFor()
    if (viewport === PHONE) await page.getByRole('button', { name: 'Filters (1)' }).click()
    await page.getByLabel('Verification').selectOption('APPROVED')
    await page.getByText('1 row shown').waitFor()
    expect(wrong).toEqual([])
  })
})

/** Creates an active card of a sandbox customer. */
async function createCard({ countersign }: ConsoleWorld) {
  const holder = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
    region: 'US',
  })
  const { data } = await countersign.internalAccounts.list({ customerId: holder.id })
  const account = data.find(
    ({ type, balance }) => type === 'INTERNAL_FIAT' && balance.currency.code === 'USD',
  )
  const card = await countersign.cards.create({
    cardholderId: holder.id,
    form: 'VIRTUAL',
    fundingSources: [account?.id ?? ''],
  })
  await countersign.waitForCard(card.id)
  return card
}
