import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const ROOM = fileURLToPath(new URL('..', import.meta.url))

/**
 * The maximum compressed size of each minified bundle with all imports, in kilobytes of 1,000 bytes.
 */
const LIMITS = [
  { what: 'a key of a device', code: `export { DeviceKey } from '@countersign/sdk/wallet'`, kilobytes: 8 },
  { what: 'a wallet', code: `export { Wallet } from '@countersign/sdk/wallet'`, kilobytes: 25 },
  { what: 'the whole client', code: `export * from '@countersign/sdk'`, kilobytes: 31 },
] as const

// Measures the built package: `npm test` builds it first.
describe.skipIf(!existsSync(`${ROOM}/dist/index.js`))('in a page', () => {
  test.each(LIMITS)('$what weighs at most $kilobytes kB', async ({ what, code, kilobytes }) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: code, resolveDir: ROOM },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      // Without the paths that lead to sources, the package resolves as for its users.
      tsconfigRaw: '{}',
      write: false,
      metafile: true,
      logLevel: 'silent',
    })
    const bytes = gzipSync(outputFiles[0]!.contents, { level: 9 }).length
    console.info(
      `${what}: ${(bytes / 1000).toFixed(1)} kB of ${kilobytes} kB\n${listHeaviest(metafile.outputs)}`,
    )
    expect(bytes).toBeLessThanOrEqual(kilobytes * 1000)
  })
})

/** Lists the largest parts of a bundle, before compression. */
function listHeaviest(
  outputs: Readonly<Record<string, { inputs: Record<string, { bytesInOutput: number }> }>>,
): string {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .slice(0, 5)
    .map(([path, { bytesInOutput }]) => `  ${bytesInOutput} bytes ${path}`)
    .join('\n')
}
