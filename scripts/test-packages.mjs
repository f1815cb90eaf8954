import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withPackages } from './packages.mjs'
import { runScript, say } from './run.mjs'
import { ensureTools, npmInstall, runToolTests } from './tools.mjs'

/**
 * Runs the package tests: packs the packages and installs them with npm in an empty folder. Needs npm's
 * registry.
 */
await runScript(() =>
  withPackages(async (packages, folder) => {
    // Bundlers treat files inside `node_modules` differently from an app's own, so the tools are in a
    // separate folder.
    process.env.PACKAGE_TOOLS = await ensureTools('packages')
    const installed = join(folder, 'installed')
    mkdirSync(installed)
    writeFileSync(join(installed, 'package.json'), '{ "private": true }\n')
    say('Installing the packages into an empty folder …')
    await npmInstall(
      installed,
      packages.map(({ tarball }) => tarball),
    )
    process.env.PACKAGES_FOLDER = installed
    return runToolTests('packages')
  }),
)
