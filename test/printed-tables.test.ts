import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PRINTED_TABLES, withPrintedTables } from './printed-tables.ts'
import { withWatchRules } from './watch-tables.ts'

const DOCS = fileURLToPath(new URL('../docs', import.meta.url))
const guides = (await readdir(DOCS, { recursive: true })).filter((name) => name.endsWith('.md'))
const readText = (name: string) => readFile(join(DOCS, name), 'utf8')

test.each(guides)('the tables of %s match the code (else: npm run docs)', async (name) => {
  const text = await readText(name)
  const printed = withPrintedTables(text)
  if (process.env.UPDATE_DOCS) await writeFile(join(DOCS, name), printed)
  else expect(text).toBe(printed)
})

test('the alerts of what is watched match the code (else: npm run docs)', async () => {
  const file = fileURLToPath(new URL('../deploy/alerts.yaml', import.meta.url))
  const text = await readFile(file, 'utf8')
  const printed = withWatchRules(text)
  if (process.env.UPDATE_DOCS) await writeFile(file, printed)
  else expect(text).toBe(printed)
})

test('every printed table is in a guide', async () => {
  const all = (await Promise.all(guides.map(readText))).join('\n')
  const printed = [...all.matchAll(/<!-- printed: (.+?) -->/g)].map(([, name]) => name)
  expect(new Set(printed)).toEqual(new Set(Object.keys(PRINTED_TABLES)))
})
