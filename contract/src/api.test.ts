import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('the API takes in each group of endpoints once', () => {
  const source = readFileSync(new URL('api.ts', import.meta.url), 'utf8')
  const groups = [...source.matchAll(/^ {2}\.\.\.(\w+),$/gm)].map(([, name]) => name)
  expect(groups.length).toBeGreaterThan(50)
  expect(groups.filter((name, index) => groups.indexOf(name) !== index)).toEqual([])
})
