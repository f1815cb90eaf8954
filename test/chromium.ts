import { existsSync } from 'node:fs'

/** The browser for the tests in `e2e/`. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** The global setup of the project `browser`. */
export function setup(): void {
  if (!existsSync(CHROMIUM))
    throw new Error(`There is no Chromium at ${CHROMIUM}. Install it, or set CHROMIUM to its path.`)
}
