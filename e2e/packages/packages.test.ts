import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEnvironment, getToolPath, makeProject, run } from './installed.testing.ts'

/** The output of `import.mjs` after a payment. */
const PAID = {
  status: 'COMPLETED',
  sent: 'bigint',
  shown: 1,
  refused: expect.stringMatching(/^[A-Z_]+$/),
  publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
  others: ['function', 'function', 'function'],
}

interface WebpackStats {
  toJson(): Readonly<Record<'errors' | 'warnings', readonly { readonly message: string }[]>>
}

type Project = Awaited<ReturnType<typeof makeProject>>

describe('in an empty folder', () => {
  let project: Project

  beforeAll(async () => {
    project = await makeProject({ withTools: false })
  })
  afterAll(() => project.remove())

  test('Node imports the sdk and pays', async () => {
    expect(JSON.parse(await run(project.path, process.execPath, ['import.mjs']))).toEqual(PAID)
  })

  test('Node requires the sdk and pays', async () => {
    expect(JSON.parse(await run(project.path, process.execPath, ['require.cjs']))).toEqual(PAID)
  })

  const bun = getToolPath('@oven/bun-linux-x64/bin/bun')
  test.skipIf(!existsSync(bun))('Bun imports the sdk and pays', async () => {
    expect(JSON.parse(await run(project.path, bun, ['import.mjs']))).toEqual(PAID)
  })

  const deno = getToolPath('@deno/linux-x64-glibc/deno')
  test.skipIf(!existsSync(deno))('Deno imports the sdk and pays', async () => {
    const args = [
      'run',
      '--node-modules-dir=manual',
      '--allow-net',
      '--allow-env',
      '--allow-read',
      'import.mjs',
    ]
    expect(JSON.parse(await run(project.path, deno, args))).toEqual(PAID)
  })

  test('the program of the README pays', async () => {
    const readme = await readFile(join(project.path, '../node_modules/@countersign/sdk/README.md'), 'utf8')
    const program = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code).join('\n')
    await writeFile(join(project.path, 'readme.mjs'), program)
    expect(await run(project.path, process.execPath, ['readme.mjs'])).toMatch(/\nCOMPLETED\n$/)
  })

  test.each(['nodenext', 'bundler'])(
    'the declarations compile under %s, those of packages checked too',
    async (name) => {
      const isBundler = name === 'bundler'
      const compilerOptions = {
        target: 'es2022',
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: [],
        module: isBundler ? 'preserve' : 'nodenext',
        moduleResolution: name,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
      }
      const file = `tsconfig.${name}.json`
      await writeFile(
        join(project.path, file),
        JSON.stringify({ compilerOptions, files: ['types.mts', 'types.cts'] }),
      )
      expect(await run(project.path, process.execPath, [getToolPath('typescript/bin/tsc'), '-p', file])).toBe(
        '',
      )
    },
  )

  test('the command line tool pays as well', async () => {
    const { BASE: baseUrl, TOKEN_ID: tokenId, CLIENT_SECRET: clientSecret } = await createEnvironment()
    await writeFile(
      join(project.path, 'credentials.json'),
      JSON.stringify({ baseUrl, tokenId, clientSecret }),
    )
    const args = ['--no', '--', 'countersign', 'demo', '--credentials', 'credentials.json']
    expect(await run(project.path, 'npx', args)).toMatch(/status +COMPLETED/)
  })

  test('the command line tool prints its version and explains what requires a clone of the repository', async () => {
    const { version } = await import('../../package.json', { with: { type: 'json' } })
    expect(await run(project.path, 'npx', ['--no', '--', 'countersign', '--version'])).toBe(`${version}\n`)
    await expect(run(project.path, 'npx', ['--no', '--', 'countersign', 'serve'])).rejects.toThrow(
      'This command needs the server, which is not part of this package. Run it in a clone of the repository.',
    )
  })
})

describe('bundled for a browser', () => {
  let project: Project

  beforeAll(async () => {
    project = await makeProject({ withTools: true })
  })
  afterAll(() => project.remove())

  test('the sdk pays when bundled by Vite', async () => {
    const { build } = await import(pathToFileURL(getToolPath('vite/dist/node/index.js')).href)
    const outDir = join(project.path, 'out-vite')
    // Vite's polyfill for old browsers needs a page.
    const settings = { outDir, modulePreload: false }
    await build({ root: project.path, configFile: false, logLevel: 'silent', build: settings })
    const script = (await readdir(join(outDir, 'assets'))).find((name) => name.startsWith('index-'))
    await expectToPay(join(outDir, 'assets', script!))
  })

  test('the sdk pays when bundled by webpack', async () => {
    const { default: webpack } = await import(pathToFileURL(getToolPath('webpack/lib/index.js')).href)
    const path = join(project.path, 'out-webpack')
    const problems = await new Promise((resolve, reject) => {
      const settings = {
        mode: 'production',
        context: project.path,
        entry: './import.mjs',
        target: 'web',
        performance: false,
        output: { path, filename: 'main.mjs', module: true, chunkFormat: 'module' },
        experiments: { outputModule: true },
      }
      webpack(settings, (error: Error | null, stats: WebpackStats) => {
        if (error) return reject(error)
        const { errors, warnings } = stats.toJson()
        resolve([...errors, ...warnings].map(({ message }) => message))
      })
    })
    expect(problems).toEqual([])
    await expectToPay(join(path, 'main.mjs'))
  })

  async function expectToPay(bundle: string): Promise<void> {
    expect(JSON.parse(await run(project.path, process.execPath, ['run-bundle.mjs', bundle]))).toEqual(PAID)
  }
})

describe('in a Next.js app', () => {
  let project: Project

  beforeAll(async () => {
    project = await makeProject({ withTools: true })
  })
  afterAll(() => project.remove())

  test('the sdk builds, shows the wallet on a page and pays from the server', async () => {
    const app = join(project.path, 'next')
    // Turbopack reads nothing above its root.
    const root = join(project.path, '..')
    await writeFile(join(app, 'next.config.mjs'), `export default ${JSON.stringify({ turbopack: { root } })}`)
    const next = getToolPath('next/dist/bin/next')
    await run(app, process.execPath, [next, 'build'])
    const server = spawn(process.execPath, [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], {
      cwd: app,
      env: await createEnvironment(),
    })
    try {
      const address = await new Promise<string>((resolve, reject) => {
        let output = ''
        server.stdout.setEncoding('utf8').on('data', (text: string) => {
          output += text
          const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
          if (url && output.includes('Ready')) resolve(url)
        })
        server.once('close', () => reject(new Error(`Next.js ended: ${output}`)))
      })
      const page = await (await fetch(address)).text()
      expect(page).toContain('Make a key')
      // The kit, rendered on the server.
      expect(page).toContain('cs-section')
      const paid = await fetch(`${address}/pay`, { method: 'POST' })
      expect(await paid.json()).toEqual({ ...PAID, others: undefined })
    } finally {
      server.kill()
    }
  })
})
