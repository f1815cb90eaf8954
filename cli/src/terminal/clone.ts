import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder above the package. In a clone it is the repository's; the compiled program is `cli/dist/main.js`. */
export const ROOT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../..' : '../..', import.meta.url),
)

/** False in an installed package, which has no server to start. */
export const IS_CLONE = existsSync(join(ROOT, 'scripts', 'build.mjs'))

/** The advice for a command that has no server. */
export const GET_A_SERVER = IS_CLONE
  ? 'Log in to a server (countersign login), or start one in another terminal: npm start'
  : 'Log in to a server: countersign login'
