import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { PlainReporter } from './test/plain-reporter.ts'

const globalSetup = fileURLToPath(new URL('./test/globalSetup.ts', import.meta.url))

export default defineConfig({
  test: {
    include: [
      '{contract,server,sdk,cli,bench}/src/**/*.test.ts',
      '{server,sdk,cli}/test/**/*.test.ts',
      '{test,e2e}/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: ['default', new PlainReporter()],
  },
})
