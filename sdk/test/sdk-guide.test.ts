import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to the sdk pays, signs, lists and tells errors apart',
  { timeout: 30_000 },
  async () => {
    const { stdout } = await runGuide('sdk.md')
    const [amount, summary, ...rest] = stdout.trim().split('\n')
    expect(amount).toBe('2500n')
    expect(summary).toContain('25.00 USD')
    expect(rest).toEqual(['COMPLETED', 'Request', 'OUTGOING', 'OUTGOING', '404 QUOTE_NOT_FOUND'])
  },
)
