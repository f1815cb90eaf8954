import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureInstalled } from './install.mjs'
import { ROOT, runScript } from './run.mjs'

await runScript(async () => {
  await ensureInstalled()
  const esbuild = await import('esbuild')
  const folder = join(ROOT, 'node_modules', '.cache', 'countersign')
  await mkdir(folder, { recursive: true })
  const outfile = join(folder, 'chain.mjs')
  // Two may start at the same time.
  const part = `${outfile}.${process.pid}`
  await esbuild.build({
    entryPoints: [join(ROOT, 'contracts', 'main.ts')],
    outfile: part,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  await rename(part, outfile)
  // Runs in this process, so that a signal reaches it and no process is left behind.
  await import(pathToFileURL(outfile).href)
})
