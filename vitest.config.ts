import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/long-first.ts'
import { PlainReporter } from './test/plain-reporter.ts'
import { SDK_ALIAS } from './test/sdk-alias.ts'

const globalSetup = fileURLToPath(new URL('./test/globalSetup.ts', import.meta.url))

export default defineConfig({
  resolve: { alias: SDK_ALIAS },
  test: {
    include: [
      '{contract,server,sdk,cli,bench}/src/**/*.test.ts',
      '{server,sdk,cli,sim}/test/**/*.test.ts',
      '{connectors,contracts,test}/**/*.test.ts',
      // The others of this folder drive a browser: vitest.browser.config.ts.
      'e2e/backend.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    pool: 'forks',
    // Loading the sources anew for each file would take as long as many of the files. No test may change a module.
    isolate: false,
    // The embedded databases that tests open themselves live for seconds, too short for their code to be optimized.
    // Threads that help to collect garbage have no core to themselves beside the other process and the server.
    execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--single-threaded-gc'],
    // One more than cores: many tests wait for processes that they have started.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    // Only for ending what hangs: a loaded machine may need several times what is usual.
    testTimeout: 60_000,
    // Worlds of several platforms are made there.
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', new PlainReporter()],
  },
})
