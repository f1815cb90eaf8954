import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'

/** A folder in which npm has installed the packed packages, created by `npm run test:packages`. */
const INSTALLED = readFolder('PACKAGES_FOLDER')
/** A folder with bundlers and other runtimes, from `tools/package.json`. */
const TOOLS = readFolder('PACKAGE_TOOLS')
const CONSUMER = fileURLToPath(new URL('./consumer', import.meta.url))

function readFolder(name: string): string {
  const path = process.env[name]
  if (path === undefined) throw new Error(`${name} is not set. Run these tests with: npm run test:packages`)
  return path
}

/** The path of a tool. The file may be missing if the tool was built for another system. */
export function getToolPath(path: string): string {
  return join(TOOLS, 'node_modules', path)
}

/**
 * Creates a project with the packages installed and the files of `from`, by default the consumer's. With
 * `withTools`, it can also import the tools. Delete it with `remove`.
 */
export async function makeProject({
  withTools,
  from = CONSUMER,
}: {
  readonly withTools: boolean
  readonly from?: string
}) {
  const path = await mkdtemp(join(withTools ? TOOLS : INSTALLED, 'project-'))
  if (withTools)
    await cp(join(INSTALLED, 'node_modules'), join(path, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    })
  await cp(from, path, { recursive: true })
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/**
 * Runs a program in a project, against a new platform unless `env` names one. If it fails, rejects with its
 * output.
 */
export async function run(
  path: string,
  file: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<string> {
  try {
    const options = { cwd: path, env: env ?? (await createEnvironment()) }
    return (await promisify(execFile)(file, [...args], options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${file} ${args.join(' ')} failed.\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** Creates a platform, and returns the environment variables for its programs. */
export async function createEnvironment(): Promise<NodeJS.ProcessEnv> {
  const response = await fetch(inject('platformMaker'), { method: 'POST' })
  const { tokenId, clientSecret } = (await response.json()) as { tokenId: string; clientSecret: string }
  const { NODE_ENV: _, NODE_OPTIONS: __, VITEST: ___, ...env } = process.env
  return {
    ...env,
    COUNTERSIGN_BASE_URL: inject('baseUrl'),
    COUNTERSIGN_TOKEN_ID: tokenId,
    COUNTERSIGN_CLIENT_SECRET: clientSecret,
    BASE: inject('baseUrl'),
    TOKEN_ID: tokenId,
    CLIENT_SECRET: clientSecret,
    NEXT_TELEMETRY_DISABLED: '1',
  }
}
