import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the cards guide runs exactly as written', async () => {
  const { stdout, stderr } = await runGuide('cards.md')
  expect(stdout.trim().split('\n')).toEqual([
    ...['ACTIVE', 'Sandbox: not a real card'],
    ...['47500', '50000', 'PARTIALLY_SETTLED', 'SETTLED', '47500'],
    ...['1', 'SETTLED', '2400'],
    ...['EXCEPTION', '90000', '1200'],
    ...['SETTLED', '43900'],
    ...['SETTLED', 'REFUNDED', '46400'],
    ...['CARD_CURRENCY_MISMATCH', 'CARD_INSUFFICIENT_FUNDS'],
    ...['FROZEN', 'CARD_PAUSED', 'ACTIVE'],
    // The platform's safety freeze.
    ...['FROZEN', 'CARD_PAUSED', 'ACTIVE'],
    ...['CARD_INSUFFICIENT_FUNDS', 'AUTHORIZED', 'CARD_INSUFFICIENT_FUNDS', 'REVOKED'],
    ...['CLOSED_BY_PLATFORM', 'CARD.STATE_CHANGE ACTIVE, CARD.STATE_CHANGE CLOSED'],
  ])
  expect(stderr).toContain('Freeze the card ending')
})
