import { readdirSync, readFileSync } from 'node:fs'
import { API } from '@countersign/contract/api'
import { describe, expect, test } from 'vitest'
import { decisionFiles, parseDecision, readDecision } from './decision-table.ts'
import {
  brokenLinks,
  countWords,
  listIndexedSections,
  sectionsIn,
  strangeReferences,
  unknownFiles,
} from './documents.ts'
import type { Source } from './source-reading.ts'

const ROOT = new URL('../', import.meta.url)
const LEFT_OUT = ['node_modules', 'dist', '.git']

/** All files of the tree by path, with the text of documents. */
const TREE = new Map(filesBelow('').map((path) => [path, isReadable(path) ? readText(path) : undefined]))
const SOURCES: Source[] = [...TREE].flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]))
const _DOCUMENTS = SOURCES.filter(({ path }) => path.endsWith('.md'))
const INDEX = readText('docs/specification-index.md')

function filesBelow(folder: string): string[] {
  return readdirSync(new URL(folder === '' ? '.' : `${folder}/`, ROOT), { withFileTypes: true }).flatMap(
    (entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory())
        return LEFT_OUT.includes(entry.name) || /^\.(?!ci$)/.test(entry.name) ? [] : filesBelow(path)
      return entry.isFile() ? [path] : []
    },
  )
}

function isReadable(path: string): boolean {
  return /\.(?:ts|tsx|mjs|md)$/.test(path)
}

function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

describe('in the documents,', () => {
  test.each([
    ['README.md', 1250],
    ['ARCHITECTURE.md', 1800],
  ])('%s has at most %i words', (path, wordsMax) => {
    expect(countWords(readText(path))).toBeLessThanOrEqual(wordsMax)
  })

  test('example programs call the SDK by noun and verb', () => {
    const documents = SOURCES.filter(
      ({ path }) => path.endsWith('.md') && !path.startsWith('docs/decisions/'),
    )
    const wrongCalls = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/^```(?:js|ts|tsx)\n(.*?)^```$/gms)].flatMap(([, code = '']) =>
        [...code.matchAll(/\.(?:signed|call)\(['"]\w+/g)].map(([call]) => `${path}: ${call}`),
      ),
    )
    expect(wrongCalls).toEqual([])
  })

  test.each(decisionFiles())('decision %s has its number, its title and its status', (file) => {
    const decision = readDecision(file)
    expect(decision).toBeDefined()
    const [, successor] = /^superseded by (\d{4})$/.exec(decision!.status) ?? []
    if (successor) expect(decisionFiles().map((name) => name.slice(0, 4))).toContain(successor)
  })
})

describe('the index of the specification', () => {
  const known = listIndexedSections(INDEX)

  test('has a line for each section that a source or a document refers to', () => {
    const references = SOURCES.flatMap(({ path, text }) =>
      sectionsIn(text).map((section) => ({ path, section })),
    )
    expect(references.length).toBeGreaterThan(150)
    expect(references.filter(({ section }) => !known.includes(section))).toEqual([])
  })

  test('has one line for each section', () => {
    expect([...new Set(known)]).toEqual(known)
  })

  test('is referenced in only one spelling', () => {
    const otherSources = SOURCES.filter(({ path }) => !path.startsWith('test/documents'))
    expect(otherSources.flatMap(strangeReferences)).toEqual([])
  })

  test('names existing endpoints', () => {
    const names = [...INDEX.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter((name) => !(name in API))).toEqual([])
  })
})

describe('by the rules of the documents,', () => {
  const tree = new Map<string, string | undefined>([
    ['docs/guide.md', '# A guide\n\n## What it’s for, in short\n'],
    ['server/src/kernel/outbox/job-runner.ts', ''],
  ])

  test.each([
    ['docs/guide.md', 'jobs/missing.ts', ''],
    ['README.md', '', 'docs/missing.md'],
    ['README.md', 'server/src/missing/', 'docs/guide.md#for'],
    ['README.md', 'kernel/missing', '#nowhere'],
    ['docs/internals/a.md', 'missing.ts', '../missing.md'],
  ])('a missing file or link in %s is reported', (path, file, link) => {
    const text = `See \`${file}\` and [this](${link}).`
    expect(unknownFiles({ path, text }, tree)).toHaveLength(file ? 1 : 0)
    expect(brokenLinks({ path, text }, tree)).toHaveLength(link ? 1 : 0)
  })

  test.each([
    'See [the guide](docs/guide.md#what-its-for-in-short), `job-runner.ts`, `outbox/job-runner.ts`, `kernel/outbox` and `server/src/kernel/outbox/`.',
    'See `<noun>.ts`, `server/src/NNNN-name.ts`, `*.test.ts`, `cli/dist/main.js`, `text/plain`.',
    'See [elsewhere](https://example.com/a.md).\n\n```ts\n`server/src/missing.ts`\n```\n',
  ])('existing files, patterns and external links are accepted: %s', (text) => {
    expect(unknownFiles({ path: 'README.md', text }, tree)).toEqual([])
    expect(brokenLinks({ path: 'README.md', text }, tree)).toEqual([])
  })

  test('a reference is found even if it spans two lines', () => {
    const named = (numbers: string) => `specification${' '}${numbers}`
    expect(sectionsIn(`(${named('4.4, 8')}; see ${named('7')}.)`)).toEqual(['4.4', '8', '7'])
    expect(sectionsIn(`/**\n * of ${named('').trim()}\n * 4.16, suffix 005 */`)).toEqual(['4.16'])
    expect(sectionsIn(`(${named('2.1')}, formats${' '}2)`)).toEqual(['2.1', 'formats 2'])
    expect(sectionsIn(`${named('').trim()}, conventions`)).toEqual(['conventions'])
  })

  test.each([
    ['spec 4.7', 1],
    ['section 4.7', 1],
    ['FORMATS, Stamp', 1],
    ['RFC 9180 section 4.1', 0],
    ['WebAuthn Level 3 section 16', 0],
    ['const FORMATS = 1', 0],
  ])('a reference in another spelling is reported: %s', (text, count) => {
    expect(strangeReferences({ path: 'a.ts', text })).toHaveLength(count)
  })

  test.each([
    ['0007-a.md', '# 0007: A\n\nStatus: accepted\n\n## Context', 'accepted'],
    ['0007-a.md', '# 0007: A\n\nStatus: superseded by 0017\n\n', 'superseded by 0017'],
    ['0007-a.md', '# 0007: A\n\nStatus: Accepted\n\n', undefined],
    ['0007-a.md', '# 0007. A\n\nStatus: accepted\n\n', undefined],
    ['0008-a.md', '# 0007: A\n\nStatus: accepted\n\n', undefined],
    ['0007-a.md', '# 0007: A\n\n## Context', undefined],
  ])('the head of %s is parsed only if it is complete: %j', (file, text, status) => {
    expect(parseDecision(file, text)?.status).toBe(status)
  })
})
