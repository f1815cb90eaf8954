import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT, ScriptError } from '../run.mjs'

const exec = promisify(execFile)

/** The programs that the test needs, each with its package of Debian. */
export const PROGRAMS = {
  mmdebstrap: 'mmdebstrap',
  buildah: 'buildah',
  podman: 'podman',
  runc: 'runc',
  catatonit: 'catatonit',
  pip3: 'python3-pip',
}

/**
 * Runs a program, in the repository's folder unless `cwd` names another one, and resolves to its standard output. Rejects with a ScriptError that has all of its
 * output if it fails.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
export async function output(program, args, cwd = ROOT) {
  try {
    return (await exec(program, [...args], { cwd, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
  } catch (error) {
    const { stdout = '', stderr = '' } = /** @type {{ stdout?: string, stderr?: string }} */ (error)
    throw new ScriptError(`${program} ${args.join(' ')} failed.\n${stdout}${stderr}`)
  }
}

/** @param {readonly string[]} args */
export function podman(...args) {
  return output('podman', args)
}

/** Limits that can also be set on a machine without the right to raise its own. */
const LIMITS = ['nofile=4096:4096', 'nproc=1024:1024']

/**
 * Has podman run containers with runc on this machine's network: a test machine may itself be a container that cannot create
 * networks.
 * @param {string} folder for the settings
 */
export function configurePodman(folder) {
  const file = join(folder, 'containers.conf')
  const limits = LIMITS.map((limit) => `"${limit}"`).join(', ')
  writeFileSync(
    file,
    `[containers]\nnetns = "host"\ndefault_ulimits = [${limits}]\n[engine]\nruntime = "runc"\n`,
  )
  process.env.CONTAINERS_CONF = file
}

/** The line of podman-compose that understands every health check of compose.yaml; Debian's does not. */
const COMPOSE = 'podman-compose==1.6.*'

/**
 * Installs podman-compose from PyPI, and resolves to a function that runs it.
 * @param {string} folder
 */
export async function installCompose(folder) {
  const target = join(folder, 'podman-compose')
  await output('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, COMPOSE])
  process.env.PYTHONPATH = target
  return (/** @type {readonly string[]} */ args, /** @type {string} */ cwd) =>
    output('python3', ['-m', 'podman_compose', ...args], cwd)
}

/** The packages whose programs are missing. */
export async function missingPackages() {
  const found = await Promise.all(
    Object.entries(PROGRAMS).map(([program, name]) =>
      exec('sh', ['-c', `command -v ${program}`]).then(
        () => [],
        () => [name],
      ),
    ),
  )
  return found.flat()
}
