import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BIOME = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')

/**
 * Lists the rules that each of the given files violates, such as `performance/noBarrelFile`, by path. Uses
 * the repository's biome.json.
 */
export async function lint(files: Readonly<Record<string, string>>): Promise<Map<string, string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-lint-'))
  try {
    const { vcs: _, $schema: __, ...config } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'))
    const all = { ...files, 'biome.json': JSON.stringify(config) }
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const output = await new Promise<string>((resolve) =>
      execFile(
        process.execPath,
        [BIOME, 'lint', '--reporter=github', '--max-diagnostics=none', '.'],
        { cwd: folder },
        (_error, stdout) => resolve(stdout),
      ),
    )
    const violations = new Map<string, string[]>(Object.keys(files).map((path) => [path, []]))
    for (const [, rule, path] of output.matchAll(/^::\w+ title=lint\/([\w/]+),file=([^,]+),/gm))
      violations.get(path!.replace(`${folder}/`, ''))?.push(rule!)
    return violations
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
