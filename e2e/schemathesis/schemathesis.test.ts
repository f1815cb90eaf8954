import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openServer } from '../../server/test/worlds/server.testing.ts'

/** The path of Schemathesis, which `npm run test:schemathesis` installs. */
const PROGRAM = process.env.SCHEMATHESIS ?? ''
const SECONDS = process.env.SCHEMATHESIS_SECONDS ?? '100'
const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url))

/**
 * Checks that hold for any call. Whether a valid body is accepted depends on records, and made-up ids do not
 * exist.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'missing_required_header',
  'unsupported_method',
  'ignored_auth',
  'negative_data_rejection',
]

test.skipIf(PROGRAM === '')('every response to a call by Schemathesis matches its description', async () => {
  const own = await openServer()
  try {
    const { authorization, baseUrl } = await own.newPlatform()
    const options = {
      header: `Authorization:${authorization}`,
      phases: 'coverage,fuzzing',
      checks: CHECKS.join(','),
      'max-time': SECONDS,
      'suppress-health-check': 'all',
      warnings: 'off',
      seed: '34',
    }
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    const program = spawn(
      PROGRAM,
      ['--config-file', CONFIG, 'run', ...args, '--no-color', `${baseUrl}/openapi.json`],
      { cwd: own.dataDir, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let output = ''
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (bytes: Buffer) => {
        output += bytes.toString()
      })
    const [code] = await once(program, 'close')
    expect(code, output.slice(-20_000)).toBe(0)
    const [, tried = '0'] = /Test cases:\s+([\d,]+) generated/i.exec(output) ?? []
    expect(Number(tried.replaceAll(',', '')), output.slice(0, 2_000)).toBeGreaterThan(100)
  } finally {
    await own.close()
  }
})
