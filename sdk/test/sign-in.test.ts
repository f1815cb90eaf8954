import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the sign-in guide runs exactly as written', async () => {
  const { stdout } = await runGuide('sign-in.md')
  expect(stdout.trim().split('\n')).toEqual([
    'EMAIL_OTP',
    'UNAUTHORIZED: Invalid OTP code',
    'EMAIL_OTP session',
    'SMS_OTP session',
    'PASSKEY Laptop',
    'PASSKEY session',
    'OAUTH ada@example.com',
    'OAUTH session',
    '5 sessions',
    '4 sessions',
    'EMAIL_OTP SMS_OTP PASSKEY',
    '24 words',
    'EMAIL_OTP by the sdk',
    'SMS_OTP by the sdk',
    'PASSKEY by the sdk',
    'OAUTH by the sdk',
    '24 words by the sdk',
  ])
})
