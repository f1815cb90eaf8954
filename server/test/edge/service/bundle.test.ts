import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { ensureServerBuilt } from '../../worlds/server-process.testing.ts'

const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url))

beforeAll(ensureServerBuilt)

/** The files that Node loads before the first line of `file` runs, with their source. */
function readLoadedFiles(file: string, files = new Map<string, string>()): Map<string, string> {
  if (files.has(file)) return files
  const text = readFileSync(join(DIST, file), 'utf8')
  files.set(file, text)
  for (const [, path] of text.matchAll(/^(?:\} from|import) "\.\/([^"]+\.js)";$/gm))
    readLoadedFiles(basename(path!), files)
  return files
}

/** The file that `file` loads later by `import()` of the module. */
function findLazyFile(file: string, module: string): string {
  const [, lazyFile] = new RegExp(`import\\("\\./(${module}-\\w+\\.js)"\\)`).exec(
    readFileSync(join(DIST, file), 'utf8'),
  )!
  return lazyFile!
}

test('a mistyped command is refused without loading the service', () => {
  const texts = [...readLoadedFiles('main.js').values()]
  expect(texts.reduce((bytes, text) => bytes + text.length, 0)).toBeLessThan(100_000)
})

test('the server starts without libraries that only some servers or requests need', () => {
  const text = [...readLoadedFiles(findLazyFile('main.js', 'serve')).values()].join('')
  expect(text).toContain('// node_modules/fastify/')
  for (const name of ['@simplewebauthn/server', 'nodemailer', '@opentelemetry/sdk-trace', 'viem', 'marked'])
    expect(text.includes(`// node_modules/${name}/`), name).toBe(false)
})
