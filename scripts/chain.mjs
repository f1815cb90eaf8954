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
  // Write to a temporary file first: two runs may start at the same time.
  const tempFile = `${outfile}.${process.pid}`
  await esbuild.build({
    entryPoints: [join(ROOT, 'contracts', 'main.ts')],
    outfile: tempFile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  await rename(tempFile, outfile)
  // Runs in this process, so that signals reach it and no process is left behind.
  await import(pathToFileURL(outfile).href)
})
