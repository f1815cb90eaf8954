import { afterAll, beforeAll, expect, test } from 'vitest'
import { MatchingWorld } from '../../server/test/worlds/production/matches.testing.ts'
import {
  dateBefore,
  ModelBank,
  openProduction,
} from '../../server/test/worlds/production/production.testing.ts'
import { newMember } from '../../server/test/worlds/records/members.testing.ts'
import { type Browser, DESKTOP, look, startBrowser } from '../browser.testing.ts'

let at: MatchingWorld
let browser: Browser
beforeAll(async () => {
  at = await MatchingWorld.open(await openProduction())
})
afterAll(async () => {
  await browser?.close()
  await at.world.close()
})

test('a member selects a suggestion, sees the difference, books it with a reason, and undoes and closes the match', async () => {
  const bank = new ModelBank(at.world)
  const [firstId, secondId] = [await at.pays(bank, 600), await at.pays(bank, 400)]
  const less = await at.pays(bank, 500)
  bank.book(dateBefore(0), { kind: 'PAYMENT', id: less, amount: '-530' })
  await at.states(bank, [[-1000, 'Collective order']])
  const { id } = await at.day(bank)
  const { browser: member } = await newMember(at.world.client, ['VIEW', 'APPROVE'], 'Ada', {
    hasPasskey: true,
  })
  browser = await startBrowser({ viewport: DESKTOP })
  const { page } = browser
  const cookie = { name: 'countersign_session', value: String(member.cookie), url: member.origin }
  await page.context().addCookies([cookie])
  await page.goto(`${member.origin}/console/reconciliations/${id}`)

  const suggested = page.getByRole('table', { name: 'Suggested matches' })
  const batch = suggested.getByRole('row', { name: /Several payments in one line/ })
  await batch.getByRole('button', { name: 'Select' }).click()
  await page.getByRole('button', { name: /^Match 3: 0\.00/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Match the selected items?' })
  await dialog.getByText('Nothing is booked.').waitFor()
  const confirm = dialog.getByRole('button', { name: 'Match', exact: true })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('The bank books batches as one sum')
  expect(await look(page, 'match')).toEqual([])
  await confirm.click()
  const matches = page.getByRole('table', { name: 'Matches' })
  await matches.getByText('The bank books batches as one sum').waitFor()

  // The charge remains. It is selected by hand and booked to a different account than the first one.
  const differences = page.getByRole('table', { name: 'Differences' })
  await expect.poll(() => differences.getByRole('checkbox').count()).toBe(1)
  await differences.getByRole('checkbox').check()
  await page.getByRole('button', { name: /^Match 1: .0\.30/ }).click()
  await dialog.getByLabel('Book the difference to').selectOption('receivables')
  await dialog.getByLabel('Reason').fill('The bank refunds it')
  await confirm.click()
  await page.getByText('The bank and the books agree.').waitFor()
  expect(await look(page, 'reconciliation-matched')).toEqual([])
  const { data } = (await at.world.client.get(`/reconciliation-matches?rail=${bank.name}`)).body
  expect(data).toMatchObject([
    { status: 'MATCHED', paymentIds: [less], difference: { amount: -30, account: 'receivables' } },
    { status: 'MATCHED', matchedBy: { type: 'MEMBER', name: 'Ada' } },
  ])
  expect([...data[1].paymentIds].sort()).toEqual([firstId, secondId].sort())

  const charge = matches.getByRole('row', { name: /The bank refunds it/ })
  await charge.getByRole('button', { name: 'Undo' }).click()
  const undo = page.getByRole('dialog', { name: 'Undo this match?' })
  await undo.getByRole('textbox').fill('It does not')
  await undo.getByRole('button', { name: 'Undo' }).click()
  await charge.getByText('Undone').waitFor()
  const first = matches.getByRole('row', { name: /as one sum/ })
  await first.getByRole('button', { name: 'Close' }).click()
  await page
    .getByRole('dialog', { name: 'Close this match?' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  await first.getByText('Closed').waitFor()
  expect(await first.getByRole('button').count()).toBe(0)
})
