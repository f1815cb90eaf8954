import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { JOB_KINDS } from '../server/src/kernel/outbox/job-kinds.ts'
import { firstCellsBelow } from './documents.ts'

const ROOT = new URL('../', import.meta.url)
const WINGS = listFolders('server/src')
const SCHEMA = 'server/src/storage/schema/'

function listFolders(path: string): string[] {
  const entries = readdirSync(new URL(`${path}/`, ROOT), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

function readPage(wing: string): string {
  return readText(`docs/internals/wings/${wing}.md`)
}

/** Lists the tables that the baseline and the migrations create. */
function listTables(): string[] {
  const files = readdirSync(new URL(SCHEMA, ROOT), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((path) => path.endsWith('.ts')).map((path) => readText(SCHEMA + path))
  const created = /CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)/g
  const names = sources.flatMap((source) => [...source.matchAll(created)].map(([, name]) => String(name)))
  return [...new Set(names)].sort()
}

test.each(WINGS)('the page of the wing %s lists its rooms', (wing) => {
  const listed = firstCellsBelow(readPage(wing), 'Rooms')
  expect(listed.toSorted()).toEqual(listFolders(`server/src/${wing}`).map((room) => `${wing}/${room}`))
})

test('every table of the database belongs to exactly one wing', () => {
  const owned = WINGS.flatMap((wing) => firstCellsBelow(readPage(wing), 'Tables'))
  expect(owned.toSorted()).toEqual(listTables())
})

test('every kind of job has a description in the internals guide', () => {
  const described = firstCellsBelow(readText('docs/internals/clock-and-jobs.md'), 'Background jobs')
  expect(described.toSorted()).toEqual([...JOB_KINDS].sort())
})

test('the map of ARCHITECTURE.md lists the wings', () => {
  const listed = firstCellsBelow(readText('ARCHITECTURE.md'), 'The map').map((name) =>
    name.replace(/\/$/, ''),
  )
  expect(listed).toEqual(expect.arrayContaining(WINGS))
})
