import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { SDK_ALIAS } from '../test/sdk-alias.ts'

const ROOM = fileURLToPath(new URL('.', import.meta.url))

/** The server replaces it with a new nonce in every response. */
const NONCE = '__NONCE__'

/** Compresses each file once, here, because the server would have to do it for every browser. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir }) {
      const assets = join(dir!, 'assets')
      for (const name of readdirSync(assets)) {
        const bytes = readFileSync(join(assets, name))
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
        writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, { params }))
        writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  root: ROOM,
  base: '/console/',
  plugins: [react(), compressed()],
  resolve: { alias: SDK_ALIAS },
  html: { cspNonce: NONCE },
  build: {
    target: 'es2022',
    outDir: join(ROOM, 'dist'),
    emptyOutDir: true,
    // Inlining a file in another one would need an exception in the page's policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
})
