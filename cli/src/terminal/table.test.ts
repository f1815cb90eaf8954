import { expect, test } from 'vitest'
import { formatRecords } from './table.ts'

const HEADERS = ['ID', 'NAME']

test('untrusted text in a table cannot control the terminal, break a line or add a column', () => {
  const rows = [['1', 'Eve\u001b[2J\u202e\tx\ny\u009b1m']]
  expect(formatRecords(HEADERS, rows, false)).toBe('1\tEve [2J x y 1m\n')
  expect(formatRecords(HEADERS, rows, true)).toContain('\n1   Eve [2J x y 1m\n')
})
