import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WINGS } from './folders.ts'
import { describeGraph, findCycles, type Imports, readImports } from './import-graph.ts'

/** Every form of import, with the file name used for it. */
const FORMS: Readonly<Record<string, (specifier: string) => string>> = {
  value: (specifier) => `import { a } from '${specifier}'\nexport const b = a\n`,
  type: (specifier) => `import type { A } from '${specifier}'\nexport type B = A\n`,
  reexport: (specifier) => `export { a } from '${specifier}'\n`,
  typereexport: (specifier) => `export type { A } from '${specifier}'\n`,
  effect: (specifier) => `import '${specifier}'\n`,
  dynamic: (specifier) => `export const a = await import('${specifier}')\n`,
  typeexpression: (specifier) => `export type B = import('${specifier}').A\n`,
}

const FORBIDDEN: readonly (readonly [from: string, specifier: string, reason: string])[] = [
  ['server/src/base/crypto/stamp.ts', '../../people/sign-in/sessions.ts', 'wing is above base'],
  ['server/src/kernel/ledger/ledger.ts', '../../money/quotes/quotes.ts', 'wing is above kernel'],
  ['server/src/money/quotes/quotes.ts', '@countersign/server/agents/actions/actions', 'wing is above money'],
  ['server/src/operation/books/books.ts', '../../outside/chains/deep/node.ts', 'wing is above operation'],
  ['server/src/kernel/ports/rail.ts', '../ledger/ledger.ts', 'room is above ports'],
  ['server/src/people/customers/deep/customers.ts', '../../webhooks/webhooks.ts', 'room is above customers'],
  ['server/src/edge/service/http-server.ts', '../process/serve.ts', 'room is above service'],
  ['contract/src/core/endpoint.ts', '../payments/quotes.ts', 'folder is above core'],
  ['contract/src/core/endpoint.ts', '../api.ts', 'folder is above core'],
  ['contract/src/api.ts', './document/openapi.ts', 'folder is above .'],
  ['cli/src/terminal/shell.ts', '../demo/demo.ts', 'folder is above terminal'],
  ['connectors/check/kit/world.ts', '../checks/payouts.ts', 'folder is above check/kit'],
  ['connectors/check/checks/payouts.ts', '../main.ts', 'folder is above check/checks'],
  ['server/src/money/quotes/quotes.ts', '../../people/customers/store.ts', "a room's store is private"],
  ['server/src/money/quotes/quotes.ts', '../../people/customers/owner-store.ts', "a room's store is private"],
  ['server/src/edge/http/auth.ts', '@countersign/server/people/customers/store', "a room's store is private"],
  ['contract/src/payments/quotes.ts', '../../../server/src/storage/engine/port.ts', 'no other package'],
  ['contract/src/payments/quotes.ts', '@countersign/sdk/wallet', 'no other package'],
  ['server/src/money/quotes/quotes.ts', '@countersign/sdk/wallet', 'contract only'],
  ['cli/src/demo/demo.ts', '../../../server/src/kernel/operation/app.ts', 'contract and sdk only'],
  ['cli/src/demo/demo.ts', '@countersign/server/kernel/operation/app', 'contract and sdk only'],
  ['console/src/page.tsx', '@countersign/server/kernel/operation/app', 'contract and sdk only'],
  ['connectors/example-bank/bank.ts', '@countersign/server/kernel/operation/app', 'contract only'],
  ['sdk/src/client.ts', '@countersign/server/kernel/operation/app', 'contract only'],
  ['sdk/src/client.ts', '../../cli/src/main.ts', 'contract only'],
  ['examples/app.ts', '@countersign/contract/api', 'sdk only'],
  ['contract/src/payments/quotes.ts', 'node:fs', 'typebox only'],
  ['contract/src/payments/quotes.ts', 'fastify', 'typebox only'],
  ['server/src/people/tokens/tokens.test.ts', '../../../test/client.testing.ts', 'belongs in server/test'],
  ['cli/src/demo/demo.ts', '../../../sdk/src/client.ts', 'entry points'],
  ['e2e/wallet.test.ts', '../sdk/src/client.ts', 'entry points'],
  ['sdk/test/payment.test.ts', '@countersign/sdk', 'relative imports'],
  ['sdk/src/payment.ts', '@countersign/sdk/wallet', 'relative imports'],
]

const ALLOWED: readonly (readonly [from: string, specifier: string])[] = [
  ['contract/src/payments/cards.ts', 'typebox'],
  ['contract/src/payments/cards.ts', 'typebox/value'],
  ['contract/src/payments/cards.ts', '../core/schema.ts'],
  ['contract/src/payments/cards.test.ts', 'vitest'],
  ['server/src/base/crypto/hpke.ts', './p256.ts'],
  ['server/src/base/crypto/hpke.ts', '../json/json.ts'],
  ['server/src/kernel/ledger/post.ts', '../../storage/engine/port.ts'],
  ['server/src/money/quotes/handlers.ts', './store.ts'],
  ['server/src/money/quotes/deep/handlers.ts', '../store.ts'],
  ['server/src/money/quotes/handlers.ts', '../../people/customers/customers.ts'],
  ['server/src/money/quotes/handlers.ts', '../../kernel/ledger/store.ts'],
  ['server/src/outside/file-stores/files.ts', '../../kernel/ports/file-store.ts'],
  ['server/src/money/quotes/quotes.test.ts', '@countersign/sdk/wallet'],
  ['server/src/base/crypto/hpke.test.ts', '../../people/sign-in/sessions.ts'],
  ['server/src/edge/service/service.ts', '../http/server.ts'],
  ['server/test/people/tokens/tokens.test.ts', '../../client.testing.ts'],
  ['server/src/kernel/operation/guard.ts', '@countersign/contract/api'],
  ['cli/src/demo/card.ts', '@countersign/sdk/wallet'],
  ['cli/test/demo.test.ts', '../../server/src/kernel/operation/app.ts'],
  ['connectors/check/cards.ts', './checks/payouts.ts'],
  ['bench/src/load.ts', '@countersign/server/storage/engine/port'],
  ['bench/src/load.ts', '@countersign/sdk'],
  ['console/vite.config.ts', '@countersign/server/storage/engine/port'],
]

const HTTP_CLIENTS = ['node:http', 'https', 'node:http2', 'undici']

const root = mkdtempSync(join(tmpdir(), 'countersign-import-rules-'))
let imports: Imports

beforeAll(async () => {
  for (const [from, specifier] of [...FORBIDDEN, ...ALLOWED]) {
    writeTarget(from, specifier)
    for (const form of Object.keys(FORMS))
      writeSource(buildPath(from, specifier, form), FORMS[form]!(specifier))
  }
  for (const client of HTTP_CLIENTS)
    for (const form of Object.keys(FORMS)) {
      writeSource(buildPath('server/src/outside/rates/rates.ts', client, form), FORMS[form]!(client))
      writeSource(buildPath('server/src/base/http-client/send.ts', client, form), FORMS[form]!(client))
      writeSource(buildPath('server/src/outside/rates/rates.test.ts', client, form), FORMS[form]!(client))
      writeSource(buildPath('sdk/src/send.ts', client, form), FORMS[form]!(client))
    }
  writePackages()
  writeSource(
    'server/src/storage/engine/row.ts',
    "import type { Session } from './session.ts'\nexport type Row = Session\n",
  )
  writeSource('server/src/storage/engine/session.ts', "export type { Row as Session } from './row.ts'\n")
  imports = await readImports(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('by the import rules,', () => {
  test.each(FORBIDDEN)('%s may not import %s, in any form of import: %s', (from, specifier, reason) => {
    for (const form of Object.keys(FORMS))
      expect(listViolations(buildPath(from, specifier, form)), form).toContainEqual(
        expect.stringContaining(reason),
      )
  })

  test.each(ALLOWED)('%s may import %s', (from, specifier) => {
    for (const form of Object.keys(FORMS))
      expect(listViolations(buildPath(from, specifier, form)), form).toEqual([])
  })

  test.each(HTTP_CLIENTS)('server code outside of base/http-client may not import %s', (client) => {
    for (const form of Object.keys(FORMS)) {
      const found = listViolations(buildPath('server/src/outside/rates/rates.ts', client, form))
      const isOfTypes = ['type', 'typereexport', 'typeexpression'].includes(form)
      expect(found, form).toHaveLength(isOfTypes ? 0 : 1)
    }
  })

  test('tests, the HTTP client itself and other packages may use an HTTP client', () => {
    for (const from of [
      'server/src/base/http-client/send.ts',
      'server/src/outside/rates/rates.test.ts',
      'sdk/src/send.ts',
    ])
      for (const client of HTTP_CLIENTS)
        for (const form of Object.keys(FORMS))
          expect(listViolations(buildPath(from, client, form))).toEqual([])
  })
})

test('files that import each other only for types form a cycle', () => {
  expect(findCycles(imports.graph)).toContainEqual([
    'server/src/storage/engine/row.ts',
    'server/src/storage/engine/session.ts',
  ])
})

test('the graph shows the wings in order, with their imports', () => {
  const [title, ...wings] = describeGraph(imports.graph).split('\n')
  expect(title).toBe('server/src, from the ground up:')
  expect(wings.map((line) => line.trim().split(' ')[0])).toEqual(Object.keys(WINGS))
  expect(wings).toContain('  edge → people')
})

test('the graph of a wing shows its rooms', () => {
  expect(describeGraph(imports.graph, 'kernel').split('\n')).toContain('  ports → ledger')
})

function listViolations(path: string): readonly string[] {
  return imports.violations.filter((violation) => violation.startsWith(`${path}: `))
}

/** Builds a separate path for each form: `quotes.ts` becomes `quotes-fs-type.ts`. */
function buildPath(from: string, specifier: string, form: string): string {
  return from.replace(
    /\.(?:test\.|config\.)?\w+$/,
    (end) => `-${specifier.replace(/\W+/g, '-')}-${form}${end}`,
  )
}

function writeTarget(from: string, specifier: string): void {
  const [, name, rest] = /^@countersign\/(\w+)(?:\/(.+))?$/.exec(specifier) ?? []
  if (name === 'sdk') writeModule(rest === undefined ? 'sdk/src/index.ts' : `sdk/src/entries/${rest}.ts`)
  else if (name !== undefined) writeModule(`${name}/src/${rest}.ts`)
  if (specifier.startsWith('.')) writeModule(posix.join(posix.dirname(from), specifier))
}

function writeModule(path: string): void {
  writeSource(path, 'export const a = 1\nexport type A = 1\n')
}

function writePackages(): void {
  mkdirSync(join(root, 'node_modules', '@countersign'), { recursive: true })
  for (const name of ['contract', 'server']) {
    writeSource(`${name}/package.json`, JSON.stringify({ type: 'module', exports: { './*': './src/*.ts' } }))
    symlinkSync(join(root, name), join(root, 'node_modules', '@countersign', name))
  }
  for (const name of ['typebox', 'typebox/value', 'fastify', 'undici', 'vitest']) {
    writeSource(`node_modules/${name}/index.js`, 'export const a = 1\n')
    writeSource(`node_modules/${name}/package.json`, JSON.stringify({ type: 'module', main: './index.js' }))
  }
}

function writeSource(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
