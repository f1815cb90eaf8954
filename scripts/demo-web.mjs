import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runNode, runScript, ScriptError } from './run.mjs'

/** Runs the example web app: a sandbox, a backend and a page. `--port` sets the page's port (default 3000). */
await runScript(async () => {
  const [flag, port = '3000', ...rest] = process.argv.slice(2)
  if ((flag !== undefined && flag !== '--port') || rest.length > 0 || !/^\d{1,5}$/.test(port))
    throw new ScriptError('Usage: npm run demo:web [-- --port 3000]')
  await ensureInstalled()
  await ensureBuilt(['server', 'console'])
  const esbuild = await import('esbuild')
  const folder = join(ROOT, 'node_modules', '.cache', 'countersign')
  await mkdir(folder, { recursive: true })
  const outfile = join(folder, 'demo-web.mjs')
  // Write to a temporary file first: two runs may start at the same time.
  const tempFile = `${outfile}.${process.pid}`
  await esbuild.build({
    entryPoints: [join(ROOT, 'examples', 'web', 'main.ts')],
    outfile: tempFile,
    bundle: true,
    external: ['esbuild'],
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  await rename(tempFile, outfile)
  return await runNode('node_modules/.cache/countersign/demo-web.mjs', [ROOT, port])
})
