import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the members guide runs exactly as written', async () => {
  const { stdout } = await runGuide('members.md')
  expect(stdout.trim().split('\n')).toEqual([
    'INVITED',
    ...['VIEW,APPROVE,REVIEW', '0'],
    ...['LINK', 'ACTIVE', 'You lack the permission MANAGE.'],
    ...['FORBIDDEN', 'UNAUTHORIZED'],
    'EMAIL',
    '2',
  ])
})
