// Plants faults in the server, one at a time, and holds that the simulation finds each.
//   node scripts/sim-planted.mjs   some minutes
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PLANTED } from '../sim/planted.mjs'
import { buildProgram, ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runScript, say } from './run.mjs'

/** Each fault must be found in one of so many seeds. */
const SEEDS = 100

/**
 * Replaces one text of one file while a program is built.
 * @param {(typeof PLANTED)[number]} fault
 * @returns {import('esbuild').Plugin}
 */
function planting({ name, file, find, replace }) {
  const path = join(ROOT, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(find).length !== 2)
    throw new Error(`${name}: its place in ${file} is there no more, or twice.`)
  return {
    name: 'planting',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, (args) =>
        args.path === path ? { contents: text.replace(find, () => replace), loader: 'ts' } : undefined,
      )
    },
  }
}

/**
 * What the simulation prints, with exit code 0 or 1.
 * @param {string} file
 * @returns {Promise<string>}
 */
function outputOf(file) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [file, '--seeds', String(SEEDS), '--until-wrong'], (error, stdout) => {
      if (error && error.code !== 1) reject(error)
      else resolve(stdout)
    })
  })
}

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt()
  let missed = 0
  for (const [at, fault] of PLANTED.entries()) {
    const folder = join(ROOT, 'sim/dist/planted', String(at))
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'main.js')
    await buildProgram('sim/src/main.ts', file, [planting(fault)])
    const begun = performance.now()
    const seed = /^Seed (\d+): (.*)/m.exec(await outputOf(file))
    const isFound = seed !== null
    if (!isFound) missed += 1
    const seconds = Math.round((performance.now() - begun) / 1000)
    say(
      `${isFound ? 'Found ' : 'MISSED'} in ${seconds} s: ${fault.name}${seed ? ` (seed ${seed[1]}: ${seed[2]?.slice(0, 100)})` : ''}`,
    )
    rmSync(folder, { recursive: true, force: true })
  }
  say(`${PLANTED.length - missed} passed, ${missed} failed`)
  return missed === 0 ? 0 : 1
})
