import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the sandbox guide runs exactly as written', async () => {
  const { stdout } = await runGuide('sandbox.md')
  const [
    rejected,
    funded,
    repeated,
    rules,
    first,
    second,
    third,
    left,
    start,
    later,
    processing,
    last,
    completed,
    back,
    type,
    subject,
    reset,
    customers,
  ] = stdout.trim().split('\n')
  expect([rejected, funded]).toEqual(['REJECTED', '10000'])
  expect([repeated, rules, left]).toEqual(['10005', '2', '1'])
  expect([first, second, third]).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'undefined'])
  expect([processing, completed]).toEqual(['PROCESSING', 'COMPLETED'])
  expect(Date.parse(later!) - Date.parse(start!)).toBeGreaterThanOrEqual(300_000)
  expect(Date.parse(last!) - Date.parse(later!)).toBeGreaterThanOrEqual(120_000)
  expect(back).toContain('never goes back')
  expect(type).toBe('EMAIL_OTP')
  expect(subject).toMatch(/\w/)
  expect(Date.parse(reset!)).toBeLessThan(Date.parse(start!) + 300_000)
  expect(customers).toBe('0')
})
