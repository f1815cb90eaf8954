import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PRINTED_TABLES, withPrintedTables } from './printed-tables.ts'
import { withWatchRules } from './watch-tables.ts'

const DOCS = fileURLToPath(new URL('../docs', import.meta.url))
const guides = (await readdir(DOCS, { recursive: true })).filter((name) => name.endsWith('.md'))
const readText = (name: string) => readFile(join(DOCS, name), 'utf8')

test.each(guides)('the tables of %s match the code (npm run docs updates them)', async (name) => {
  const text = await readText(name)
  const printed = withPrintedTables(text)
  if (process.env.UPDATE_DOCS) await writeFile(join(DOCS, name), printed)
  else expect(text).toBe(printed)
})

test('the alert rules match the code (npm run docs updates them)', async () => {
  const file = fileURLToPath(new URL('../deploy/alerts.yaml', import.meta.url))
  const text = await readFile(file, 'utf8')
  const printed = withWatchRules(text)
  if (process.env.UPDATE_DOCS) await writeFile(file, printed)
  else expect(text).toBe(printed)
})

test('every printed table is in a guide', async () => {
  const guideText = (await Promise.all(guides.map(readText))).join('\n')
  const printed = [...guideText.matchAll(/<!-- printed: (.+?) -->/g)].map(([, name]) => name)
  expect(new Set(printed)).toEqual(new Set(Object.keys(PRINTED_TABLES)))
})
