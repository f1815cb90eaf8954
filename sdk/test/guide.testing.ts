import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makePlatform } from './platform.testing.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The packages that the guides need beside Node, and the built sdk, because Node itself runs the scripts. */
export const canRunGuides =
  ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0) &&
  existsSync(join(ROOT, 'sdk/dist/index.js'))

export interface Block {
  readonly language: string
  readonly code: string
}

/** The fenced blocks of a guide, in order. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code]) => ({
    language: language!,
    code: code!,
  }))
}

/** The scripts by name. A block names its script in its first line; a script can go on in a later block. */
function scriptsOf(blocks: readonly Block[]): Map<string, string> {
  const scripts = new Map<string, string>()
  for (const { language, code } of blocks) {
    const [, name] = /^\/\/ ([\w-]+\.mjs)(?:, continued)?\n/.exec(code) ?? []
    if (language === 'js') scripts.set(name!, (scripts.get(name!) ?? '') + code)
  }
  return scripts
}

/**
 * Follows a guide of `docs/` to the letter, against its own platform: saves each `js` block and runs the `sh` blocks as
 * one script, which stops at the first failing command. Skips other blocks.
 */
export async function runGuide(file: string): Promise<{ stdout: string; stderr: string }> {
  const { baseUrl, tokenId, clientSecret } = await makePlatform()
  return runCommands(file, { BASE: baseUrl, TOKEN_ID: tokenId, CLIENT_SECRET: clientSecret })
}

/** The same for a guide that starts a server of its own; `env` is what it reads from the environment. */
export async function runCommands(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<{ stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-guide-'))
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const blocks = blocksOf(await readFile(join(ROOT, 'docs', file), 'utf8'))
    for (const [name, code] of scriptsOf(blocks)) await writeFile(join(folder, name), code)
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
    return await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
      cwd: folder,
      env: { ...process.env, ...env },
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
