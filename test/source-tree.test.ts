import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FOLDERS } from './folders.ts'
import type { Source } from './source-reading.ts'
import {
  fileSize,
  finished,
  folders,
  functionSize,
  imports,
  namedExports,
  outgoingHttp,
  RULES,
  type Rule,
  soundTypes,
  sqlInStores,
  statesFromTables,
  testAddresses,
  timeAndRandomness,
} from './source-rules.ts'

const ROOT = new URL('../', import.meta.url)
const ROOMS = [
  'contract',
  'server',
  'sdk',
  'cli',
  'console',
  'connectors',
  'contracts',
  'e2e',
  'examples',
  'bench',
  'sim',
  'deploy',
  'scripts',
  'test',
]

function sourcesBelow(folder: string): Source[] {
  if (!existsSync(new URL(folder, ROOT))) return []
  return readdirSync(new URL(folder, ROOT), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return ['node_modules', 'dist', 'generated'].includes(entry.name) ? [] : sourcesBelow(path)
    return /\.(?:ts|tsx|mjs)$/.test(entry.name)
      ? [{ path, text: readFileSync(new URL(path, ROOT), 'utf8') }]
      : []
  })
}

const sources = ROOMS.flatMap(sourcesBelow)

/** The folders that a file is in. */
function pathsAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

describe('the source tree', () => {
  test('exists', () => {
    expect(sources.map(({ path }) => path)).toContain('contract/src/core/endpoint.ts')
  })

  test.each(Object.entries(RULES))('holds the rule %s', (_name, rule) => {
    expect(sources.flatMap(rule)).toEqual([])
  })
})

/** The number of violations of a rule in a made-up file. */
function broken(rule: Rule, path: string, text: string): number {
  return rule({ path, text }).length
}

describe('the rules', () => {
  test.each([
    ['contract/src/payments/quotes.ts', '../../../server/src/db/engine/port.ts'],
    ['contract/src/payments/quotes.ts', '@countersign/sdk/wallet'],
    ['contract/src/payments/quotes.ts', 'node:fs'],
    ['contract/src/payments/quotes.ts', 'fastify'],
    ['server/src/quotes/handlers.ts', '../customers/store.ts'],
    ['server/src/quotes/handlers.ts', '@countersign/server/customers/store'],
    ['server/src/http/auth.ts', '../agents/store.ts'],
    ['server/src/sandbox/card-page.ts', '../cards/store.ts'],
    ['server/src/quotes/handlers.ts', '../http/pipeline.ts'],
    ['server/src/admin/admin.ts', '../http/auth.ts'],
    ['server/src/quotes/handlers.ts', '@countersign/sdk/wallet'],
    ['cli/src/demo/demo.ts', '../../../server/src/op/app.ts'],
    ['cli/src/demo/demo.ts', '@countersign/server/op/app'],
    ['console/src/page.tsx', '@countersign/server/op/app'],
    ['sdk/src/client.ts', '@countersign/server/crypto/hpke'],
    ['sdk/src/client.ts', '../../cli/src/main.ts'],
    ['sdk/test/payment.test.ts', '@countersign/sdk'],
    ['cli/src/demo/demo.ts', '../../../sdk/src/client.ts'],
    ['e2e/wallet.test.ts', '../sdk/src/client.ts'],
  ])('%s may not import %s, in any form of import', (path, specifier) => {
    expect(broken(imports, path, `import { a } from '${specifier}'`)).toBe(1)
    expect(broken(imports, path, `import type { A } from '${specifier}'`)).toBe(1)
    expect(broken(imports, path, `export { a } from '${specifier}'`)).toBe(1)
    expect(broken(imports, path, `const a = await import('${specifier}')`)).toBe(1)
    expect(broken(imports, path, `type A = import('${specifier}').A`)).toBe(1)
    expect(broken(imports, path, `// import { a } from '${specifier}'`)).toBe(0)
  })

  test.each([
    ['contract/src/payments/quotes.ts', 'typebox'],
    ['contract/src/payments/quotes.ts', '../core/schema.ts'],
    ['contract/src/payments/quotes.test.ts', 'vitest'],
    ['server/src/crypto/stamp.ts', './p256.ts'],
    ['server/src/crypto/stamp.ts', '../json/json.ts'],
    ['server/src/ledger/post.ts', '../db/engine/port.ts'],
    ['server/src/quotes/handlers.ts', './store.ts'],
    ['server/src/quotes/handlers.ts', '../customers/customers.ts'],
    ['server/src/quotes/handlers.ts', '../ledger/store.ts'],
    ['server/src/quotes/quotes.test.ts', '@countersign/sdk/wallet'],
    ['server/src/service/service.ts', '../http/server.ts'],
    ['server/src/http/server.ts', './auth.ts'],
    ['server/src/op/app.ts', '@countersign/contract/payments/quotes'],
    ['cli/src/demo/demo.ts', '@countersign/sdk/wallet'],
    ['cli/test/demo.test.ts', '../../server/test/harness.ts'],
    ['bench/src/main.ts', '@countersign/server/db/engine/port'],
    ['bench/src/main.ts', '@countersign/sdk'],
  ])('%s may import %s', (path, specifier) => {
    expect(imports({ path, text: `import { a } from '${specifier}'` })).toEqual([])
  })

  test.each([
    ['server/src/crypto/stamp.ts', '../sessions/sessions.ts'],
    ['server/src/crypto/stamp.ts', './otp/bundle.ts'],
    ['server/src/ledger/ledger.ts', '../quotes/quotes.ts'],
    ['server/src/customers/customers.ts', '../cards/closing.ts'],
    ['server/src/quotes/quotes.ts', '@countersign/server/agent-actions/actions'],
    ['server/src/op/app.ts', '../service/service.ts'],
    ['server/src/http/server.ts', '../serve.ts'],
    ['contract/src/core/endpoint.ts', '../payments/quotes.ts'],
    ['contract/src/core/endpoint.ts', '../api.ts'],
    ['cli/src/terminal/shell.ts', '../demo/demo.ts'],
  ])('%s may not import %s, which stands above it, types included', (path, specifier) => {
    expect(broken(folders, path, `import { a } from '${specifier}'`)).toBe(1)
    expect(broken(folders, path, `import type { A } from '${specifier}'`)).toBe(1)
    expect(broken(folders, path, `const a = await import('${specifier}')`)).toBe(1)
    expect(broken(folders, path.replace('.ts', '.test.ts'), `import { a } from '${specifier}'`)).toBe(0)
  })

  test('imports may run down, stay in their folder and go to another room', () => {
    for (const specifier of ['../op/app.ts', './store.ts', '@countersign/contract/api', 'node:fs'])
      expect(broken(folders, 'server/src/quotes/quotes.ts', `import { a } from '${specifier}'`)).toBe(0)
  })

  test('a folder has a place in the order', () => {
    expect(broken(folders, 'server/src/new-noun/handlers.ts', '')).toBe(1)
    expect(broken(folders, 'server/src/quotes/deeper/rules.ts', '')).toBe(1)
    expect(broken(folders, 'sdk/src/client.ts', '')).toBe(0)
  })

  test('no place in the order is for a folder that is gone', () => {
    const ordered = Object.entries(FOLDERS).flatMap(([room, names]) => names.map((name) => `${room}/${name}`))
    const there = new Set(sources.flatMap(({ path }) => pathsAbove(path)))
    expect(ordered.filter((folder) => !folder.endsWith('/.') && !there.has(folder))).toEqual([])
  })

  test.each([
    ['server/test/tokens.test.ts', ''],
    ['server/test/no-such-folder/tokens.test.ts', ''],
    ['server/test/tokens/deeper/tokens.test.ts', ''],
    ['server/src/tokens/tokens.test.ts', "import { newPlatform } from '../../test/client.testing.ts'"],
  ])('a test has an address: not %s %s', (path, text) => {
    expect(broken(testAddresses, path, text)).toBe(1)
  })

  test.each([
    ['server/test/tokens/tokens.test.ts', "import { newPlatform } from '../../test/client.testing.ts'"],
    ['server/test/db/database.test.ts', ''],
    ['server/test/reliability/bank.test.ts', ''],
    ['server/test/client.testing.ts', ''],
    ['server/src/pricing/pricing.test.ts', "import { price } from '../server/src/pricing/pricing.ts'"],
  ])('a test has an address: %s %s', (path, text) => {
    expect(broken(testAddresses, path, text)).toBe(0)
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
  ])('time and randomness come from Op, not from %s', (text) => {
    for (const path of ['contract/src/a.ts', 'server/src/jobs/a.ts', 'server/src/db/a.mjs', 'sdk/src/a.ts'])
      expect(broken(timeAndRandomness, path, text)).toBe(1)
    expect(broken(timeAndRandomness, 'server/src/op/app.ts', text)).toBe(0)
    expect(broken(timeAndRandomness, 'cli/src/a.ts', text)).toBe(0)
  })

  test.each([
    'new Date(0)',
    'op.now',
    '// Date.now()',
    "'Date.now()'",
    'crypto.getRandomValues(bytes)',
    'let d: Date',
  ])('time and randomness: %s is fine', (text) =>
    expect(broken(timeAndRandomness, 'sdk/src/a.ts', text)).toBe(0),
  )

  test('an imported randomUUID is found', () => {
    expect(broken(timeAndRandomness, 'server/src/a.ts', "import { randomUUID } from 'node:crypto'")).toBe(1)
  })

  test.each([
    'export default function a() {}',
    'export default 1',
    'const a = 1\nexport { a as default }',
    "export * from './a.ts'",
    "export { a } from './a.ts'",
  ])('exports have names and stand where they are made: %s', (text) => {
    expect(broken(namedExports, 'server/src/a.ts', text)).toBe(1)
  })

  test('a configuration file may have a default export, a file may pass on a type', () => {
    expect(broken(namedExports, 'console/vite.config.ts', 'export default {}')).toBe(0)
    expect(broken(namedExports, 'test/globalSetup.ts', 'export default function setup() {}')).toBe(0)
    expect(broken(namedExports, 'sdk/src/a.ts', "export type { A } from './a.ts'")).toBe(0)
    expect(broken(namedExports, 'sdk/src/a.ts', 'export const a = 1\nexport function b() {}')).toBe(0)
  })

  test('an entry of the sdk passes on by name, and never everything', () => {
    const entry = 'sdk/src/entries/wallet.ts'
    expect(broken(namedExports, entry, "export { Wallet } from '../wallet.ts'")).toBe(0)
    expect(broken(namedExports, entry, "export * from '../wallet.ts'")).toBe(1)
    expect(broken(namedExports, entry, "export * as all from '../wallet.ts'")).toBe(1)
    expect(broken(namedExports, entry, "export { default } from '../wallet.ts'")).toBe(1)
  })

  test('any and switched-off type checks are found, the word in a comment is not', () => {
    expect(broken(soundTypes, 'sdk/src/a.ts', 'let a: any')).toBe(1)
    expect(broken(soundTypes, 'sdk/src/a.ts', 'let a = b as Record<string, any>')).toBe(1)
    expect(broken(soundTypes, 'server/test/client.testing.ts', 'let a: any')).toBe(0)
    expect(broken(soundTypes, 'sdk/src/a.ts', `// @ts-${'ignore'}`)).toBe(1)
    expect(broken(soundTypes, 'sdk/src/a.ts', "// any\nlet any = 'any'")).toBe(0)
  })

  test('unfinished work is found', () => {
    expect(broken(finished, 'sdk/src/a.ts', `// ${'TO'}${'DO'}: later`)).toBe(1)
    expect(broken(finished, 'sdk/src/a.ts', `let a = 1 // ${'FIX'}${'ME'}`)).toBe(1)
    expect(broken(finished, 'sdk/src/a.ts', '// done')).toBe(0)
  })

  test.each([
    "fetch('https://example.com')",
    "globalThis.fetch('https://example.com')",
    'createSource({ fetch })',
    "import { request } from 'node:http'",
    "import https from 'https'",
    "import * as http from 'node:http'",
    "const { get } = await import('node:https')",
    "import { connect } from 'node:http2'",
    "import { request } from 'undici'",
  ])('HTTP goes out by one way: %s', (text) => {
    expect(broken(outgoingHttp, 'server/src/rates/http-rates.ts', text)).toBe(1)
    expect(broken(outgoingHttp, 'server/src/outgoing/send.ts', text)).toBe(0)
    expect(broken(outgoingHttp, 'server/src/rates/rates.test.ts', text)).toBe(0)
    expect(broken(outgoingHttp, 'sdk/src/client.ts', text)).toBe(0)
  })

  test.each([
    "import type { IncomingMessage } from 'node:http'",
    "import { type Server } from 'node:http'",
    "import { isIP } from 'node:net'",
    '// fetch it',
  ])('HTTP goes out by one way: %s is fine', (text) => {
    expect(broken(outgoingHttp, 'server/src/http/observe.ts', text)).toBe(0)
  })

  test('a file of 400 lines is too long', () => {
    expect(broken(fileSize, 'sdk/src/a.ts', 'a\n'.repeat(400))).toBe(1)
    expect(broken(fileSize, 'sdk/src/a.ts', 'a\n'.repeat(399))).toBe(0)
  })

  test.each([
    ['function a() {', '}'],
    ['async function a(', ') {}'],
    ['const a = () => {', '}'],
    ['const a = function () {', '}'],
    ['class A {\n  a() {', '}\n}'],
    ['class A {\n  constructor() {', '}\n}'],
    ['class A {\n  get a() {', '}\n}'],
    ['const a = {\n  a() {', '}\n}'],
    ['call(() => [', '])'],
  ])('a function of 61 lines is too long: %s … %s', (first, last) => {
    const ofLines = (count: number) => `${first}${'\n'.repeat(count - 1)}${last}\n`
    for (const path of ['server/src/a.ts', 'cli/src/a.ts', 'bench/src/a.ts', 'scripts/a.mjs']) {
      expect(broken(functionSize, path, ofLines(61))).toBe(1)
      expect(broken(functionSize, path, ofLines(60))).toBe(0)
    }
    for (const path of ['server/src/a.test.ts', 'server/src/a.testing.ts', 'server/test/a.ts'])
      expect(broken(functionSize, path, ofLines(61))).toBe(0)
  })

  test('a class, an object and a comment before a function may be longer than a function', () => {
    const text = '\n'.repeat(60)
    expect(broken(functionSize, 'sdk/src/a.ts', `class A {${text}a() {}\n}`)).toBe(0)
    expect(broken(functionSize, 'sdk/src/a.ts', `const a = {${text}a() {}\n}`)).toBe(0)
    expect(broken(functionSize, 'sdk/src/a.ts', `/**${text}*/\nfunction a() {}`)).toBe(0)
  })

  test.each([
    'op.query(`SELECT * FROM quotes`)',
    'op.query(`\n  select id from quotes where id = $1`)',
    "sql('UPDATE quotes SET state = $1')",
    'sql(`INSERT INTO $' + '{table} VALUES (1)`)',
    "sql('DELETE FROM quotes')",
    'sql(`WITH q AS (SELECT 1) SELECT * FROM q`)',
    "db.selectFrom('quotes')",
  ])('SQL stands in a store.ts or in the folders made for it: %s', (text) => {
    expect(broken(sqlInStores, 'server/src/quotes/handlers.ts', text)).toBe(1)
    expect(broken(sqlInStores, 'server/src/http/idempotency.ts', text)).toBe(1)
    expect(broken(sqlInStores, 'server/src/quotes/store.ts', text)).toBe(0)
    expect(broken(sqlInStores, 'server/src/ledger/post.ts', text)).toBe(0)
    expect(broken(sqlInStores, 'server/src/quotes/quotes.test.ts', text)).toBe(0)
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
  ])('states are written from their tables: %s', (text) => {
    expect(broken(statesFromTables, 'server/src/cards/handlers.ts', text)).toBe(1)
    expect(broken(statesFromTables, 'server/src/cards/cards.test.ts', text)).toBe(0)
    expect(broken(statesFromTables, 'server/test/cards/cards.test.ts', text)).toBe(0)
    expect(broken(statesFromTables, 'sdk/src/a.ts', text)).toBe(0)
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
  ])('states are written from their tables: %s is fine', (text) => {
    expect(broken(statesFromTables, 'server/src/cards/handlers.ts', text)).toBe(0)
  })

  test.each(["'Select a customer from the list'", "'Update it'", "'with care'"])(
    'a sentence is not SQL: %s',
    (text) => {
      expect(broken(sqlInStores, 'server/src/quotes/quotes.ts', text)).toBe(0)
    },
  )
})
