import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkCommand } from '../server/src/edge/commands/arguments.ts'
import { readText } from './deploy-files.ts'
import { ROOT } from './projects.ts'

const run = promisify(execFile)

const CONNECTORS = readdirSync(join(ROOT, 'docs/connectors')).filter((name) => name.endsWith('.md'))
const GUIDES = [
  'docs/operations.md',
  'docs/deploy.md',
  'docs/backups.md',
  ...CONNECTORS.map((name) => `docs/connectors/${name}`),
]

/** Lists the lines of code in a guide: its code blocks with continued lines joined, and its inline code, without comments. */
function listCode(guide: string): string[] {
  const text = readText(guide)
  const blocks = [...text.matchAll(/^```.*\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? '')
  const lines = blocks.flatMap((code) => code.replaceAll(/\\\n\s*/g, '').split('\n'))
  const spans = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(
    ([, code]) => code ?? '',
  )
  return [...lines, ...spans.map((code) => code.replaceAll(/\s+/g, ' '))].map((line) =>
    line.replace(/\s+#.*$/, ''),
  )
}

/** A command in a guide: its words and options. */
interface Command {
  readonly words: string
  readonly options: readonly string[]
}

const COUNTERSIGN = /(?:^|npx |exec [^-]\S* |-- |\/bin\/)countersign((?: [a-z][a-z-]*)+)(.*)$/

/** Lists the calls of the `countersign` program in the guides, without duplicates. */
function listCountersignCommands(): Command[] {
  const found = new Map<string, Set<string>>()
  for (const line of GUIDES.flatMap(listCode)) {
    const [, words = '', rest = ''] = COUNTERSIGN.exec(line) ?? []
    if (words === '') continue
    const options = found.get(words.trim()) ?? new Set<string>()
    for (const [option] of rest.matchAll(/--[a-z][a-z-]*/g)) options.add(option)
    found.set(words.trim(), options)
  }
  return [...found].map(([words, options]) => ({ words, options: [...options] }))
}

describe('in the guides for operators,', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-packed-'))
    await run(process.execPath, [join(ROOT, 'scripts/package.mjs'), 'cli'])
    const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
      cwd: join(ROOT, 'cli'),
    })
    await run('tar', ['-xzf', join(folder, stdout.trim().split('\n').at(-1) ?? ''), '-C', folder])
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('the commands are found', () => {
    const words = listCountersignCommands().map((command) => command.words)
    expect(words).toEqual(
      expect.arrayContaining(['platform create', 'bank-files retry', 'verify', 'rails check']),
    )
    expect(words.length).toBeGreaterThan(20)
  })

  test.each(listCountersignCommands())(
    'countersign $words exists in the packed program, with its options',
    async ({ words, options }) => {
      const { bin } = JSON.parse(await readPacked('package.json')) as { bin: { countersign: string } }
      const program = join(folder, 'package', bin.countersign)
      const { stdout } = await run(process.execPath, [program, ...words.split(' '), '--help'], {
        cwd: folder,
      })
      expect(stdout).toMatch(new RegExp(`^Usage: countersign ${words}\\b`))
      for (const option of options) expect(stdout).toContain(option)
    },
  )

  async function readPacked(name: string): Promise<string> {
    return (await run('cat', [join(folder, 'package', name)])).stdout
  }

  test('calls of the server program name one of its commands', () => {
    const calls = GUIDES.flatMap(listCode).flatMap((line) => {
      const [, commandText = ''] = /server\/dist\/main\.js((?: [^ >&|]+)*)/.exec(line) ?? []
      return commandText.trim() === '' ? [] : [commandText.trim().split(' ')]
    })
    for (const args of calls) expect(() => checkCommand(args)).not.toThrow()
  })

  test('Docker commands name existing files and services, and a program of the image', () => {
    const lines = GUIDES.flatMap(listCode).filter((line) => line.startsWith('docker '))
    expect(lines.length).toBeGreaterThan(3)
    const { services } = parse(readText('deploy/compose.yaml'), { merge: true })
    for (const line of lines) {
      const [, file] = / -f (\S+)/.exec(line) ?? []
      if (file !== undefined) expect(existsSync(join(ROOT, file)), line).toBe(true)
      const [, compose, target = '', program] = /^docker (compose )?exec (\S+) (\S+)/.exec(line) ?? []
      if (program === undefined) continue
      if (compose !== undefined) expect(Object.keys(services)).toContain(target)
      // Covered by deploy.test.ts.
      expect(readText('deploy/Dockerfile')).toMatch(new RegExp(`> /usr/local/bin/${program} `))
    }
  })
})
