import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FOLDERS, WINGS } from './folders.ts'
import {
  exactHeadings,
  isTest,
  outgoingHttp,
  type Rule,
  sqlInStores,
  statesFromTables,
  testAddresses,
  timeAndRandomness,
} from './source-rules.ts'

const ROOT = new URL('../', import.meta.url)

/** The direct subfolders of a folder that contain sources other than tests and generated files. */
function foldersBelow(folder: string): string[] {
  const names = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !isTest(`${folder}/${path}`))
    .filter((path) => !path.startsWith('generated/'))
    .map((path) => path.split('/'))
    .map((parts) => (parts.length > 1 ? parts[0]! : '.'))
  return [...new Set(names)].sort()
}

describe('the list of folders', () => {
  test('names every wing', () => {
    expect(foldersBelow('server/src')).toEqual(Object.keys(WINGS).sort())
  })

  test.each(Object.entries(WINGS))('names every room of the wing %s', (wing, rooms) => {
    expect(foldersBelow(`server/src/${wing}`)).toEqual([...rooms].sort())
  })

  test.each(Object.entries(FOLDERS))('names every folder of %s', (root, folders) => {
    expect(foldersBelow(root)).toEqual([...new Set(folders.map((folder) => folder.split('/')[0]!))].sort())
  })
})

/** Counts the violations of a rule in an invented file. */
function countViolations(rule: Rule, path: string, text: string): number {
  return rule({ path, text }).length
}

test('each planted fault of the simulation matches the source exactly once', async () => {
  const { PLANTED } = await import(new URL('sim/planted.mjs', ROOT).href)
  const matches = PLANTED.map(({ file, find }: Record<'file' | 'find', string>) => [
    file,
    find,
    readFileSync(new URL(file, ROOT), 'utf8').split(find).length - 1,
  ])
  expect(matches.filter(([, , times]: unknown[]) => times !== 1)).toEqual([])
})

describe('by the source rules,', () => {
  test.each([
    'server/test/tokens.test.ts',
    'server/test/people/tokens.test.ts',
    'server/test/people/no-such-room/tokens.test.ts',
    'server/test/people/tokens/deeper/tokens.test.ts',
  ])('a test outside the folder of its room is reported: %s', (path) => {
    expect(countViolations(testAddresses, path, '')).toBe(1)
  })

  test.each([
    'server/test/people/tokens/tokens.test.ts',
    'server/test/reliability/bank.test.ts',
    'server/test/worlds/client.testing.ts',
    'server/src/base/pricing/pricing.test.ts',
    'sdk/test/payment.test.ts',
  ])('a test in the folder of its room is accepted: %s', (path) => {
    expect(countViolations(testAddresses, path, '')).toBe(0)
  })

  test('a test must match a page heading of the console by its full name', () => {
    const waitForHeading = (options: string) => `await page.getByRole('heading', ${options}).waitFor()`
    const path = 'e2e/console/made-up.test.ts'
    expect(countViolations(exactHeadings, path, waitForHeading("{ level: 1, name: 'Bill payer' }"))).toBe(1)
    expect(countViolations(exactHeadings, path, waitForHeading('{ level: 1, name }'))).toBe(1)
    expect(
      countViolations(exactHeadings, path, waitForHeading("{ level: 1, name: 'Bill payer', exact: true }")),
    ).toBe(0)
    expect(countViolations(exactHeadings, path, waitForHeading('{ level: 1 }'))).toBe(0)
    expect(countViolations(exactHeadings, 'sdk/test/a.test.ts', waitForHeading('{ level: 1, name }'))).toBe(0)
  })

  test.each([
    'Date.now()',
    'globalThis.Date.now()',
    'const clock = Date.now',
    'new Date()',
    'new Date',
    'Date()',
    'Math.random()',
    'crypto.randomUUID()',
  ])('time and randomness must come from Op, not from %s', (text) => {
    for (const path of [
      'contract/src/a.ts',
      'server/src/kernel/outbox/a.ts',
      'server/src/storage/engine/a.mjs',
      'sdk/src/a.ts',
    ])
      expect(countViolations(timeAndRandomness, path, text)).toBe(1)
    expect(countViolations(timeAndRandomness, 'server/src/kernel/operation/app.ts', text)).toBe(0)
    expect(countViolations(timeAndRandomness, 'cli/src/a.ts', text)).toBe(0)
  })

  test.each([
    'new Date(0)',
    'op.now',
    '// Date.now()',
    "'Date.now()'",
    'crypto.getRandomValues(bytes)',
    'let d: Date',
  ])('code that reads no clock and no random numbers is accepted: %s', (text) =>
    expect(countViolations(timeAndRandomness, 'sdk/src/a.ts', text)).toBe(0),
  )

  test('an imported randomUUID is reported', () => {
    expect(
      countViolations(timeAndRandomness, 'server/src/a.ts', "import { randomUUID } from 'node:crypto'"),
    ).toBe(1)
  })

  test.each([
    "fetch('https://example.com')",
    "globalThis.fetch('https://example.com')",
    'createSource({ fetch })',
  ])('an HTTP request outside of base/http-client is reported: %s', (text) => {
    expect(countViolations(outgoingHttp, 'server/src/outside/rates/http-rates.ts', text)).toBe(1)
    expect(countViolations(outgoingHttp, 'server/src/base/http-client/send.ts', text)).toBe(0)
    expect(countViolations(outgoingHttp, 'server/src/outside/rates/rates.test.ts', text)).toBe(0)
    expect(countViolations(outgoingHttp, 'sdk/src/client.ts', text)).toBe(0)
  })

  test.each([
    'op.query(`SELECT * FROM quotes`)',
    'op.query(`\n  select id from quotes where id = $1`)',
    "sql('UPDATE quotes SET state = $1')",
    'sql(`INSERT INTO $' + '{table} VALUES (1)`)',
    "sql('DELETE FROM quotes')",
    'sql(`WITH q AS (SELECT 1) SELECT * FROM q`)',
    "db.selectFrom('quotes')",
  ])('SQL outside of a store.ts or a folder for SQL is reported: %s', (text) => {
    expect(countViolations(sqlInStores, 'server/src/money/quotes/handlers.ts', text)).toBe(1)
    expect(countViolations(sqlInStores, 'server/src/edge/http/idempotency.ts', text)).toBe(1)
    expect(countViolations(sqlInStores, 'server/src/money/quotes/store.ts', text)).toBe(0)
    expect(countViolations(sqlInStores, 'server/src/kernel/ledger/post.ts', text)).toBe(0)
    expect(countViolations(sqlInStores, 'server/src/money/quotes/quotes.test.ts', text)).toBe(0)
  })

  test.each([
    "update('cards', id, { version }, { state: 'CLOSED', version: version + 1 })",
    "update('delegated_keys', id, {}, { 'status': 'REVOKED' })",
    "insert('quotes', { ...row, state: 'PENDING' })",
    "insert('messages', { ...row, state: isSandbox ? MESSAGE_INITIAL : 'QUEUED' })",
    "const row: QuoteRow = { pull_state: 'PENDING' as const }",
    "const change = { state: state ?? ('ACTIVE' satisfies CardState) }",
    "return { verification_status: isKnown && 'APPROVED' }",
    "changeCard(op, card, { state: 'FROZEN' })",
    "const state = isReceived ? 'DELIVERED' : next",
    "row.state = 'voided'",
    "expectRow('cards', id, { version }); update('agent_reservations', id, {}, { state: 'CAPTURED' })",
    "selectCards(op, {}).then((cards) => cards.map((card) => ({ ...card, state: 'CLOSED' })))",
  ])('a state that is not read from its transition table is reported: %s', (text) => {
    expect(countViolations(statesFromTables, 'server/src/money/cards/handlers.ts', text)).toBe(1)
    expect(countViolations(statesFromTables, 'server/src/money/cards/cards.test.ts', text)).toBe(0)
    expect(countViolations(statesFromTables, 'server/test/money/cards/cards.test.ts', text)).toBe(0)
    expect(countViolations(statesFromTables, 'sdk/src/a.ts', text)).toBe(0)
  })

  test.each([
    "update('cards', id, { version }, { state: CARD_TRANSITIONS.ACTIVE.close })",
    "insert('quotes', { ...row, state: QUOTE_INITIAL })",
    "if (card.state === 'CLOSED') return []",
    "expectRow('delegated_keys', key.id, { status: 'ACTIVE' })",
    "selectActions(op, { ...query, status: 'PENDING_APPROVAL' })",
    "interface Row { state: 'PENDING' | 'ACTIVE' }",
    "const answer = { status: 'ready', outcome: 'FAILED', state: next }",
    "const state = card.state === 'CLOSED' ? 'ended' : 'open'",
    "const { state = 1 } = { by: 'PENDING' }",
  ])('code that writes no literal state is accepted: %s', (text) => {
    expect(countViolations(statesFromTables, 'server/src/money/cards/handlers.ts', text)).toBe(0)
  })

  test.each(["'Select a customer from the list'", "'Update it'", "'with care'"])(
    'a sentence that resembles SQL is accepted: %s',
    (text) => {
      expect(countViolations(sqlInStores, 'server/src/money/quotes/quotes.ts', text)).toBe(0)
    },
  )
})
