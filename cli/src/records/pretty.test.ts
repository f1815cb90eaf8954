import { expect, test } from 'vitest'
import { formatPrettyJson } from './pretty.ts'

test('JSON is indented the way JSON.stringify does it', () => {
  const values = [
    {},
    [],
    'a',
    1,
    null,
    { a: [], b: {}, c: [1, { d: 'x: {"y"}, [z]' }], e: '\\' },
    [[[]], [{ a: true }]],
  ]
  for (const value of values)
    expect(formatPrettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
})

test('pretty-printed JSON keeps every digit of a number and ignores existing whitespace', () => {
  expect(formatPrettyJson('{ "amount" : 9007199254740993,\n"rate":1.10 }')).toBe(
    '{\n  "amount": 9007199254740993,\n  "rate": 1.10\n}',
  )
})
