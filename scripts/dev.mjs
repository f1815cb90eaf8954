// Runs the server, rebuilt and restarted after every change to its sources, and the console with hot reload, in one
// terminal.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { forgetBuild, TARGETS } from './build.mjs'
import { buildOptions } from './compile.mjs'
import { ensureGenerated } from './generate.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runScript, say } from './run.mjs'

const CONSOLE_PORT = 5173
const { PORT = '8787', PUBLIC_URL = `http://localhost:${CONSOLE_PORT}` } = process.env

/**
 * Serves the console from its sources. All other requests are forwarded to the server, so that the page has a
 * single origin.
 */
async function serveConsole() {
  const { createServer } = await import('vite')
  const console = await createServer({
    configFile: join(ROOT, 'console', 'vite.config.ts'),
    server: {
      port: CONSOLE_PORT,
      strictPort: true,
      proxy: { '^/(?!console/)': `http://127.0.0.1:${PORT}` },
    },
    clearScreen: false,
  })
  return console.listen()
}

/**
 * Builds the server into its `dist` folder, and again after every change. Returns a function that stops this.
 * @param {() => Promise<void>} onBuilt
 */
async function watchServer(onBuilt) {
  const { context } = await import('esbuild')
  forgetBuild('server')
  const options = await buildOptions('server', { ...TARGETS.server, isSplit: false })
  /** @type {import('esbuild').Plugin} */
  const reporting = {
    name: 'reporting',
    setup(build) {
      build.onEnd(async ({ errors }) => {
        // esbuild has already printed the errors. The server of the previous build keeps running.
        if (errors.length > 0) return
        await ensureGenerated()
        await onBuilt()
      })
    },
  }
  const [program, worker] = await Promise.all(
    options.map((one, at) =>
      context(at === 0 ? { ...one, plugins: [...(one.plugins ?? []), reporting] } : one),
    ),
  )
  await worker?.rebuild()
  await program?.watch()
  return async () => {
    await Promise.all([program?.dispose(), worker?.dispose()])
  }
}

class Server {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child
  #isStopped = false

  async restart() {
    await this.#end()
    if (this.#isStopped) return
    const main = join(ROOT, 'server', 'dist', 'main.js')
    this.#child = spawn(process.execPath, ['--enable-source-maps', main], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, PORT, PUBLIC_URL },
    })
    this.#child.once('exit', (code) => {
      if (code !== 0 && code !== null) say('The server has ended. It starts again after the next change.')
    })
  }

  stop() {
    this.#isStopped = true
    return this.#end()
  }

  async #end() {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

await runScript(async () => {
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve)
  })
  await ensureInstalled()
  await ensureGenerated()
  const console = await serveConsole()
  const server = new Server()
  const stopWatching = await watchServer(() => server.restart())
  await interrupted
  await stopWatching()
  await console.close()
  await server.stop()
  return 0
})
