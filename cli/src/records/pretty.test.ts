import { expect, test } from 'vitest'
import { prettyJson } from './pretty.ts'

test('JSON is indented as JSON.stringify does it', () => {
  const values = [
    {},
    [],
    'a',
    1,
    null,
    { a: [], b: {}, c: [1, { d: 'x: {"y"}, [z]' }], e: '\\' },
    [[[]], [{ a: true }]],
  ]
  for (const value of values) expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
})

test('a number keeps its digits, and spaces of another writer do not matter', () => {
  expect(prettyJson('{ "amount" : 9007199254740993,\n"rate":1.10 }')).toBe(
    '{\n  "amount": 9007199254740993,\n  "rate": 1.10\n}',
  )
})
