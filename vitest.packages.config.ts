import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { PlainReporter } from './test/plain-reporter.ts'

/** The tests of the packed packages, which `npm run test:packages` packs and installs first. */
export default defineConfig({
  test: {
    include: ['e2e/packages/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('./test/globalSetup.ts', import.meta.url))],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', new PlainReporter()],
  },
})
