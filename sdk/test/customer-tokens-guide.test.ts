import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  "the guide to customers' tokens can be followed to its end, to the letter",
  async () => {
    const { stdout } = await runGuide('customer-tokens.md')
    expect(stdout.trim().split('\n')).toEqual([
      ...['true', 'true'],
      ...['ACCOUNT_NOT_FOUND', 'FORBIDDEN'],
      ...['2', 'false', 'FORBIDDEN'],
      ...['true', 'Only for pages of this app', 'Sign in first'],
    ])
  },
)
