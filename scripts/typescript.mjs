import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './run.mjs'

/**
 * Imports a TypeScript module of the repository, which Node 20 cannot load itself.
 * @param {string} file from the repository's folder
 */
export async function importTypeScript(file) {
  const esbuild = await import('esbuild')
  const folder = join(ROOT, 'node_modules', '.cache', 'countersign')
  await mkdir(folder, { recursive: true })
  const outfile = join(folder, `${file.replace(/\W+/g, '-')}-${process.pid}.mjs`)
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // The sources of our other packages are TypeScript too. Installed packages stay outside.
    plugins: [
      {
        name: 'installed packages',
        setup: (build) =>
          build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
            path.startsWith('@countersign/') ? undefined : { path, external: true },
          ),
      },
    ],
    logLevel: 'warning',
  })
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    await rm(outfile, { force: true })
  }
}
