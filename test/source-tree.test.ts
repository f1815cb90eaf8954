import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  fileSize,
  finished,
  functionSize,
  imports,
  namedExports,
  outgoingHttp,
  RULES,
  type Rule,
  type Source,
  soundTypes,
  sqlInStores,
  timeAndRandomness,
} from './source-rules.ts'

const ROOT = new URL('../', import.meta.url)
const FOLDERS = ['contract', 'server', 'sdk', 'cli', 'console', 'e2e', 'bench', 'scripts', 'test']

function sourcesBelow(folder: string): Source[] {
  if (!existsSync(new URL(folder, ROOT))) return []
  return readdirSync(new URL(folder, ROOT), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourcesBelow(path)
    return /\.(?:ts|tsx|mjs)$/.test(entry.name)
      ? [{ path, text: readFileSync(new URL(path, ROOT), 'utf8') }]
      : []
  })
}

describe('the source tree', () => {
  const sources = FOLDERS.flatMap(sourcesBelow)

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
    ['contract/src/payments/quotes.ts', '../../server/src/db/engine/port.ts'],
    ['contract/src/payments/quotes.ts', '@countersign/sdk/client'],
    ['contract/src/payments/quotes.ts', 'node:fs'],
    ['contract/src/payments/quotes.ts', 'fastify'],
    ['server/src/crypto/stamp.ts', '../sessions/sessions.ts'],
    ['server/src/ledger/post.ts', '../quotes/quotes.ts'],
    ['server/src/quotes/handlers.ts', '../customers/store.ts'],
    ['server/src/quotes/handlers.ts', '@countersign/server/customers/store'],
    ['server/src/http/auth.ts', '../agents/store.ts'],
    ['server/src/sandbox/card-page.ts', '../cards/store.ts'],
    ['server/src/quotes/handlers.ts', '../http/pipeline.ts'],
    ['server/src/settings/config.ts', './http/auth.ts'],
    ['server/src/quotes/handlers.ts', '@countersign/sdk/client'],
    ['cli/src/demo/demo.ts', '../../server/src/op/app.ts'],
    ['cli/src/demo/demo.ts', '@countersign/server/op/app'],
    ['console/src/page.tsx', '@countersign/server/op/app'],
    ['sdk/src/client.ts', '@countersign/server/crypto/hpke'],
    ['sdk/src/client.ts', '../../cli/src/main.ts'],
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
    ['contract/src/payments/quotes.ts', './schema.ts'],
    ['contract/src/quotes.test.ts', 'vitest'],
    ['server/src/crypto/stamp.ts', './p256.ts'],
    ['server/src/crypto/stamp.ts', '../json.ts'],
    ['server/src/ledger/post.ts', '../db/port.ts'],
    ['server/src/quotes/handlers.ts', './store.ts'],
    ['server/src/quotes/handlers.ts', '../customers/customers.ts'],
    ['server/src/quotes/handlers.ts', '../ledger/store.ts'],
    ['server/src/quotes/quotes.test.ts', '@countersign/sdk/client'],
    ['server/src/service/service.ts', './http/server.ts'],
    ['server/src/http/server.ts', './auth.ts'],
    ['server/src/op/app.ts', '@countersign/contract/payments/quotes'],
    ['cli/src/demo/demo.ts', '@countersign/sdk/client'],
    ['cli/test/demo.test.ts', '../../server/test/harness.ts'],
    ['bench/src/main.ts', '@countersign/server/db/engine/port'],
  ])('%s may import %s', (path, specifier) => {
    expect(imports({ path, text: `import { a } from '${specifier}'` })).toEqual([])
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
  ])('HTTP goes out by one way: %s is accepted', (text) => {
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

  test.each(["'Select a customer from the list'", "'Update it'", "'with care'"])(
    'a sentence is not SQL: %s',
    (text) => {
      expect(broken(sqlInStores, 'server/src/quotes/quotes.ts', text)).toBe(0)
    },
  )
})
