import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makePlatform } from './platform.testing.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What the guide needs and Node does not bring; and the sdk as it is built, because Node itself runs the script. */
const canRun =
  ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0) &&
  existsSync(join(ROOT, 'sdk/dist/countersign.js'))

/** The fenced blocks of a guide, in order. */
function blocksOf(text: string): { language: string; code: string }[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code]) => ({
    language: language!,
    code: code!,
  }))
}

test.skipIf(!canRun)('the guide to a first payment can be followed to its end, to the letter', async () => {
  const { baseUrl, tokenId, clientSecret } = await makePlatform()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-guide-'))
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const blocks = blocksOf(await readFile(join(ROOT, 'docs/first-payment.md'), 'utf8'))
    for (const { language, code } of blocks) {
      const name = /^\/\/ ([\w.-]+)\n/.exec(code)?.[1]
      if (language === 'js') await writeFile(join(folder, name!), code)
    }
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
    expect(commands.length).toBeGreaterThan(8)
    const { stdout, stderr } = await promisify(execFile)(
      'bash',
      ['-euo', 'pipefail', '-c', commands.join('\n')],
      {
        cwd: folder,
        env: { ...process.env, BASE: baseUrl, TOKEN_ID: tokenId, CLIENT_SECRET: clientSecret },
      },
    )
    expect(stderr).toContain('Pay 25.226131 USDB')
    expect(stdout.trim().split('\n').slice(1)).toEqual(['100000000', '25226131', 'PROCESSING', 'COMPLETED'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
