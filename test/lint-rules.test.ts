import { beforeAll, describe, expect, test } from 'vitest'
import { lint } from './lint.ts'

const FORBIDDEN: readonly (readonly [path: string, text: string, rule: string])[] = [
  ['server/src/default-function.ts', 'export default function a() {}', 'style/noDefaultExport'],
  ['server/src/default-value.ts', 'export default 1', 'style/noDefaultExport'],
  ['server/src/default-name.ts', 'const a = 1\nexport { a as default }', 'style/noDefaultExport'],
  ['sdk/src/entries/default.ts', 'const a = 1\nexport { a as default }', 'style/noDefaultExport'],
  ['server/src/all.ts', "export * from './a.ts'", 'performance/noBarrelFile'],
  ['server/src/named.ts', "export { a } from './a.ts'", 'performance/noBarrelFile'],
  ['sdk/src/entries/all.ts', "export * from '../wallet.ts'", 'performance/noReExportAll'],
  ['sdk/src/entries/all-as.ts', "export * as all from '../wallet.ts'", 'performance/noReExportAll'],
  ['sdk/src/any.ts', 'export let a: any', 'suspicious/noExplicitAny'],
  ['server/test/any.ts', 'export const a = b as Record<string, any>', 'suspicious/noExplicitAny'],
  ['sdk/src/ignored.ts', `// @ts-${'ignore'}\nexport const a = 1`, 'suspicious/noTsIgnore'],
  ['sdk/src/long.ts', 'a()\n'.repeat(400), 'style/noExcessiveLinesPerFile'],
  ['scripts/long.mjs', 'a()\n'.repeat(400), 'style/noExcessiveLinesPerFile'],
  ['server/src/long.test.ts', 'a()\n'.repeat(400), 'style/noExcessiveLinesPerFile'],
]

const ALLOWED: readonly (readonly [path: string, text: string])[] = [
  ['console/vite.config.ts', 'export default {}'],
  ['test/global-setup.ts', 'export default function setup() {}'],
  ['sdk/src/type.ts', "export type { A } from './a.ts'"],
  ['sdk/src/named.ts', 'export const a = 1\nexport function b() {}'],
  ['sdk/src/entries/wallet.ts', "export { Wallet } from '../wallet.ts'"],
  ['sdk/src/comment.ts', "// any\nexport const any = 'any'"],
  ['sdk/src/short.ts', 'a()\n'.repeat(399)],
]

let brokenRules: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  brokenRules = await lint(
    Object.fromEntries([...FORBIDDEN, ...ALLOWED].map(([path, text]) => [path, `${text}\n`])),
  )
})

describe('the linter', () => {
  test.each(FORBIDDEN)('reports %s for breaking a rule: %j', (path, _text, rule) => {
    expect(brokenRules.get(path)).toContain(rule)
  })

  test.each(ALLOWED)('accepts %s: %j', (path) => {
    expect(brokenRules.get(path)).toEqual([])
  })
})
