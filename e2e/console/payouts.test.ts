import { afterEach, describe, expect, test } from 'vitest'
import { type ConsoleWorld, DESKTOP, look, openSignedIn, PHONE } from '../browser.testing.ts'

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const)('a batch of payouts, on %s,', (_, viewport) => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('shows its totals and faults, is paid after a confirmation that names both, and links each payment', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const { data: accounts } = await countersign.platformInternalAccounts.list({ currency: 'USD' })
    await countersign.sandbox.fund(accounts[0]!.id, { amount: 100_000n })
    const payee = await createPayee(countersign)
    const line = { accountId: payee.id, currency: 'USD' }
    const { id } = await countersign.payoutBatches.create({
      name: 'Salaries May',
      lines: [
        { ...line, amount: 2_500n, reference: 'may-ada' },
        { ...line, amount: 4_000n, reference: 'may-ada' },
      ],
    })
    await countersign.waitForPayoutBatch(id)

    await go('/payouts')
    await page.getByText('Salaries May').click()
    await page.getByRole('heading', { level: 1, name: 'Salaries May', exact: true }).waitFor()
    await page.getByText('reference: Line 1 already has this reference.').waitFor()
    const faults = await look(page, 'payouts')
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Pay this batch?' })
    await question.getByText('25.00 USD in 1 payment. Lines that cannot be paid are skipped: 1.').waitFor()
    await question.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByText('Completed', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: /^Transaction…/ }).click()
    await page.waitForURL(/transactions.Transaction:/)
    await page.getByText('25.00').first().waitFor()
    expect((await countersign.payoutBatches.get(id)).progress).toMatchObject({ sent: 1, faulty: 1 })
    expect(faults).toEqual([])
    expect(wrong).toEqual([])
  })

  test('is sent as a file, checked, and opened with its line errors; sent again, it names the first batch', async () => {
    world = await openSignedIn(viewport)
    const { page, countersign, wrong, go } = world
    const payee = await createPayee(countersign)
    const buffer = Buffer.from(`currency,amount,accountId\nUSD,2500,${payee.id}\nUSD,0,${payee.id}\n`)
    const send = async (name: string) => {
      await go('/payouts')
      await page.getByRole('button', { name: 'Send a file' }).click()
      const dialog = page.getByRole('dialog', { name: 'Send a file of payouts' })
      const choosing = page.waitForEvent('filechooser')
      await dialog.getByRole('button', { name: 'CSV file' }).click()
      await (await choosing).setFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer })
      expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(name)
      expect(await look(page, `payouts-send-${name}`)).toEqual([])
      await dialog.getByRole('button', { name: 'Send and check' }).click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
    }
    await send('Suppliers June')
    await page.getByText(/^amount: /).waitFor()
    await send('Suppliers again')
    const [again, first] = (await countersign.payoutBatches.list()).data
    expect(again).toMatchObject({ name: 'Suppliers again', sameFileAs: first?.id })
    expect(first).toMatchObject({ name: 'Suppliers June', progress: { lines: 2, faulty: 1 } })
    expect(wrong).toEqual([])
  })
})

async function createPayee(countersign: ConsoleWorld['countersign']) {
  return countersign.platformExternalAccounts.create({
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '600000789',
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Babbage & Co' },
    },
  })
}
