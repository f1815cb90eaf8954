import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT, ScriptError } from '../run.mjs'

const exec = promisify(execFile)

/** The programs that the test needs, each with its Debian package. */
export const PROGRAMS = {
  mmdebstrap: 'mmdebstrap',
  buildah: 'buildah',
  podman: 'podman',
  runc: 'runc',
  catatonit: 'catatonit',
  pip3: 'python3-pip',
}

/**
 * Runs a program, in the repository's folder unless `cwd` is given, and resolves with its standard output. If
 * it fails, rejects with a ScriptError that contains all its output.
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

/** Limits that can be set even on a machine that may not raise its own. */
const LIMITS = ['nofile=4096:4096', 'nproc=1024:1024']

/**
 * Makes podman run containers with runc on this machine's network: a test machine may itself be a container
 * that cannot create networks.
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

/** The podman-compose version that supports all health checks in compose.yaml. Debian's does not. */
const COMPOSE = 'podman-compose==1.6.*'

/**
 * Installs podman-compose from PyPI and resolves with a function that runs it.
 * @param {string} folder
 */
export async function installCompose(folder) {
  const target = join(folder, 'podman-compose')
  await output('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, COMPOSE])
  process.env.PYTHONPATH = target
  return (/** @type {readonly string[]} */ args, /** @type {string} */ cwd) =>
    output('python3', ['-m', 'podman_compose', ...args], cwd)
}

/** Lists the packages whose programs are missing. */
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
