// Builds the image of deploy/Dockerfile and runs it as described in docs/deploy.md: with the guide's command, and with
// deploy/compose.yaml. Needs Debian, root, and the programs listed in scripts/container/programs.mjs. Exits with 0
// only if every check passed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { tryCommand } from './container/command.mjs'
import { tryCompose } from './container/compose.mjs'
import { buildServerImage, makeBaseImages, makeServiceImages } from './container/images.mjs'
import { configurePodman, missingPackages, podman } from './container/programs.mjs'
import { ensureInstalled } from './install.mjs'
import { runScript, ScriptError, say } from './run.mjs'

const IMAGE = 'countersign'
const SIZE_MAX = 250_000_000

await runScript(async () => {
  const missing = await missingPackages()
  if (missing.length > 0)
    throw new ScriptError(`Missing: ${missing.join(', ')}. On Debian: apt-get install ${missing.join(' ')}`)
  if (process.getuid?.() !== 0) throw new ScriptError('The image is built as root.')
  await ensureInstalled()
  await ensureBuilt(['cli'])
  const folder = mkdtempSync(join(tmpdir(), 'countersign-container-'))
  try {
    configurePodman(folder)
    await makeBaseImages(folder)
    await buildServerImage(folder, IMAGE)
    const size = Number(await podman('image', 'inspect', '--format={{.Size}}', IMAGE))
    say(`The image has ${Math.round(size / 1e6)} MB.`)
    if (size >= SIZE_MAX) throw new ScriptError(`More than ${SIZE_MAX / 1e6} MB.`)
    await tryCommand(folder)
    await makeServiceImages(folder)
    await tryCompose(folder)
    say('All checks passed.')
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})
