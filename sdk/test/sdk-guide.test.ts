import { expect, test } from 'vitest'
import { Countersign } from '../src/countersign.ts'
import { canRunGuides, runGuide, runProgramFrom } from './guide.testing.ts'
import { makePlatform } from './platform.testing.ts'

test.skipIf(!canRunGuides)('the SDK guide pays, signs, lists and distinguishes errors', async () => {
  const { stdout } = await runGuide('sdk.md')
  const [amount, summary, ...rest] = stdout.trim().split('\n')
  expect(amount).toBe('2500n')
  expect(summary).toContain('25.00 USD')
  expect(rest).toEqual(['COMPLETED', 'Request', 'OUTGOING', 'OUTGOING', '404 QUOTE_NOT_FOUND'])
})

test.skipIf(!canRunGuides)(
  'the program of the README pays for the customer of its first request',
  async () => {
    const credentials = await makePlatform()
    // The README does this with curl.
    await new Countersign(credentials).customers.create({
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace',
      email: 'ada@example.com',
    })
    const [summary, ...rest] = (await runProgramFrom('README.md', 'pay.mjs', credentials)).trim().split('\n')
    expect(summary).toContain('25.00 USD')
    expect(rest).toEqual(['COMPLETED'])
  },
)
