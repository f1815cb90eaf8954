import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

/** Its last characters select no outcome in the sandbox. */
const COLD = '0x52908400098527886E0F7030069857D2E4169EE7'

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)('the page of own money, on %s,', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('registers a bank account and a cold address, and rotates a key, after naming the rail, network and address', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const bank = await countersign.platformExternalAccounts.create({
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '600000789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Babbage & Co' },
      },
    })
    const cold = await countersign.platformExternalAccounts.create({
      currency: 'USDC',
      accountInfo: { accountType: 'BASE_WALLET', address: COLD },
    })
    const faults: string[] = []
    await go('/own-money')
    const register = async (id: string, reason: string, purpose?: string) => {
      await page.getByRole('button', { name: 'Register account' }).click()
      const form = page.getByRole('dialog', { name: 'Register an account of the operator' })
      await form.getByLabel('External account of the platform').selectOption(id)
      if (purpose !== undefined) await form.getByLabel('Purpose').selectOption(purpose)
      await form.getByLabel('Reason').fill(reason)
      await form.getByRole('button', { name: 'Continue' }).click()
      return form
    }

    const first = await register(bank.id, 'House bank')
    await first.getByText('Babbage & Co, USD account •••• 0789').waitFor()
    expect((await countersign.ownAccounts.list()).data).toEqual([])
    await first.getByRole('button', { name: 'Back' }).click()
    expect(await first.getByLabel('Reason').inputValue()).toBe('House bank')
    await first.getByLabel('Require an approval').check()
    await first.getByRole('button', { name: 'Continue' }).click()
    await first.getByRole('button', { name: 'Register account' }).click()
    const accounts = page.getByRole('table', { name: 'Accounts of the operator' })
    await accounts.getByText('Awaiting approval').waitFor()

    const second = await register(cold.id, 'Vault', 'COLD_STORAGE')
    for (const fact of ['sandbox', 'Base', COLD, 'Cold storage'])
      await second.getByText(fact, { exact: true }).first().waitFor()
    faults.push(...(await look(page, 'register-account')))
    await second.getByRole('button', { name: 'Register account' }).click()
    await accounts.getByText(COLD).waitFor()

    await page.getByRole('button', { name: 'Rotate key' }).click()
    const rotation = page.getByRole('dialog', { name: 'Rotate a treasury key' })
    await rotation.getByLabel('Reason').fill('A year is over')
    await rotation.getByLabel('Require an approval').check()
    await rotation.getByRole('button', { name: 'Continue' }).click()
    for (const fact of ['sandbox', 'Simulated', 'A year is over'])
      await rotation.getByText(fact, { exact: true }).waitFor()
    faults.push(...(await look(page, 'rotate-key')))
    await rotation.getByRole('button', { name: 'Rotate key' }).click()
    const keys = page.getByRole('table', { name: 'Treasury keys' })
    await keys.getByRole('button', { name: 'Approve' }).click()
    const question = page.getByRole('dialog', { name: 'Approve this rotation?' })
    await question.getByRole('button', { name: 'Approve' }).click()
    await keys.getByText('Active', { exact: true }).waitFor()

    expect((await countersign.ownAccounts.list()).data).toMatchObject([
      {
        externalAccountId: cold.id,
        status: 'ACTIVE',
        purpose: 'COLD_STORAGE',
        reason: 'Vault',
        address: COLD,
      },
      {
        externalAccountId: bank.id,
        status: 'AWAITING_APPROVAL',
        purpose: 'OWN_MONEY',
        reason: 'House bank',
      },
    ])
    expect((await countersign.treasuryKeys.list()).data).toMatchObject([
      { rail: 'sandbox', status: 'ACTIVE', reason: 'A year is over' },
    ])
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('adds and registers a bank account after showing each detail, with errors next to their fields', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const faults: string[] = []
    await go('/own-money')
    await page.getByRole('button', { name: 'Register account' }).click()
    const form = page.getByRole('dialog', { name: 'Register an account of the operator' })
    await form.getByLabel('Currency').selectOption('USD')
    await form.getByLabel('Kind of account').selectOption('USD_ACCOUNT')
    await form.getByLabel('Account number').fill('600000789')
    await form.getByLabel('Routing number').fill('021000022')
    await form.getByLabel('Reason').fill('House bank')
    const confirm = form.getByRole('button', { name: 'Continue' })
    expect(await confirm.isDisabled()).toBe(true)
    await form.getByLabel('Legal name of the holder').fill('Babbage & Co')
    faults.push(...(await look(page, 'add-account')))
    await confirm.click()
    for (const fact of ['600000789', '021000022', 'Babbage & Co', 'House bank'])
      await form.getByText(fact, { exact: true }).waitFor()
    expect((await countersign.platformExternalAccounts.list()).data).toEqual([])
    await form.getByRole('button', { name: 'Register account' }).click()
    const routing = form.getByRole('textbox', { name: 'Routing number' })
    await expect.poll(() => routing.getAttribute('aria-invalid')).toBe('true')
    await form.getByText(/routingNumber/).waitFor()
    faults.push(...(await look(page, 'add-account-fault')))

    await routing.fill('021000021')
    await confirm.click()
    await form.getByRole('button', { name: 'Register account' }).click()
    await page.getByRole('table', { name: 'Accounts of the operator' }).getByText('House bank').waitFor()
    const { data: added } = await countersign.platformExternalAccounts.list()
    expect(added).toMatchObject([
      {
        currency: 'USD',
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: '600000789',
          routingNumber: '021000021',
          beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Babbage & Co' },
        },
      },
    ])
    expect((await countersign.ownAccounts.list()).data).toMatchObject([
      { externalAccountId: added[0]?.id, status: 'ACTIVE', purpose: 'OWN_MONEY', reason: 'House bank' },
    ])
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })
})
