import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const PAGE = new URL('../docs/connectors/bank-files.md', import.meta.url)
const SECTION = '## Guarantees'

interface Item {
  readonly claim: string
  readonly tests: readonly { readonly name: string; readonly path: string }[]
}

/** The list items of the section, with the tests that they name. */
function parseItems(page: string): Item[] {
  const [, after = ''] = page.split(SECTION)
  const [section = ''] = after.split(/^## /m)
  return section
    .split(/^- /m)
    .slice(1)
    .map((text) => ({
      claim: /^\*\*(.*?)\*\*/s.exec(text)?.[1] ?? text,
      tests: [...text.matchAll(/^ {2}- \[(.*)\]\((.*)\)$/gm)].map(([, name = '', path = '']) => ({
        name,
        path,
      })),
    }))
}

/** Finds mistakes in the list items of a page. */
function findFaults(page: string, readSource: (path: string) => string): string[] {
  return parseItems(page).flatMap(({ claim, tests }) => [
    ...(tests.length === 0 ? [`${claim} names no test`] : []),
    ...tests
      .filter(({ name, path }) => !readSource(path).includes(`'${name}'`))
      .map(({ name, path }) => `${path} has no test "${name}"`),
  ])
}

test('each guarantee about bank files names existing tests', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(parseItems(page).length).toBeGreaterThanOrEqual(10)
  expect(findFaults(page, (path) => readFileSync(new URL(path, PAGE), 'utf8'))).toEqual([])
})

test('an item that names no test or a missing test is reported', () => {
  const page = `${SECTION}\n\n- **A.** words\n- **B.**\n  - [there](b.test.ts)\n  - [gone](b.test.ts)\n\n## Next\n\n- **C.**\n`
  expect(findFaults(page, () => "test('there', () => {})")).toEqual([
    'A. names no test',
    'b.test.ts has no test "gone"',
  ])
})
