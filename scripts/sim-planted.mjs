// Plants faults in the server, one at a time, and checks that the simulation finds each of them.
//   node scripts/sim-planted.mjs   takes a few minutes
import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { PLANTED } from '../sim/planted.mjs'
import { ensureBuilt } from './build.mjs'
import { buildProgram } from './compile.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runScript, say } from './run.mjs'

/** The number of seeds in which each fault must be found at least once. */
const SEEDS = 200

/**
 * Replaces one string in one file while a program is built.
 * @param {(typeof PLANTED)[number]} fault
 * @returns {import('esbuild').Plugin}
 */
function plantFault({ name, file, find, replace }) {
  const path = join(ROOT, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(find).length !== 2)
    throw new Error(`${name}: the string to replace was not found in ${file}, or found more than once.`)
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
 * Runs the simulation and returns its output. It must exit with 0 or 1.
 * @param {string} file
 * @returns {Promise<string>}
 */
function runSimulation(file) {
  const options = ['--seeds', String(SEEDS), '--until-wrong', '--jobs', '1']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [file, ...options], (error, stdout) => {
      if (error && error.code !== 1) reject(error)
      else resolve(stdout)
    })
  })
}

/**
 * Builds the simulation with a fault in it, and runs it. Returns true if the fault was found.
 * @param {(typeof PLANTED)[number]} fault
 * @param {string} file
 */
async function isFound(fault, file) {
  const startedMs = performance.now()
  await buildProgram('sim/src/main.ts', file, [plantFault(fault)])
  const [, seed, reason] = /^Seed (\d+): (.*)/m.exec(await runSimulation(file)) ?? []
  rmSync(file, { force: true })
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  say(
    `${seed ? 'Found ' : 'MISSED'} in ${seconds} s: ${fault.name}${seed ? ` (seed ${seed}: ${reason?.slice(0, 160)})` : ''}`,
  )
  return seed !== undefined
}

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['sim'])
  const remaining = [...PLANTED.entries()]
  let missed = 0
  const runQueue = async () => {
    for (let next = remaining.shift(); next; next = remaining.shift())
      if (!(await isFound(next[1], join(ROOT, 'sim/dist', `planted-${next[0]}.js`)))) missed += 1
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runQueue))
  say(`${PLANTED.length - missed} passed, ${missed} failed`)
  return missed === 0 ? 0 : 1
})
