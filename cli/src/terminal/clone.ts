import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder that contains the package: in a clone, the root of the repository. The compiled program is
 * `cli/dist/main.js`.
 */
export const ROOT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../..' : '../..', import.meta.url),
)

/** False in an installed package, which does not include the server. */
export const IS_CLONE = existsSync(join(ROOT, 'scripts', 'build.mjs'))

/** Advice for commands that found no server to connect to. */
export const GET_A_SERVER = IS_CLONE
  ? 'Log in to a server (countersign login), or start one in another terminal: npm start'
  : 'Log in to a server: countersign login'
