import { existsSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import shared from './vitest.config.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(CHROMIUM))
  throw new Error(`There is no Chromium at ${CHROMIUM}. Install it, or set CHROMIUM to its path.`)
process.env.CHROMIUM = CHROMIUM

const { test, ...rest } = shared

/** Tests that drive Chromium, for `npm run test:browser`. What they show does not depend on the database. */
export default mergeConfig(
  { ...rest, test: { ...test, include: [], exclude: [] } },
  defineConfig({
    test: {
      include: ['e2e/**/*.test.ts'],
      exclude: ['e2e/packages/**', 'e2e/generated-clients/**', 'e2e/backend.test.ts'],
    },
  }),
)
