import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)('the guide to members can be followed to its end, to the letter', async () => {
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
