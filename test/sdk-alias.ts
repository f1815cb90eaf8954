import { fileURLToPath } from 'node:url'

const sdk = `${fileURLToPath(new URL('..', import.meta.url))}sdk/src/`

/** The entries of the sdk are its sources in tests, as in the paths of tsconfig.json. */
export const SDK_ALIAS = [
  { find: /^@countersign\/sdk$/, replacement: `${sdk}index.ts` },
  { find: /^@countersign\/sdk\/(\w+)$/, replacement: `${sdk}entries/$1.ts` },
]
