import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { PlainReporter } from './test/plain-reporter.ts'
import { SDK_ALIAS } from './test/sdk-alias.ts'

/** Tests that need tools of their own, which `npm run test:packages` and `npm run test:clients` install first. */
export default defineConfig({
  resolve: { alias: SDK_ALIAS },
  test: {
    include: ['e2e/packages/*.test.ts', 'e2e/generated-clients/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('./test/globalSetup.ts', import.meta.url))],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', new PlainReporter()],
  },
})
