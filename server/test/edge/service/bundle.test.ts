import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { ensureServerBuilt } from '../../worlds/server-process.testing.ts'

const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url))

beforeAll(ensureServerBuilt)

/** The files that Node loads before the first line of `file` runs, with their source. */
function loadedWith(file: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(file)) return found
  const text = readFileSync(join(DIST, file), 'utf8')
  found.set(file, text)
  for (const [, path] of text.matchAll(/^(?:\} from|import) "\.\/([^"]+\.js)";$/gm))
    loadedWith(basename(path!), found)
  return found
}

/** The file that `file` loads later by `import()`, by the module's name. */
function loadedLater(file: string, module: string): string {
  const [, found] = new RegExp(`import\\("\\./(${module}-\\w+\\.js)"\\)`).exec(
    readFileSync(join(DIST, file), 'utf8'),
  )!
  return found!
}

test('a mistyped command is refused without loading the service', () => {
  const texts = [...loadedWith('main.js').values()]
  expect(texts.reduce((bytes, text) => bytes + text.length, 0)).toBeLessThan(100_000)
})

test('a start loads no library that only some servers or requests need', () => {
  const text = [...loadedWith(loadedLater('main.js', 'serve')).values()].join('')
  expect(text).toContain('// node_modules/fastify/')
  for (const name of ['@simplewebauthn/server', 'nodemailer', '@opentelemetry/sdk-trace', 'viem', 'marked'])
    expect(text.includes(`// node_modules/${name}/`), name).toBe(false)
})
